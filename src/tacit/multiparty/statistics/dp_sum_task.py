r"""Statistics over a secure sum to which every party has added noise: the result is differentially private.

Noise that nobody knows: each party adds a little to its own numbers, and the sum carries enough for all.

The sum of m discrete Gaussians of scale σ is nearly one of scale √m σ. For a change of the true sums of at most Δ (in L2, over d
numbers) it is ρ-concentrated differentially private with

.. math:: \rho = \tfrac12\left(\frac{\Delta}{\sqrt m\,\sigma} + \tau\sqrt d\right)^2, \qquad
          \tau = 10 \sum_{k=1}^{m-1} e^{-2\pi^2\sigma^2\frac{k}{k+1}}, \qquad \sigma \ge \tfrac12.

τ is what the sum of discrete Gaussians differs from one; from σ = 2 on it is below 10⁻¹⁵. Whoever looks at the sum as a party
knows its own noise, and colluders know theirs, so m counts only the others: of n parties at most n − 1.

References
----------
Kairouz, Liu and Steinke (2021), The distributed discrete Gaussian mechanism for federated learning with secure aggregation,
ICML, proposition 14.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...dp.noise import with_gaussian
from ...errors import TacitError, check_int, format_value
from ..agreement.agreement import Agreement
from ..party import Party
from ..protocols.additive_sum import additive_sum
from ..protocols.protocol import PROTOCOLS, fits_into
from .feasibility import InfeasibleSums, check_others
from .statistic import Statistic, statistic_of
from .sum_task import held_by, note_sums

WIDE = 40
"""Noise beyond so many standard deviations has a chance below 10⁻³⁰⁰: the modulus leaves room for that much."""

FAR = 12
"""Noise carries a sum beyond the bounds by more standard deviations with a chance below 2·e⁻⁷²."""

TINY = 1e-300
"""A number below it is none above 0 any more once it is divided."""

LEAST = 0.5


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
        _check_parameter("rho", rho, "e.g. rho = 0.1")
        _check_parameter("delta", delta, "e.g. delta = 1e-6")
        check_int("colluders", colluders, least=0)
        if colluders >= parties:
            raise TacitError(
                f"{colluders} colluders of {parties} parties leave nobody to protect",
                code="invalid_protocol_input",
                fix=f"at most {parties - 1}",
                where="task",
            )
        return cls(statistic_of(task), float(rho), float(delta), colluders, parties)

    @property
    def leakage(self) -> None:
        """The noise of the others hides every row of theirs, also from the only other party."""

    @property
    def drop_outs(self) -> bool:
        """Everybody's noise is needed."""
        return False

    @property
    def collusion_threshold(self) -> int:
        """With all others together the sum of one party with its own noise is known."""
        return self.parties - 1

    @property
    def unknown_noise_count(self) -> int:
        """How many parties' noise is unknown to those against whom the guarantee is stated: at least one knows its own."""
        return self.parties - max(1, self.colluders)

    @property
    def scales(self) -> list[float]:
        """What each party draws with, number by number."""
        parts = self.statistic.parts
        found: list[float] = []
        for change, numbers in parts:
            scale = shared_scale(self.rho / len(parts), change=change, noisy=self.unknown_noise_count, numbers=numbers)
            found += [scale] * numbers
        return found

    def side_information(self, _me: str) -> None:
        """The noisy sums follow from the figures."""

    def check(self, agreement: Agreement) -> None:
        """The modulus must hold every sum with its noise, and a message all of them."""
        held_by(agreement.modulus, self.statistic.max_sum(self.parties) + math.ceil(WIDE * self._widest_noise))
        fits_into(agreement.max_message, PROTOCOLS["additive_sum"].message(self.parties, self.statistic.length))

    @property
    def _widest_noise(self) -> float:
        return max(self.scales) * math.sqrt(self.parties)

    def load_input(self, frame: pl.DataFrame, _me: str) -> list[int]:
        """What this party counts in its own file, with its share of the noise."""
        counted = self.statistic.numbers(frame)
        return [with_gaussian([number], scale)[0] for number, scale in zip(counted, self.scales, strict=True)]

    async def run(self, seat: Party, own: list[int]) -> Mapping[str, Any]:
        """The noisy sums, what follows from them, and what that cost."""
        sums = seat.ring.to_signed(await additive_sum(seat, seat.ring.words(own)))
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
                raise InfeasibleSums("a sum is farther beyond the agreed bounds than its noise carries it")


def _check_parameter(name: str, value: object, fix: str) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not TINY < value < (1 if name == "delta" else 1e6):  # type: ignore[operator]
        below = " and below 1" if name == "delta" else ""
        raise TacitError(
            f"{name} {format_value(value)} is no number above 0{below}", code="wrong_kind", fix=fix, where="task"
        )


def gaussian_sum_gap(scale: float, noisy: int) -> float:
    """What the sum of discrete Gaussians differs from a discrete Gaussian.

    >>> gaussian_sum_gap(0.5, 1), 0 < gaussian_sum_gap(2, 5) < 1e-15
    (0, True)
    """
    return 10 * sum(math.exp(-2 * math.pi**2 * scale**2 * k / (k + 1)) for k in range(1, noisy))


def privacy_loss(scale: float, *, change: float, noisy: int, numbers: int) -> float:
    """ρ of the sum of ``noisy`` parties' noise of this scale, for a change of the true sums of at most ``change``.

    >>> round(privacy_loss(scale=20.0, change=10.0, noisy=3, numbers=1), 4)
    0.0417
    """
    if scale < LEAST:
        raise TacitError(
            f"noise of scale {scale:g} is too fine for the bound on its sum", code="too_large", fix="spend less rho"
        )
    return (change / (math.sqrt(noisy) * scale) + gaussian_sum_gap(scale, noisy) * math.sqrt(numbers)) ** 2 / 2


def shared_scale(rho: float, *, change: float, noisy: int, numbers: int) -> float:
    """The scale that each party draws with so that the sum costs at most ρ: the smallest, to nine digits.

    >>> round(shared_scale(0.5, change=10, noisy=4, numbers=1), 4)
    5.0
    """

    def costs(scale: float) -> float:
        return privacy_loss(scale, change=change, noisy=noisy, numbers=numbers)

    low = high = max(LEAST, change / math.sqrt(2 * rho * noisy))
    while costs(high) > rho:
        low, high = high, 2 * high
    while high > low * (1 + 1e-9):
        middle = (low + high) / 2
        low, high = (low, middle) if costs(middle) <= rho else (middle, high)
    return high
