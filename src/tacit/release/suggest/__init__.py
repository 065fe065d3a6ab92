"""What the names and values of columns suggest: roles, sets that single records out, and the Safe Harbor check."""

from .column_set import ColumnSet, column_set
from .reading import free_text
from .role import Suggestion
from .safe_harbor import HarborFinding, SafeHarbor, safe_harbor
from .spelling import Spelling, spelling
from .suggest import Suggestions, suggest

__all__ = [
    "ColumnSet",
    "HarborFinding",
    "SafeHarbor",
    "Spelling",
    "Suggestion",
    "Suggestions",
    "column_set",
    "free_text",
    "safe_harbor",
    "spelling",
    "suggest",
]
