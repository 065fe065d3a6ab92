"""Set union: all items that anybody has, without showing who has which.

all   X_i^K, i = 1 … n, at P1, the items encoded in points     (commutative.py)
P1    U = X_1^K ∪ … ∪ X_n^K, each point once      P1 → all  U       Pi  X_i+1^K ⊆ U, which it raised last itself
all   peel U to bare points, from P2 round to P1    P1 → all  these, and all read the items
"""

from __future__ import annotations

from collections.abc import Collection

from ..group import SIZE, NotInGroup, decode_point, encode_point, new_power, raise_points
from ..party import Party
from .commutative import announced_points, bad_message, changed_points_fault, encrypt_sets, peeled_for_all, split_points
from .set_intersection import SetResult, count_overlaps


async def set_union(seat: Party, items: Collection[str], *, most: int | None = None) -> SetResult:
    """All items that anybody has, to everybody, and not whose they are; see ``set_union.md`` for what else is seen.

    ``most`` is how many items a party may bring, each of up to 29 bytes: they travel in the points themselves. Cost as
    ``set_intersection``, and 0.6 ms an item to encode it.

    References
    ----------
    Clifton, Kantarcioglu, Vaidya, Lin and Zhu (2002), Tools for privacy preserving distributed data mining, SIGKDD
    Explorations 4(2), 28–34.
    """
    power, own = new_power(), [encode_point(item) for item in items]
    seen = await encrypt_sets(seat, raise_points(own, power), power, most=most)
    chosen = await announced_points(seat, set.union(*seen.sets.values()) if seen.sets else ())
    first, step = seat.names[0], "points to be peeled"
    if seat.me != first and not seen.held <= set(chosen):
        raise bad_message(first, step, "left out points of the set which it was sent")
    if len(chosen) > sum(seen.sizes.values()):
        raise bad_message(first, step, "asked for more points than all parties have")
    points = await peeled_for_all(seat, chosen, power)
    if seat.me == first:
        _check_own(seat, points, own)
        for other in seat.others:
            await seat.send_bytes(other, "items", b"".join(points))
    else:
        points = split_points(first, "items", await seat.recv_bytes(first, "items", SIZE * len(chosen)))
        _check_own(seat, points, own)
    try:
        found = tuple(sorted(decode_point(point) for point in points))
    except NotInGroup:
        raise changed_points_fault(seat, "items", "announced a point that holds no item") from None
    return SetResult(items=found, count=len(found), sizes=seen.sizes, overlaps=count_overlaps(seen.sets))


def _check_own(seat: Party, points: Collection[bytes], own: Collection[bytes]) -> None:
    """The first party looks before it shows the items to all."""
    if not set(own) <= set(points):
        raise changed_points_fault(seat, "items", "announced a union without this party's items")
