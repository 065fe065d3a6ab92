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
from .verified_sum import verified_sum

__all__ = ["PROTOCOLS", "SumProtocol"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SumProtocol:
    """A protocol whose output is the sum of everybody's words.

    ``breaks`` is the smallest coalition that learns more than the sum tells it, for n parties; ``modulus`` the only one it
    works with, if any; ``drop_outs`` says that the sum stands without those who went away late, ``malicious`` that
    parties that break the protocol are named.
    """

    run: Callable[[Seat, Words], Coroutine[Any, Any, Words]]
    catalogue: str
    breaks: Callable[[int], int]
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


PROTOCOLS = {
    "additive_sum": SumProtocol(run=additive_sum, catalogue="I-03", breaks=lambda n: n - 1),
    "ring_sum": SumProtocol(run=ring_sum, catalogue="I-02", breaks=lambda n: min(2, n - 1)),
    "cycles_sum": SumProtocol(
        run=cycles_sum, catalogue="I-03", breaks=lambda n: min(2 * most_cycles(n), n - 1), least=3
    ),
    "shamir_sum": SumProtocol(
        run=shamir_sum, catalogue="I-04", breaks=lambda n: degree(n) + 1, least=3, modulus=PRIME, drop_outs=True
    ),
    "verified_sum": SumProtocol(
        run=verified_sum, catalogue="I-07", breaks=lambda n: degree(n) + 1, least=3, malicious=True
    ),
}
"""Name in the agreement → protocol."""
