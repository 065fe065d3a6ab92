"""Set union: all items that anybody has, without showing who has which (I-05).

all   X_i^K, i = 1 … n, at P1, the items encoded in points     (commutative.py)
P1    U = X_1^K ∪ … ∪ X_n^K, each point once      P1 → all  U       Pi  X_i+1^K ⊆ U, which it raised last itself
all   peel U to bare points, from P2 round to P1    P1 → all  these, and all read the items
"""

from __future__ import annotations

from collections.abc import Collection

from ..group import SIZE, NotInGroup, decoded, encoded, new_power, raised
from ..seat import Seat
from .commutative import announced_points, bad, changed, compared, peeled_for_all, split
from .set_intersection import Common, overlaps


async def set_union(seat: Seat, items: Collection[str], *, most: int | None = None) -> Common:
    """All items that anybody has, to everybody, and not whose they are; see ``set_union.md`` for what else is seen.

    ``most`` is how many items a party may bring, each of up to 29 bytes: they travel in the points themselves. Cost as
    ``set_intersection``, and 0.6 ms an item to encode it.

    References
    ----------
    Clifton, Kantarcioglu, Vaidya, Lin and Zhu (2002), Tools for privacy preserving distributed data mining, SIGKDD
    Explorations 4(2), 28–34.
    """
    power, own = new_power(), [encoded(item) for item in items]
    seen = await compared(seat, raised(own, power), power, most=most)
    chosen = await announced_points(seat, set.union(*seen.sets.values()) if seen.sets else ())
    first, step = seat.names[0], "points to be peeled"
    if seat.me != first and not seen.held <= set(chosen):
        raise bad(first, step, "left out points of the set which it was sent")
    if len(chosen) > sum(seen.sizes.values()):
        raise bad(first, step, "asked for more points than all parties have")
    points = await peeled_for_all(seat, chosen, power)
    if seat.me == first:
        _check_own(seat, points, own)
        for other in seat.others:
            await seat.hand(other, "items", b"".join(points))
    else:
        points = split(first, "items", await seat.take(first, "items", SIZE * len(chosen)))
        _check_own(seat, points, own)
    try:
        found = tuple(sorted(decoded(point) for point in points))
    except NotInGroup:
        raise changed(seat, "items", "announced a point that holds no item") from None
    return Common(items=found, count=len(found), sizes=seen.sizes, overlaps=overlaps(seen.sets))


def _check_own(seat: Seat, points: Collection[bytes], own: Collection[bytes]) -> None:
    """The first party looks before it shows the items to all."""
    if not set(own) <= set(points):
        raise changed(seat, "items", "announced a union without this party's items")
