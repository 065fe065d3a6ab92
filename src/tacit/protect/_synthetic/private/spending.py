r"""Everything that a private synthesis asks of the records goes through here: it is charged first, and noise is OpenDP's.

Neighbours are files of which one has one record more. The budget is ρ of zero-concentrated differential privacy, in exact
fractions, and questions may follow from earlier answers (adaptive composition, Bun and Steinke 2016, lemma 2.3).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ....dp.cost import Cost
from ....dp.event import Event
from ....dp.ledger import Ledger
from ....dp.mechanisms.choice import Exponential
from ....dp.mechanisms.gaussian import Gaussian
from ....dp.neighbours import Neighbours
from ..discrete.coded_records import CodedRecords
from ..discrete.reconcile import NoisyMarginal

NEIGHBOURS: Neighbours = "add_remove"
FINEST = 10**12


def choice_loss(rho: Fraction) -> Fraction:
    """The largest ε, rounded down to 12 decimals, for which a choice by the exponential mechanism costs at most ρ = ε²/8.

    >>> choice_loss(Fraction(1, 2)), choice_loss(Fraction(1, 2)) ** 2 / 8
    (Fraction(2, 1), Fraction(1, 2))
    """
    square = 8 * rho * FINEST**2
    return Fraction(math.isqrt(square.numerator // square.denominator), FINEST)


class Spending:
    """A budget of ρ, the records that it is spent on, and what was asked.

    ``counted`` has the exact records: for scores that a :meth:`choice` is made by, and for nothing else.
    """

    __slots__ = ("counted", "events", "ledger")

    def __init__(self, counted: CodedRecords, rho: Fraction) -> None:
        self.counted = counted
        self.ledger = Ledger(Cost(rho, unit="rho"), neighbours=NEIGHBOURS)
        self.events: list[Event] = []

    @property
    def remaining_rho(self) -> Fraction:
        """What can still be spent."""
        return self.ledger.left.amount

    def noisy_table(self, axes: tuple[int, ...], rho: Fraction, what: str) -> NoisyMarginal:
        """The counts of a table with discrete Gaussian noise of :math:`\\sigma = 1/\\sqrt{2\\rho}` on each (see spending.md)."""
        noise = Gaussian(sensitivity=Fraction(1), rho=rho, neighbours=NEIGHBOURS)
        self._charge_event(noise.event, what)
        counts = self.counted.table(axes)
        noisy = np.array(noise.release_steps(counts.ravel().tolist()), dtype=float)
        return NoisyMarginal(axes, noisy.reshape(counts.shape), noise.scale)

    def choose_candidate(self, scores: Sequence[Fraction | int], sensitivity: int, epsilon: Fraction, what: str) -> int:
        """The place of a candidate by the exponential mechanism; one record moves no score by more than ``sensitivity``."""
        mechanism = Exponential(sensitivity=Fraction(sensitivity), epsilon=epsilon, neighbours=NEIGHBOURS)
        self._charge_event(mechanism.event, what)
        return mechanism.release(scores)

    def _charge_event(self, event: Event, what: str) -> None:
        self.ledger.charge(Cost(event.rho, unit="rho"), neighbours=NEIGHBOURS, what=what)
        self.events.append(event)

    def spent_by_purpose(self) -> dict[str, float]:
        """ρ by what it was spent on, for the trace."""
        found: dict[str, Fraction] = {}
        for charge in self.ledger.charges:
            found[charge.what] = found.get(charge.what, Fraction(0)) + charge.cost.amount
        return {what: float(f"{float(rho):.6g}") for what, rho in found.items()}
