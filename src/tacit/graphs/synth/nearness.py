"""How the chance of an edge falls with its length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .positive import positive

__all__ = ["NEARNESS", "Exponential", "Nearness", "Power"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential:
    """Chance ∝ exp(−distance / length): acquaintances live within a few lengths of each other."""

    length: float

    def __post_init__(self) -> None:
        positive("length", self.length)

    def logs(self, distances: np.ndarray) -> np.ndarray:
        """The logarithm of the chance, up to a constant."""
        return -distances / self.length


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """Chance ∝ distance^−exponent: some edges are very long. Below ``least`` nearness makes no difference."""

    exponent: float
    least: float

    def __post_init__(self) -> None:
        positive("exponent", self.exponent)
        positive("least", self.least)

    def logs(self, distances: np.ndarray) -> np.ndarray:
        """The logarithm of the chance, up to a constant."""
        found: np.ndarray = -self.exponent * np.log(np.maximum(distances, self.least))
        return found


NEARNESS: dict[str, type] = {"exponential": Exponential, "power": Power}
"""The kernels by their name in a plan."""
Nearness: TypeAlias = Exponential | Power
