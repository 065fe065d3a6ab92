"""Sum by additive shares: everybody deals its words out in parts that look random, and only sums of parts are shown, to one.

Pi        s_ii, …, s_in ← uniform with s_ii + … + s_in = x_i
Pi → Pj   s_ij for all later j: one share between any two is enough to hide both
Pj        t_j = s_1j + … + s_jj
Pj → P1   t_j
P1 → all  S = t_1 + … + t_n
"""

from __future__ import annotations

from ..party import Party
from ..ring import Words
from .ring_sum import announce_total


async def additive_sum(seat: Party, words: Words) -> Words:
    r"""The sum of everybody's words, modulo m, against any coalition of all but two; see ``additive_sum.md``.

    Three rounds: n(n − 1)/2 seeds of shares, then n − 1 vectors to the first party and n − 1 from it.

    References
    ----------
    Benaloh (1986), Secret sharing homomorphisms: keeping shares of a secret secret, CRYPTO, LNCS 263, 251–260.
    """
    ring, count, place = seat.ring, len(words), list(seat.names).index(seat.me)
    shares = [await seat.send_random(later, "share", count) for later in seat.names[place + 1 :]]
    own = ring.minus(words, ring.total(shares)) if shares else words
    dealt = [await seat.recv_random(earlier, "share", count) for earlier in seat.names[:place]]
    part = ring.total([own, *dealt])
    if seat.me != seat.names[0]:
        await seat.send(seat.names[0], "sum of shares", part)
        return await announce_total(seat, part, count)
    parts = [await seat.receive(other, "sum of shares", count) for other in seat.others]
    return await announce_total(seat, ring.total([part, *parts]), count)
