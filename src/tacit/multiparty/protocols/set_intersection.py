"""Set intersection: which items all parties have, without showing the others (I-05).

all   X_i^K, i = 1 … n, at P1                      (commutative.py)
P1    C = X_1^K ∩ … ∩ X_n^K       P1 → all  |C|, if only the size is wanted; otherwise
all   peel C to {H(x) : x common}, and each looks its own items up
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..group import hashed, new_power
from ..seat import Seat
from .commutative import bad, compared, peeled

__all__ = ["Common", "common_count", "overlaps", "set_intersection"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What a set protocol gives: the items (or None), how many, how many each party brought; what the first party saw.

    ``overlaps`` is the first party's alone: for each item under all powers, which parties have it, counted.
    """

    items: tuple[str, ...] | None
    count: int
    sizes: dict[str, int]
    overlaps: dict[tuple[str, ...], int] | None = None


async def set_intersection(seat: Seat, items: Collection[str]) -> Common:
    """The items that all parties have, to everybody; see ``set_intersection.md`` for what else is seen.

    2n messages round the ring, n to the first party, n to peel; about 0.13 n ms a point and party.

    References
    ----------
    Agrawal, Evfimievski and Srikant (2003), Information sharing across private databases, SIGMOD, 86–97.
    Vaidya and Clifton (2005), Secure set intersection cardinality with application to association rule mining, Journal of
    Computer Security 13(4), 593–622.
    """
    power, own = new_power(), {hashed(item): item for item in items}
    sizes, sets = await compared(seat, own, power)
    points = await peeled(seat, set.intersection(*sets.values()) if sets else (), power)
    if not set(points) <= set(own):
        raise bad(seat.names[-1], "items", "announced an item as common that this party does not have")
    return Common(items=tuple(sorted(own[p] for p in points)), count=len(points), sizes=sizes, overlaps=overlaps(sets))


async def common_count(seat: Seat, items: Collection[str]) -> Common:
    """How many items all parties have, and not which."""
    sizes, sets = await compared(seat, [hashed(item) for item in items], new_power())
    first, step = seat.names[0], "size of the intersection"
    if seat.me != first:
        count = int.from_bytes(await seat.take(first, step, 8), "big")
        if count > min(sizes.values()):
            raise bad(first, step, "announced more common items than a party has")
        return Common(items=None, count=count, sizes=sizes)
    count = len(set.intersection(*sets.values()))
    for other in seat.others:
        await seat.hand(other, step, count.to_bytes(8, "big"))
    return Common(items=None, count=count, sizes=sizes, overlaps=overlaps(sets))


def overlaps(sets: dict[str, set[bytes]]) -> dict[tuple[str, ...], int] | None:
    """How many items exactly these parties have, for all groups of parties that have any; what the first party sees.

    >>> overlaps({"A": {b"1", b"2"}, "B": {b"2"}})
    {('A',): 1, ('A', 'B'): 1}
    """
    if not sets:
        return None
    found: dict[tuple[str, ...], int] = {}
    for point in set.union(*sets.values()):
        holders = tuple(sorted(name for name, points in sets.items() if point in points))
        found[holders] = found.get(holders, 0) + 1
    return dict(sorted(found.items()))
