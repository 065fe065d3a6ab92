"""Sum on a ring: a masked running total goes round, and the first party takes its mask off.

P1   r ← uniform            P1 → P2   r + x1
P2                          P2 → P3   r + x1 + x2
…                           Pn → P1   r + x1 + … + xn
P1   S = that − r           P1 → all  S
"""

from __future__ import annotations

from collections.abc import Sequence

from ..party import Party
from ..ring import Words


async def ring_sum(seat: Party, words: Words) -> Words:
    r"""The sum of everybody's words, modulo m; the claim and what breaks it stand in ``ring_sum.md``.

    The modulus must be above the largest sum: with m = n a sum of n would come out as 0, which the source
    overlooks. Each message is sealed under the next party's key. n + 1 rounds, n messages of the vector's length and n − 1 of
    the result.

    References
    ----------
    Clifton, Kantarcioglu, Vaidya, Lin and Zhu (2002), Tools for privacy preserving distributed data mining, SIGKDD
    Explorations 4(2), 28–34.
    """
    total = await round_trip(seat, seat.names, words, "running total")
    return await announce_total(seat, words if total is None else total, len(words))


async def round_trip(seat: Party, names: Sequence[str], words: Words, step: str) -> Words | None:
    """Once round the ring in the order of the names; the sum at the first of them, nothing at the others."""
    ring, count, place = seat.ring, len(words), list(names).index(seat.me)
    before, after = names[place - 1], names[(place + 1) % len(names)]
    if place > 0:
        running = await seat.receive(before, step, count, sealed=True)
        await seat.send(after, step, ring.plus(running, words), sealed=True)
        return None
    mask = seat.uniform(count)
    await seat.send(after, step, ring.plus(mask, words), sealed=True)
    return ring.minus(await seat.receive(before, step, count, sealed=True), mask)


async def announce_total(seat: Party, total: Words, count: int) -> Words:
    """What the first party tells all others."""
    first = seat.names[0]
    if seat.me != first:
        return await seat.receive(first, "announcement", count)
    for other in seat.others:
        await seat.send(other, "announcement", total)
    return total
