"""Statistics over a secure sum to which every party has added noise: the result is differentially private (I-04)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...dp.noise import with_gaussian
from ...errors import TacitError, typed, whole
from ..agreement.agreement import Agreement
from ..protocols.additive_sum import additive_sum
from ..protocols.protocol import PROTOCOLS, fits_into
from ..seat import Seat
from .feasible import Beyond, check_others
from .shared_noise import shared_scale
from .statistic import Statistic, statistic_of
from .sum_task import held_by, note_sums

__all__ = ["DpSumTask"]

WIDE = 40
"""Noise beyond so many standard deviations has a chance below 10⁻³⁰⁰: the modulus leaves room for that much."""
FAR = 12
"""Noise carries a sum beyond the bounds by more standard deviations with a chance below 2·e⁻⁷²."""
TINY = 1e-300
"""A number below it is none above 0 any more once it is divided."""


@dataclass(frozen=True, slots=True)
class DpSumTask:
    """A statistic with noise against everybody who sees it, each party and up to ``colluders`` of them together among them.

    Every party knows its own noise, so against it only that of the others counts: :attr:`noisy` = parties − max(1, ``colluders``). One
    row more or less anywhere changes the result's distribution by at most ρ in concentrated differential privacy. The ρ is split evenly over
    the parts of the statistic: the number of rows, and each sum, product or histogram.
    """

    statistic: Statistic
    rho: float
    delta: float
    colluders: int
    parties: int

    @classmethod
    def of(cls, agreement: Agreement) -> DpSumTask:
        """What an agreement asks for: ``rho``, ``delta`` and ``colluders`` beside the statistic."""
        task, parties = dict(agreement.task), len(agreement.members)
        rho, delta, colluders = (task.pop(name, None) for name in ("rho", "delta", "colluders"))
        _check("rho", rho, "e.g. rho = 0.1")
        _check("delta", delta, "e.g. delta = 1e-6")
        whole("colluders", colluders, least=0)
        if colluders >= parties:
            raise TacitError(
                f"{colluders} colluders of {parties} parties leave nobody to protect",
                fix=f"at most {parties - 1}",
                where="task",
            )
        return cls(statistic_of(task), float(rho), float(delta), colluders, parties)

    @property
    def reveals(self) -> None:
        """The noise of the others hides every row of theirs, also from the only other party."""

    @property
    def drop_outs(self) -> bool:
        """Everybody's noise is needed."""
        return False

    @property
    def breaks(self) -> int:
        """With all others together the sum of one party with its own noise is known."""
        return self.parties - 1

    @property
    def noisy(self) -> int:
        """How many parties' noise is unknown to those against whom the guarantee is stated: at least one knows its own."""
        return self.parties - max(1, self.colluders)

    @property
    def scales(self) -> list[float]:
        """What each party draws with, number by number."""
        parts = self.statistic.parts
        found: list[float] = []
        for change, numbers in parts:
            scale = shared_scale(self.rho / len(parts), change=change, noisy=self.noisy, numbers=numbers)
            found += [scale] * numbers
        return found

    def seen(self, _me: str) -> None:
        """The noisy sums follow from the figures."""

    def check(self, agreement: Agreement) -> None:
        """The modulus must hold every sum with its noise, and a message all of them."""
        held_by(agreement.modulus, self.statistic.largest(self.parties) + math.ceil(WIDE * self._widest))
        fits_into(agreement.max_message, PROTOCOLS["additive_sum"].message(self.parties, self.statistic.length))

    @property
    def _widest(self) -> float:
        return max(self.scales) * math.sqrt(self.parties)

    def own(self, frame: pl.DataFrame, _me: str) -> list[int]:
        """What this party counts in its own file, with its share of the noise."""
        counted = self.statistic.numbers(frame)
        return [with_gaussian([number], scale)[0] for number, scale in zip(counted, self.scales, strict=True)]

    async def run(self, seat: Seat, own: list[int]) -> Mapping[str, Any]:
        """The noisy sums, what follows from them, and what that cost."""
        sums = seat.ring.signed(await additive_sum(seat, seat.ring.words(own)))
        note_sums(seat, sums)
        check_others(sums, own, self.parties - 1, self._check_sums, step="the sums")
        epsilon = self.rho + 2 * math.sqrt(self.rho * math.log(1 / self.delta))
        privacy = {"rho": self.rho, "epsilon": epsilon, "delta": self.delta, "colluders": self.colluders}
        noise = {"standard deviation of the number of rows": self.scales[0] * math.sqrt(self.parties)}
        return {**self.statistic.figures(sums), "privacy": privacy, "noise": noise}

    def _check_sums(self, sums: Sequence[int], parties: int) -> None:
        """Noise may carry a sum beyond what the bounds allow, but not farther than :data:`FAR` of its standard deviations."""
        for total, (low, high), scale in zip(sums, self.statistic.intervals(parties), self.scales, strict=True):
            room = FAR * scale * math.sqrt(parties)
            if not low - room <= total <= high + room:
                raise Beyond("a sum is farther beyond the agreed bounds than its noise carries it")


def _check(name: str, value: object, fix: str) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not TINY < value < (1 if name == "delta" else 1e6):  # type: ignore[operator]
        below = " and below 1" if name == "delta" else ""
        raise TacitError(f"{name} {typed(value)} is no number above 0{below}", fix=fix, where="task")
