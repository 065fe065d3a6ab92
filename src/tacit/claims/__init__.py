"""Claims: what an intruder may have and say, and the judge who alone knows the truth."""

from .claims import Claims, LinkClaims, MemberClaims, ValueClaims
from .interval import wilson
from .judge import judge
from .scenario import Scenario
from .truth import Truth

__all__ = ["Claims", "LinkClaims", "MemberClaims", "Scenario", "Truth", "ValueClaims", "judge", "wilson"]
