"""Set union: all items that anybody has, without showing who has which (I-05).

all   X_i^K, i = 1 … n, at P1, the items encoded in points     (commutative.py)
P1    U = X_1^K ∪ … ∪ X_n^K, each point once
all   peel U to bare points, and read the items
"""

from __future__ import annotations

from collections.abc import Collection

from ..group import NotInGroup, decoded, encoded, new_power
from ..seat import Seat
from .commutative import bad, compared, peeled
from .set_intersection import Common, overlaps

__all__ = ["set_union"]


async def set_union(seat: Seat, items: Collection[str]) -> Common:
    """All items that anybody has, to everybody, and not whose they are; see ``set_union.md`` for what else is seen.

    Items have up to 29 bytes: they travel in the points themselves. Cost as ``set_intersection``, and 0.6 ms an item to
    encode it.

    References
    ----------
    Clifton, Kantarcioglu, Vaidya, Lin and Zhu (2002), Tools for privacy preserving distributed data mining, SIGKDD
    Explorations 4(2), 28–34.
    """
    power, own = new_power(), {encoded(item): item for item in items}
    sizes, sets = await compared(seat, own, power)
    points = await peeled(seat, set.union(*sets.values()) if sets else (), power)
    last = seat.names[-1]
    if not set(own) <= set(points):
        raise bad(last, "items", "announced a union without this party's items")
    try:
        found = tuple(sorted(decoded(point) for point in points))
    except NotInGroup:
        raise bad(last, "items", "announced a point that holds no item") from None
    return Common(items=found, count=len(found), sizes=sizes, overlaps=overlaps(sets))
