"""Rules: which cells of a table disclose, and how uncertain each of them must become."""

from .assess import build_problem
from .dominance import Dominance
from .levels import Levels
from .marks import Mark
from .minimum_frequency import MinimumFrequency
from .p_percent import PPercent
from .pq import PQ
from .registry import ALL
from .request import Request
from .rule import Rule
from .serialise import from_json, to_json

__all__ = [
    "ALL",
    "PQ",
    "Dominance",
    "Levels",
    "Mark",
    "MinimumFrequency",
    "PPercent",
    "Request",
    "Rule",
    "from_json",
    "build_problem",
    "to_json",
]
