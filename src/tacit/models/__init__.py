"""Models: Boolean statements about a release that hold or do not, with a verdict that says by how much."""

from ..entry import Entry, Tags
from .anonymity import KAnonymity, LDiversity, TCloseness
from .threshold import Threshold
from .verdict import Verdict

__all__ = ["ALL", "KAnonymity", "LDiversity", "TCloseness", "Threshold", "Verdict"]

ALL = {
    "k_anonymity": Entry(call=KAnonymity, catalogue="D-01", tags=Tags(about="identity", kind="model", shown="proven")),
    "l_diversity": Entry(call=LDiversity, catalogue="D-03", tags=Tags(about="attribute", kind="model", shown="proven")),
    "t_closeness": Entry(call=TCloseness, catalogue="D-04", tags=Tags(about="attribute", kind="model", shown="proven")),
}
"""Plan name → model; a scalar in a plan is the model's first field."""
