"""Sum on several rings: each party's words are dealt out over rings on which it never has the same neighbours (I-03).

Pi        x_i = x_i¹ + … + x_iˢ, all but the last uniform
ring k    the masked running total of the x_iᵏ, in the order of ring k
P1        S = S¹ + … + Sˢ      P1 → all  S
"""

from __future__ import annotations

from ..ring import Words
from ..seat import Seat
from .cycles import cycles, most_cycles
from .ring_sum import announced, round_trip

__all__ = ["cycles_sum"]


async def cycles_sum(seat: Seat, words: Words, *, shares: int | None = None) -> Words:
    """The sum of everybody's words, modulo m, against coalitions of fewer than 2s parties; see ``cycles_sum.md``.

    ``shares`` is s, the number of rings; as many as there are when left out. s · n messages of the vector's length one
    after the other. With all rings of an odd number of parties it takes all others to break it.

    References
    ----------
    Clifton, Kantarcioglu, Vaidya, Lin and Zhu (2002), Tools for privacy preserving distributed data mining, SIGKDD
    Explorations 4(2), 28–34.
    """
    ring, number = seat.ring, most_cycles(len(seat.names)) if shares is None else shares
    drawn = [seat.uniform(len(words)) for _ in range(number - 1)]
    dealt = [*drawn, ring.minus(words, ring.total(drawn)) if drawn else words]
    totals = []
    for which, (order, share) in enumerate(zip(cycles(len(seat.names), number), dealt, strict=True), start=1):
        names = [seat.names[place] for place in order]
        totals.append(await round_trip(seat, names, share, f"running total of ring {which}"))
    known = [total for total in totals if total is not None]  # at the first party only: all rings begin there
    return await announced(seat, ring.total(known) if known else words, len(words))
