"""Risk: how much a release discloses, as numbers. Each measure takes a release and returns Results."""

from ..entry import Entry, Tags
from .k_anonymity import k_anonymity, sample_uniques
from .l_diversity import l_diversity
from .t_closeness import t_closeness

__all__ = ["ALL", "k_anonymity", "l_diversity", "sample_uniques", "t_closeness"]

ALL = {
    "k_anonymity": Entry(
        call=k_anonymity, catalogue="D-01", tags=Tags(about="identity", kind="measure", shown="proven")
    ),
    "l_diversity": Entry(
        call=l_diversity, catalogue="D-03", tags=Tags(about="attribute", kind="measure", shown="proven")
    ),
    "sample_uniques": Entry(call=sample_uniques, catalogue="C-02", tags=Tags(about="identity", kind="measure")),
    "t_closeness": Entry(
        call=t_closeness, catalogue="D-04", tags=Tags(about="attribute", kind="measure", shown="proven")
    ),
}
"""Plan name → measure."""
