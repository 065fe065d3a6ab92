"""Sets under everybody's secret powers: comparable, and readable by nobody.

Pi            X_i → X_i^k_i
ring, n − 1 times:  Pi → Pi+1 what it holds; Pi+1 raises it to k_i+1 and sorts it
all  → P1     the n sets, each under all powers, K = k_1 ⋯ k_n
peeling:      P1 → P2 → … → Pn, each takes its own power off and sorts;  Pn → all  the bare points

Points look random, so putting them in the order of their bytes is a shuffle: who has raised a list cannot tell afterwards
which of its points came from where.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..faults import BadMessage
from ..group import SIZE, NotInGroup, check, inverse, raised
from ..seat import Seat

__all__ = ["bad", "compared", "peeled", "split"]


async def compared(seat: Seat, points: Iterable[bytes], power: bytes) -> tuple[dict[str, int], dict[str, set[bytes]]]:
    """How many items each party has; and, at the first party alone, everybody's points under all powers.

    n − 1 rounds round the ring and one to the first party; each point is raised n times: 0.13 n ms a point.
    """
    names, place = list(seat.names), list(seat.names).index(seat.me)
    before, after = names[place - 1], names[(place + 1) % len(names)]
    held, sizes = sorted(raised(points, power)), {}
    sizes[seat.me] = len(held)
    for hop in range(1, len(names)):
        await seat.hand(after, f"set, hop {hop}", b"".join(held))
        step = f"set, hop {hop}"
        held = _raised_or_named(before, step, split(before, step, await seat.take(before, step)), power)
        sizes[names[place - hop]] = len(held)
    return {name: sizes[name] for name in names}, await _collected(seat, held, sizes)


async def _collected(seat: Seat, held: list[bytes], sizes: dict[str, int]) -> dict[str, set[bytes]]:
    """Whose set I hold after the last hop: that of the party after me."""
    names, first, step = list(seat.names), seat.names[0], "set under all powers"
    owner = {name: names[(at + 1) % len(names)] for at, name in enumerate(names)}
    if seat.me != first:
        await seat.hand(first, step, b"".join(held))
        return {}
    found = {owner[first]: set(held)}
    for other in seat.others:
        points = split(other, step, await seat.take(other, step, SIZE * sizes[owner[other]]))
        try:
            check(points)
        except NotInGroup:
            raise bad(other, step, "sent a point that is not in the group") from None
        found[owner[other]] = set(points)
    return found


async def peeled(seat: Seat, points: Iterable[bytes], power: bytes) -> list[bytes]:
    """The bare points of what the first party holds under all powers, to everybody, in an order that says nothing."""
    names, place = list(seat.names), list(seat.names).index(seat.me)
    before, last = names[place - 1], names[-1]
    held = list(points)
    if place > 0:
        held = split(before, "peeling", await seat.take(before, "peeling"))
    held = _raised_or_named(before, "peeling", held, inverse(power))
    if seat.me != last:
        await seat.hand(names[place + 1], "peeling", b"".join(held))
        return split(last, "items", await seat.take(last, "items", SIZE * len(held)))
    for other in seat.others:
        await seat.hand(other, "items", b"".join(held))
    return held


def split(sender: str, step: str, data: bytes) -> list[bytes]:
    """The points in a message, all different."""
    points = [data[at : at + SIZE] for at in range(0, len(data), SIZE)]
    if len(data) % SIZE:
        raise bad(sender, step, "sent a message that is no list of points")
    if len(set(points)) < len(points):
        raise bad(sender, step, "sent a point twice")
    return points


def _raised_or_named(sender: str, step: str, points: Sequence[bytes], power: bytes) -> list[bytes]:
    """The points under one more power, sorted; a point that is none is told with its sender."""
    try:
        return sorted(raised(points, power))
    except NotInGroup:
        raise bad(sender, step, "sent a point that is not in the group") from None


def bad(sender: str, step: str, what: str) -> BadMessage:
    """A message that no honest party sends."""
    return BadMessage(sender, step, what, fix="let all parties run the same version, and ask that party")
