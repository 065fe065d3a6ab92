"""Loss: what a protected table no longer tells its readers."""

from .distance import distance
from .rank_changes import rank_changes
from .registry import ALL
from .summary import summary
from .suppressed import suppressed

__all__ = ["ALL", "distance", "rank_changes", "summary", "suppressed"]
