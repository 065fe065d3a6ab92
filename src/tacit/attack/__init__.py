"""Attack: a release and a scenario in, claims out. What is right of them, only the judge says."""

from ..entry import Entry, Tags
from .attack import Attack
from .attacked import Attacked, attacked
from .distance import Distance
from .reidentify import reidentify

__all__ = ["ALL", "Attack", "Attacked", "Distance", "attacked", "reidentify"]

ALL = {
    "distance": Entry(call=Distance, catalogue="C-04", tags=Tags(about="identity", kind="attack", linkage="generic")),
}
"""Plan name → attack."""
