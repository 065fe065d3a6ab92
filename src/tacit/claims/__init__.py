"""Claims: what an intruder may have and say, and the judge who alone knows the truth."""

from .acquaintances import Acquaintances
from .claims import Claims, LinkClaims, MemberClaims, ValueClaims
from .fitting import fitting
from .imperfect import Imperfect, imperfect
from .interval import wilson
from .judge import judge
from .precision import PrecisionCurve, precision_curve
from .predicates import PredicateClaims
from .roc import Roc, roc
from .scenario import Scenario
from .truth import Truth
from .unjudged import unjudged

__all__ = [
    "Acquaintances",
    "Claims",
    "Imperfect",
    "LinkClaims",
    "MemberClaims",
    "PrecisionCurve",
    "PredicateClaims",
    "Roc",
    "Scenario",
    "Truth",
    "ValueClaims",
    "fitting",
    "imperfect",
    "judge",
    "precision_curve",
    "roc",
    "unjudged",
    "wilson",
]
