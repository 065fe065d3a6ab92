"""The distribution of the noise: discrete Laplace where ε is counted, discrete Gaussian where ρ is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..cost import Unit
from ..noise import gaussian_scale_of_square, laplace_scale, with_gaussian, with_laplace
from . import discrete_gaussian, discrete_laplace


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The largest change of a vector of figures: sum of the absolute changes, and sum of their squares.

    Laplace noise answers for the first (Δ₁), Gaussian noise for the second (Δ₂²).
    """

    l1: int
    l2_squared: int


@dataclass(frozen=True, slots=True)
class NoiseDistribution:
    """P(z) ∝ exp(−|z|/scale) or exp(−z²/(2·scale²)) on the whole numbers (Canonne, Kamath and Steinke 2020)."""

    unit: Unit
    scale: float

    @classmethod
    def of(cls, sensitivity: Sensitivity, spend: Fraction, unit: Unit) -> NoiseDistribution:
        """The least noise that hides a change of ``sensitivity`` for ``spend``: scale Δ₁/ε, or Δ₂/√(2ρ)."""
        if unit == "epsilon":
            return cls(unit, laplace_scale(sensitivity.l1, spend))
        return cls(unit, gaussian_scale_of_square(sensitivity.l2_squared, spend))

    def add_noise(self, values: Sequence[int]) -> list[int]:
        """Each value with its own noise, drawn in one call."""
        return with_laplace(values, self.scale) if self.unit == "epsilon" else with_gaussian(values, self.scale)

    def half_width(self, miss: float = 0.05) -> int:
        """The least h with P(|Z| > h) ≤ ``miss``."""
        tail = discrete_laplace.half_width if self.unit == "epsilon" else discrete_gaussian.half_width
        return tail(self.scale, miss)

    def tail_threshold(self, chance: float) -> int:
        """The least t ≥ 1 with P(Z ≥ t) ≤ ``chance``."""
        tail = discrete_laplace.tail_threshold if self.unit == "epsilon" else discrete_gaussian.tail_threshold
        return tail(self.scale, chance)
