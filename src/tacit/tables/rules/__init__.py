"""Rules: which cells of a table disclose, and how uncertain each of them must become."""

from .all import ALL
from .dominance import Dominance
from .levels import Levels
from .load import from_json, to_json
from .marked import marked
from .marks import Mark
from .minimum_frequency import MinimumFrequency
from .p_percent import PPercent
from .pq import PQ
from .request import Request
from .rule import Rule

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
    "marked",
    "to_json",
]
