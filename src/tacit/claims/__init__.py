"""Claims: what an intruder may have and say, and the judge who alone knows the truth."""

from ..interval import wilson
from .beliefs import summarise_unjudged
from .claims import Claims, CopyClaims, LinkClaims, MemberClaims, PairClaims, PredicateClaims, ValueClaims
from .comparability import comparability_notes
from .degraded_scenario import DegradedScenario, degrade_scenario
from .judge import judge
from .known_links import KnownLinks
from .precision import PrecisionCurve, precision_curve
from .roc import Roc, roc
from .scenario import Scenario
from .truth import Truth

__all__ = [
    "KnownLinks",
    "Claims",
    "CopyClaims",
    "DegradedScenario",
    "LinkClaims",
    "MemberClaims",
    "PairClaims",
    "PrecisionCurve",
    "PredicateClaims",
    "Roc",
    "Scenario",
    "Truth",
    "ValueClaims",
    "comparability_notes",
    "degrade_scenario",
    "judge",
    "precision_curve",
    "roc",
    "summarise_unjudged",
    "wilson",
]
