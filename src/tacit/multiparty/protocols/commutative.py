"""Sets under everybody's secret powers: comparable, and readable by nobody.

Pi            X_i → X_i^k_i
ring, n − 1 times:  Pi → Pi+1 what it holds; Pi+1 raises it to k_i+1 and sorts it
all  → P1     the n sets, each under all powers, K = k_1 ⋯ k_n
P1   → all    the points whose powers are to be taken off; each compares them with the set that it raised last itself
peeling:      on the ring, each takes its own power off and sorts

Points look random, so putting them in the order of their bytes is a shuffle: who has raised a list cannot tell afterwards
which of its points came from where.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..faults import BadMessage, Contradiction, Fault
from ..group import SIZE, NotInGroup, check_points, invert_power, raise_points
from ..party import Party


@dataclass(frozen=True, slots=True)
class EncryptedSets:
    """After the ring: everybody's ``sizes``; ``held``, the set of the party after me under all powers, which I raised last myself.

    ``sets`` are the first party's alone: everybody's points under all powers.
    """

    sizes: dict[str, int]
    held: set[bytes]
    sets: dict[str, set[bytes]]


async def encrypt_sets(seat: Party, points: Iterable[bytes], power: bytes, *, most: int | None = None) -> EncryptedSets:
    """Everybody's set under all powers; ``points`` are my own under my power, ``most`` how many a party may bring.

    n − 1 rounds round the ring and one to the first party; each point is raised n times: 0.13 n ms a point.
    """
    names, place = list(seat.names), list(seat.names).index(seat.me)
    before, after = names[place - 1], names[(place + 1) % len(names)]
    held, sizes = sorted(points), {}
    sizes[seat.me] = len(held)
    for hop in range(1, len(names)):
        await seat.send_bytes(after, f"set, hop {hop}", b"".join(held))
        step = f"set, hop {hop}"
        given = split_points(before, step, await seat.recv_bytes(before, step))
        if most is not None and len(given) > most:
            raise bad_message(before, step, "sent a set of more items than a party may bring")
        held = _raised_or_named(before, step, given, power)
        sizes[names[place - hop]] = len(held)
    return EncryptedSets({name: sizes[name] for name in names}, set(held), await _collect_sets(seat, held, sizes))


async def _collect_sets(seat: Party, held: list[bytes], sizes: dict[str, int]) -> dict[str, set[bytes]]:
    """Whose set I hold after the last hop: that of the party after me."""
    names, first, step = list(seat.names), seat.names[0], "set under all powers"
    owner = {name: names[(at + 1) % len(names)] for at, name in enumerate(names)}
    if seat.me != first:
        await seat.send_bytes(first, step, b"".join(held))
        return {}
    found = {owner[first]: set(held)}
    for other in seat.others:
        points = split_points(other, step, await seat.recv_bytes(other, step, SIZE * sizes[owner[other]]))
        try:
            check_points(points)
        except NotInGroup:
            raise bad_message(other, step, "sent a point that is not in the group") from None
        found[owner[other]] = set(points)
    return found


async def announced_points(seat: Party, points: Iterable[bytes]) -> list[bytes]:
    """What the first party wants to have the powers taken off of, at everybody."""
    first, step = seat.names[0], "points to be peeled"
    if seat.me != first:
        return split_points(first, step, await seat.recv_bytes(first, step))
    chosen = sorted(points)
    for other in seat.others:
        await seat.send_bytes(other, step, b"".join(chosen))
    return chosen


async def peeled_for_others(seat: Party, chosen: list[bytes], power: bytes) -> list[bytes]:
    """The points under my own power alone, at all parties but the first; nobody gets any under none.

    For each party j the list starts at the party after it and goes once round: all others take their power off. n − 1 rounds.
    """
    names, place = list(seat.names), list(seat.names).index(seat.me)
    before, after, number = names[place - 1], names[(place + 1) % len(names)], len(names)
    held, undo = chosen, invert_power(power)
    for hop in range(1, number):
        target, coming = (place - hop) % number, (place - 1 - hop) % number
        if target:
            step = f"peeling for {names[target]}"
            await seat.send_bytes(after, step, b"".join(_raised_or_named(before, step, held, undo)))
        if coming:
            step = f"peeling for {names[coming]}"
            held = split_points(before, step, await seat.recv_bytes(before, step, SIZE * len(chosen)))
    return held if place else []


async def peeled_for_first(seat: Party, chosen: list[bytes], power: bytes) -> list[bytes]:
    """The same for the first party, when all others have seen that the points are theirs."""
    names, place = list(seat.names), list(seat.names).index(seat.me)
    before, step = names[place - 1], f"peeling for {names[0]}"
    held = chosen
    if place != 1:
        held = split_points(before, step, await seat.recv_bytes(before, step, SIZE * len(chosen)))
    if place == 0:
        return held
    held = _raised_or_named(before, step, held, invert_power(power))
    await seat.send_bytes(names[(place + 1) % len(names)], step, b"".join(held))
    return []


async def peeled_for_all(seat: Party, chosen: list[bytes], power: bytes) -> list[bytes]:
    """The bare points, in an order that says nothing: from the second party round to the first, which has them last."""
    names, place = list(seat.names), list(seat.names).index(seat.me)
    before, step = names[place - 1], "peeling"
    held = chosen
    if place != 1:
        held = split_points(before, step, await seat.recv_bytes(before, step, SIZE * len(chosen)))
    held = _raised_or_named(before, step, held, invert_power(power))
    if place:
        await seat.send_bytes(names[(place + 1) % len(names)], step, b"".join(held))
    return held if not place else []


def split_points(sender: str, step: str, data: bytes) -> list[bytes]:
    """The points in a message, all different."""
    points = [data[at : at + SIZE] for at in range(0, len(data), SIZE)]
    if len(data) % SIZE:
        raise bad_message(sender, step, "sent a message that is no list of points")
    if len(set(points)) < len(points):
        raise bad_message(sender, step, "sent a point twice")
    return points


def _raised_or_named(sender: str, step: str, points: Sequence[bytes], power: bytes) -> list[bytes]:
    """The points under one more power, sorted; a point that is none is told with its sender."""
    try:
        return sorted(raise_points(points, power))
    except NotInGroup:
        raise bad_message(sender, step, "sent a point that is not in the group") from None


def changed_points_fault(seat: Party, step: str, what: str) -> Fault:
    """Points that came round changed: of two parties the other one did it, of more nobody can see which."""
    if len(seat.names) == 2:
        return bad_message(seat.others[0], step, what)
    return Contradiction.seen_at(step, f"some party {what}")


def bad_message(sender: str, step: str, what: str) -> BadMessage:
    """A message that no honest party sends."""
    return BadMessage(sender, step, what, fix="let all parties run the same version, and ask that party")
