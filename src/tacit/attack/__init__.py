"""Attack: a release and a scenario in, claims out. What is right of them, only the judge says."""

from ..entry import Entry, Tags
from .at_risk import AtRisk, at_risk
from .attack import Attack
from .attacked import Attacked, attacked
from .curve import Curve, curve
from .distance import Distance
from .drop_one import DropOne, drop_one
from .learned import Learned
from .minimality import Minimality
from .one_to_one import OneToOne
from .probabilistic import Probabilistic
from .reidentify import reidentify
from .schema import SchemaMatch, matched
from .transparency import Transparency

__all__ = [
    "ALL",
    "AtRisk",
    "Attack",
    "Attacked",
    "Curve",
    "Distance",
    "DropOne",
    "Learned",
    "Minimality",
    "OneToOne",
    "Probabilistic",
    "SchemaMatch",
    "Transparency",
    "at_risk",
    "attacked",
    "curve",
    "drop_one",
    "matched",
    "reidentify",
]

ALL = {
    "distance": Entry(call=Distance, catalogue="C-04", tags=Tags(about="identity", kind="attack", linkage="generic")),
    "one_to_one": Entry(call=OneToOne, catalogue="C-04", tags=Tags(about="identity", kind="attack", linkage="generic")),
    "minimality": Entry(
        call=Minimality, catalogue="M-05", tags=Tags(about="attribute", kind="attack", linkage="specific")
    ),
    "transparency": Entry(
        call=Transparency, catalogue="M-03", tags=Tags(about="identity", kind="attack", linkage="specific")
    ),
    "probabilistic": Entry(
        call=Probabilistic, catalogue="C-05", tags=Tags(about="identity", kind="attack", linkage="generic")
    ),
    "learned": Entry(call=Learned, catalogue="C-07", tags=Tags(about="identity", kind="attack", linkage="generic")),
}
"""Plan name → attack."""
