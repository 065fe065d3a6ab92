"""The losses of tables by their names."""

from __future__ import annotations

from ...registry import Entry, Tags
from .distance import distance
from .rank_changes import rank_changes
from .suppressed import suppressed

LOSS = Tags(about="utility", kind="measure")

ALL = {
    "suppressed": Entry(call=suppressed, catalogue="G-04", tags=LOSS),
    "distance": Entry(call=distance, catalogue="G-05", tags=LOSS),
    "rank_changes": Entry(call=rank_changes, catalogue="G-05", tags=LOSS),
}
