"""Intruders: a publication and what somebody knows in, claims about cells and respondents out; the judge alone has the truth."""

from .all import ALL
from .arithmetic import Arithmetic
from .claims import CellClaims
from .coalition import Coalition
from .external import External
from .holding import Holding
from .judge import judged
from .knowledge import Knowledge
from .own_value import OwnValue
from .rival import Rival
from .sole_respondent import SoleRespondent, knowledge_of
from .tightened import tightened

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
    "judged",
    "knowledge_of",
    "tightened",
]
