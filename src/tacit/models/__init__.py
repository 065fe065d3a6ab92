"""Models: Boolean statements about a release that hold or do not, with a verdict that says by how much."""

from ..registry import Entry, Tags
from . import integral as integral
from .alpha_k import AlphaK
from .beta_likeness import BetaLikeness
from .delta_disclosure import DeltaDisclosure
from .delta_presence import DeltaPresence
from .household_k_anonymity import HouseholdKAnonymity
from .interval_disclosure import IntervalDisclosure
from .k_anonymity import KAnonymity
from .k_map import KMap
from .l_diversity import LDiversity
from .p_sensitivity import PSensitivity
from .t_closeness import TCloseness
from .threshold import Threshold
from .verdict import Verdict

__all__ = [
    "ALL",
    "AlphaK",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "HouseholdKAnonymity",
    "IntervalDisclosure",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "PSensitivity",
    "TCloseness",
    "Threshold",
    "Verdict",
]

ALL = {
    "alpha_k": Entry(
        call=AlphaK,
        catalogue="D-03",
        tags=Tags(about="identity and attribute", kind="model", shown="proven"),
        example={"alpha": 0.5, "k": 5},
    ),
    "beta_likeness": Entry(
        call=BetaLikeness,
        catalogue="D-04",
        tags=Tags(about="attribute", kind="model", shown="proven"),
        example={"columns": {"diagnosis": 2.0}},
    ),
    "delta_disclosure": Entry(
        call=DeltaDisclosure,
        catalogue="D-04",
        tags=Tags(about="attribute", kind="model", shown="proven"),
        example={"columns": {"diagnosis": 3.0}, "absent": "ignored"},
    ),
    "delta_presence": Entry(
        call=DeltaPresence,
        catalogue="D-01",
        tags=Tags(about="identity", kind="model", shown="proven"),
        example={"high": 0.5},
        needs=("population",),
    ),
    "household_k_anonymity": Entry(
        call=HouseholdKAnonymity,
        catalogue="D-01",
        tags=Tags(about="identity", kind="model", shown="proven"),
        example={"k": 2},
        needs=("household",),
    ),
    "interval_disclosure": Entry(
        call=IntervalDisclosure,
        catalogue="D-06",
        tags=Tags(about="attribute", kind="model"),
        example={"at_most": 0.3, "percent": 10},
        needs=("original",),
    ),
    "k_anonymity": Entry(
        call=KAnonymity,
        catalogue="D-01",
        tags=Tags(about="identity", kind="model", shown="proven"),
        example={"k": 5},
    ),
    "k_map": Entry(
        call=KMap,
        catalogue="D-01",
        tags=Tags(about="identity", kind="model", shown="proven"),
        example={"k": 5},
        needs=("population",),
    ),
    "l_diversity": Entry(
        call=LDiversity,
        catalogue="D-03",
        tags=Tags(about="attribute", kind="model", shown="proven"),
        example={"columns": {"diagnosis": 2}},
    ),
    "p_sensitivity": Entry(
        call=PSensitivity,
        catalogue="D-02",
        tags=Tags(about="identity and attribute", kind="model", shown="proven"),
        example={"p": 2, "k": 5},
    ),
    "t_closeness": Entry(
        call=TCloseness,
        catalogue="D-04",
        tags=Tags(about="attribute", kind="model", shown="proven"),
        example={"t": 0.5},
    ),
}
"""Plan name → model; a scalar in a plan is the model's first field."""
