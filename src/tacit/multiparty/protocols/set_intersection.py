"""Set intersection: which items all parties have, without showing the others.

all   X_i^K, i = 1 … n, at P1                      (commutative.py)
P1    C = X_1^K ∩ … ∩ X_n^K       P1 → all  |C|, if only the size is wanted; otherwise
P1    → all  C                    Pi  C ⊆ X_i+1^K, which it raised last itself
for each j, P1 last:  all others take their power off C;  Pj has {H(x)^k_j : x common}, and looks its own items up
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..group import hash_to_point, new_power, raise_points
from ..party import Party
from .commutative import (
    announced_points,
    bad_message,
    changed_points_fault,
    encrypt_sets,
    peeled_for_first,
    peeled_for_others,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetResult:
    """What a set protocol gives: the items (or None), how many, how many each party brought; what the first party saw.

    ``overlaps`` is the first party's alone: for each item under all powers, which parties have it, counted.
    """

    items: tuple[str, ...] | None
    count: int
    sizes: dict[str, int]
    overlaps: dict[tuple[str, ...], int] | None = None


async def set_intersection(seat: Party, items: Collection[str], *, most: int | None = None) -> SetResult:
    """The items that all parties have, to everybody; see ``set_intersection.md`` for what else is seen.

    ``most`` is how many items a party may bring. 2n messages round the ring, 2n to and from the first party, n(n − 1) to peel; about
    0.13 n ms a point and party, and 0.13 (n − 1) ms a common one.

    References
    ----------
    Agrawal, Evfimievski and Srikant (2003), Information sharing across private databases, SIGMOD, 86–97.
    Vaidya and Clifton (2005), Secure set intersection cardinality with application to association rule mining, Journal of
    Computer Security 13(4), 593–622.
    """
    power, ordered = new_power(), list(items)
    own = dict(zip(raise_points([hash_to_point(item) for item in ordered], power), ordered, strict=True))
    seen = await encrypt_sets(seat, own, power, most=most)
    chosen = await announced_points(seat, set.intersection(*seen.sets.values()) if seen.sets else ())
    first = seat.names[0]
    if seat.me != first and not set(chosen) <= seen.held:
        raise bad_message(first, "points to be peeled", "asked for points that are not in the set which it was sent")
    points = await peeled_for_others(seat, chosen, power)
    _check_own(seat, points, own)
    if seat.me == first:
        points = await peeled_for_first(seat, chosen, power)
        _check_own(seat, points, own)
    else:
        await peeled_for_first(seat, chosen, power)
    common = tuple(sorted(own[point] for point in points))
    return SetResult(items=common, count=len(common), sizes=seen.sizes, overlaps=count_overlaps(seen.sets))


def _check_own(seat: Party, points: Collection[bytes], own: Mapping[bytes, str]) -> None:
    """Nobody goes on with points as common that are none of its items."""
    if not set(points) <= set(own):
        raise changed_points_fault(seat, "peeling", "announced an item as common that this party does not have")


async def common_count(seat: Party, items: Collection[str], *, most: int | None = None) -> SetResult:
    """How many items all parties have, and not which."""
    power = new_power()
    seen = await encrypt_sets(seat, raise_points([hash_to_point(item) for item in items], power), power, most=most)
    sizes, sets = seen.sizes, seen.sets
    first, step = seat.names[0], "size of the intersection"
    if seat.me != first:
        count = int.from_bytes(await seat.recv_bytes(first, step, 8), "big")
        if count > min(sizes.values()):
            raise bad_message(first, step, "announced more common items than a party has")
        return SetResult(items=None, count=count, sizes=sizes)
    count = len(set.intersection(*sets.values()))
    for other in seat.others:
        await seat.send_bytes(other, step, count.to_bytes(8, "big"))
    return SetResult(items=None, count=count, sizes=sizes, overlaps=count_overlaps(sets))


def count_overlaps(sets: dict[str, set[bytes]]) -> dict[tuple[str, ...], int] | None:
    """How many items exactly these parties have, for all groups of parties that have any; what the first party sees.

    >>> count_overlaps({"A": {b"1", b"2"}, "B": {b"2"}})
    {('A',): 1, ('A', 'B'): 1}
    """
    if not sets:
        return None
    found: dict[tuple[str, ...], int] = {}
    for point in set.union(*sets.values()):
        holders = tuple(sorted(name for name, points in sets.items() if point in points))
        found[holders] = found.get(holders, 0) + 1
    return dict(sorted(found.items()))
