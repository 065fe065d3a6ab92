"""The law of the noise: discrete Laplace where ε is counted, discrete Gaussian where ρ is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ...dp.cost import Unit
from ...dp.mechanisms import discrete_gaussian, discrete_laplace
from ...dp.noise import gaussian_scale, laplace_scale, with_gaussian, with_laplace
from .sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class NoiseDistribution:
    """P(z) ∝ exp(−|z|/scale) or exp(−z²/(2·scale²)) on the whole numbers (Canonne, Kamath and Steinke 2020)."""

    unit: Unit
    scale: float

    @classmethod
    def of(cls, reach: Sensitivity, spend: Fraction, unit: Unit) -> NoiseDistribution:
        """The least noise that hides a change of ``reach`` for ``spend``: scale Δ₁/ε, or Δ₂/√(2ρ)."""
        if unit == "epsilon":
            return cls(unit, laplace_scale(reach.l1, spend))
        return cls(unit, gaussian_scale(1, spend / reach.l2_squared))

    def add_noise(self, values: Sequence[int]) -> list[int]:
        """Each value with its own noise, drawn in one call."""
        if not values:
            return []
        return with_laplace(values, self.scale) if self.unit == "epsilon" else with_gaussian(values, self.scale)

    def half_width(self, miss: float = 0.05) -> int:
        """The least h with P(|Z| > h) ≤ ``miss``."""
        return self._tail_functions.half_width(self.scale, miss)

    def tail_threshold(self, chance: float) -> int:
        """The least t ≥ 1 with P(Z ≥ t) ≤ ``chance``."""
        return self._tail_functions.tail_threshold(self.scale, chance)

    @property
    def _tail_functions(self) -> _TailFunctions:
        return discrete_laplace if self.unit == "epsilon" else discrete_gaussian


class _TailFunctions(Protocol):
    """What either law knows of its tails."""

    def half_width(self, scale: float, miss: float) -> int: ...

    def tail_threshold(self, scale: float, chance: float) -> int: ...
