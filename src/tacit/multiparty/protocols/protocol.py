"""What is to be known of a protocol for sums before it is run, and all of them by name."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from ...errors import TacitError
from ...kernels.mersenne import PRIME
from ..ring import Words
from ..seat import Seat
from .additive_sum import additive_sum
from .cycles import most_cycles
from .cycles_sum import cycles_sum
from .ring_sum import ring_sum
from .shamir_sum import degree, shamir_sum
from .verified_sum import largest_message, verified_sum

__all__ = ["PROTOCOLS", "SumProtocol", "fits_into"]

HEAD = 64
"""Bytes for the header of a frame and the name of its step."""
SEED, SEAL = 32, 48
"""Bytes of a seed that shares are made from, and by which sealing makes a message longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SumProtocol:
    """A protocol whose output is the sum of everybody's words.

    ``breaks`` is the smallest coalition that learns more than the sum tells it, for n parties; ``modulus`` the only one it
    works with, if any; ``message`` the bytes of its largest message, for n parties and w words; ``drop_outs`` says that the sum stands without those who went away late, ``malicious`` that
    parties that break the protocol are named.
    """

    run: Callable[[Seat, Words], Coroutine[Any, Any, Words]]
    catalogue: str
    breaks: Callable[[int], int]
    message: Callable[[int, int], int]
    least: int = 2
    drop_outs: bool = False
    malicious: bool = False
    modulus: int | None = None

    def refuses(self, parties: int, modulus: int) -> TacitError | None:
        """Why it cannot be run by so many parties modulo this number."""
        if parties < self.least:
            return TacitError(
                f"it takes {self.least} parties or more, and the agreement has {parties}", fix="use additive_sum"
            )
        if self.modulus is not None and modulus != self.modulus:
            return TacitError("it needs a prime modulus", fix='modulus = "2^61-1"')
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
            fix=f"agree on max_message = {payload + HEAD} or more, the same at all parties",
            where="session.max_message",
        )


PROTOCOLS = {
    "additive_sum": SumProtocol(
        run=additive_sum, catalogue="I-03", breaks=lambda n: n - 1, message=lambda _, w: max(SEED, 8 * w)
    ),
    "ring_sum": SumProtocol(
        run=ring_sum, catalogue="I-02", breaks=lambda n: min(2, n - 1), message=lambda _, w: 8 * w + SEAL
    ),
    "cycles_sum": SumProtocol(
        run=cycles_sum,
        catalogue="I-03",
        breaks=lambda n: min(2 * most_cycles(n), n - 1),
        message=lambda _, w: 8 * w + SEAL,
        least=3,
    ),
    "shamir_sum": SumProtocol(
        run=shamir_sum,
        catalogue="I-04",
        breaks=lambda n: degree(n) + 1,
        message=lambda _, w: 8 * w,
        least=3,
        modulus=PRIME,
        drop_outs=True,
    ),
    "verified_sum": SumProtocol(
        run=verified_sum,
        catalogue="I-07",
        breaks=lambda n: degree(n) + 1,
        message=largest_message,
        least=3,
        malicious=True,
    ),
}
"""Name in the agreement → protocol."""
