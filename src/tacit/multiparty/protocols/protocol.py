"""What is to be known of a protocol for sums before it is run, and all of them by name.

Sum on several rings: each party's words are dealt out over rings on which it never has the same neighbours.

Pi        x_i = x_i¹ + … + x_iˢ, all but the last uniform
ring k    the masked running total of the x_iᵏ, in the order of ring k
P1        S = S¹ + … + Sˢ      P1 → all  S
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from ...errors import TacitError
from ...kernels.mersenne import PRIME
from ..party import Party
from ..ring import Words
from .additive_sum import additive_sum
from .ring_sum import announce_total, ring_sum, round_trip
from .shamir_sum import polynomial_degree, shamir_sum
from .verified_sum import largest_message, verified_sum


def most_cycles(parties: int) -> int:
    """How many there are: each uses up two of a party's n − 1 neighbours.

    >>> [most_cycles(n) for n in (3, 4, 5, 6, 7)]
    [1, 1, 2, 2, 3]
    """
    return (parties - 1) // 2


def disjoint_cycles(parties: int, count: int) -> list[list[int]]:
    """``count`` rings over the parties 0, …, n − 1, each starting at 0; no two parties are neighbours on two of them.

    For odd n = 2m + 1 Walecki's zigzags: a hub, and round it i, i + 1, i − 1, i + 2, … modulo 2m for i = 0, …, m − 1. For even n
    those of n − 1 parties, with the last party put between the two that are m apart: turning round the hub by less than m
    these pairs never meet. Four parties have one ring only (K₄ has no two edge-disjoint rings), five have two.

    >>> disjoint_cycles(5, 2)
    [[0, 1, 2, 4, 3], [0, 2, 3, 1, 4]]

    References
    ----------
    Alspach (2008), The wonderful Walecki construction, Bulletin of the ICA 52, 7–20.
    """
    if not 1 <= count <= most_cycles(parties):
        raise TacitError(
            f"{parties} parties have {most_cycles(parties)} rings without a common neighbour, not {count}",
            code="missing_parameter",
            fix="use fewer shares, or additive_sum, which needs no rings",
        )
    m = (parties - 1) // 2
    found = []
    for turn in range(count):
        zigzag = [turn]
        for step in range(1, m + 1):
            zigzag += [(turn + step) % (2 * m), (turn - step) % (2 * m)][: 2 * m - len(zigzag)]
        if parties % 2 == 0:
            zigzag.insert(_insertion_index(zigzag, m), parties - 2)
        found.append([0, *(place + 1 for place in zigzag)])
    return found


def _insertion_index(zigzag: list[int], m: int) -> int:
    """Between which two neighbours that are m apart the last party goes."""
    return next(at for at in range(1, len(zigzag)) if (zigzag[at] - zigzag[at - 1]) % (2 * m) == m)


async def cycles_sum(seat: Party, words: Words, *, shares: int | None = None) -> Words:
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
    for which, (order, share) in enumerate(zip(disjoint_cycles(len(seat.names), number), dealt, strict=True), start=1):
        names = [seat.names[place] for place in order]
        totals.append(await round_trip(seat, names, share, f"running total of ring {which}"))
    known = [total for total in totals if total is not None]  # at the first party only: all rings begin there
    return await announce_total(seat, ring.total(known) if known else words, len(words))


HEAD = 64
"""Bytes for the header of a frame and the name of its step."""

SEED_BYTES, SEAL = 32, 48
"""Bytes of a seed that shares are made from, and by which sealing makes a message longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SumProtocol:
    """A protocol whose output is the sum of everybody's words.

    ``breaks`` is the smallest coalition that learns more than the sum tells it, for n parties; ``modulus`` the only one it
    works with, if any; ``message`` the bytes of its largest message, for n parties and w words; ``drop_outs`` says that the sum stands without those who went away late, ``malicious`` that
    parties that break the protocol are named.
    """

    run: Callable[[Party, Words], Coroutine[Any, Any, Words]]
    breaks: Callable[[int], int]
    message: Callable[[int, int], int]
    least: int = 2
    drop_outs: bool = False
    malicious: bool = False
    modulus: int | None = None

    def setup_error(self, parties: int, modulus: int) -> TacitError | None:
        """Why it cannot be run by so many parties modulo this number."""
        if parties < self.least:
            return TacitError(
                f"it takes {self.least} parties or more, and the agreement has {parties}",
                code="invalid_protocol_input",
                fix="use additive_sum",
            )
        if self.modulus is not None and modulus != self.modulus:
            return TacitError("it needs a prime modulus", code="missing_parameter", fix='modulus = "2^61-1"')
        return None


def fits_into(most: int, payload: int) -> None:
    """Refuse an agreed size that the largest message of the session exceeds, before anybody is called.

    >>> fits_into(1500, 8000)
    Traceback (most recent call last):
    ...
    tacit.errors.TacitError: session.max_message: 1,500 bytes are agreed on, and the largest message has 8,064
      fix: agree on max_message = 8064 or more, the same at all parties
    """
    if payload + HEAD > most:
        raise TacitError(
            f"{most:,} bytes are agreed on, and the largest message has {payload + HEAD:,}",
            code="invalid_protocol_input",
            fix=f"agree on max_message = {payload + HEAD} or more, the same at all parties",
            where="session.max_message",
        )


PROTOCOLS = {
    "additive_sum": SumProtocol(run=additive_sum, breaks=lambda n: n - 1, message=lambda _, w: max(SEED_BYTES, 8 * w)),
    "ring_sum": SumProtocol(run=ring_sum, breaks=lambda n: min(2, n - 1), message=lambda _, w: 8 * w + SEAL),
    "cycles_sum": SumProtocol(
        run=cycles_sum,
        breaks=lambda n: min(2 * most_cycles(n), n - 1),
        message=lambda _, w: 8 * w + SEAL,
        least=3,
    ),
    "shamir_sum": SumProtocol(
        run=shamir_sum,
        breaks=lambda n: polynomial_degree(n) + 1,
        message=lambda _, w: 8 * w,
        least=3,
        modulus=PRIME,
        drop_outs=True,
    ),
    "verified_sum": SumProtocol(
        run=verified_sum,
        breaks=lambda n: polynomial_degree(n) + 1,
        message=largest_message,
        least=3,
        malicious=True,
    ),
}
"""Name in the agreement → protocol."""
