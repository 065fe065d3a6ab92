"""Intruders: a publication and what somebody knows in, claims about cells and respondents out; the judge alone has the truth."""

from .arithmetic import Arithmetic
from .claims import CellClaims
from .coalition import Coalition
from .external import External
from .feasibility import tighten_bounds
from .holding import Holding
from .judge import judge_claims
from .knowledge import Knowledge
from .own_value import OwnValue
from .registry import ALL
from .rival import Rival
from .sole_respondent import SoleRespondent, knowledge_of

__all__ = [
    "ALL",
    "Arithmetic",
    "CellClaims",
    "Coalition",
    "External",
    "Holding",
    "Knowledge",
    "OwnValue",
    "Rival",
    "SoleRespondent",
    "judge_claims",
    "knowledge_of",
    "tighten_bounds",
]
