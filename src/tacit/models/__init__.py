"""Models: Boolean statements about a release that hold or do not, with a verdict that says by how much."""

from ..entry import Entry, Tags
from .anonymity import KAnonymity, LDiversity, TCloseness
from .threshold import Threshold
from .verdict import Verdict

__all__ = ["ALL", "KAnonymity", "LDiversity", "TCloseness", "Threshold", "Verdict"]

ALL = {
    "k_anonymity": Entry(
        call=KAnonymity,
        catalogue="D-01",
        tags=Tags(about="identity", kind="model", shown="proven"),
        example={"k": 5},
    ),
    "l_diversity": Entry(
        call=LDiversity,
        catalogue="D-03",
        tags=Tags(about="attribute", kind="model", shown="proven"),
        example={"columns": {"diagnosis": 2}},
    ),
    "t_closeness": Entry(
        call=TCloseness,
        catalogue="D-04",
        tags=Tags(about="attribute", kind="model", shown="proven"),
        example={"t": 0.5},
    ),
}
"""Plan name → model; a scalar in a plan is the model's first field."""
