"""What the names and values of columns suggest: roles, sets that single records out, and the Safe Harbor check."""

from .column_evidence import free_text
from .column_set import ColumnSet, column_set
from .csv_conventions import CsvConventions, detect_csv_conventions
from .role import Suggestion
from .safe_harbor import HarborFinding, SafeHarbor, safe_harbor
from .suggest import Suggestions, suggest

__all__ = [
    "ColumnSet",
    "HarborFinding",
    "SafeHarbor",
    "CsvConventions",
    "Suggestion",
    "Suggestions",
    "column_set",
    "free_text",
    "safe_harbor",
    "detect_csv_conventions",
    "suggest",
]
