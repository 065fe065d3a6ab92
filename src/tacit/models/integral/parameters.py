"""Models that are rows of numbers on a grid: their coding, their distance, and the parameters that all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .design import Design, checked_on
from .grid import Grid, checked_grid, checked_step
from .learner import Key

if TYPE_CHECKING:
    from ...release.release import Release


class Parameters:
    """Models that are rows of parameters on a grid: their distance is the largest difference of one, in steps of rounding."""

    __slots__ = ()
    on: tuple[str, ...] | None
    grid: Grid
    rounding: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", checked_on(self.on))
        object.__setattr__(self, "grid", checked_grid(self.grid))
        checked_step("rounding", self.rounding)

    def matrix(self, design: Design, release: Release) -> np.ndarray:
        """Amounts in steps from their origins, 0 or 1 for labels."""
        return design.scaled_matrix(release)

    def trim_design(self, key: Key, design: Design) -> tuple[Key, Design]:
        """All of it is needed: every feature has its parameter."""
        return key, design

    def positions(self, keys: Sequence[Key], features: np.ndarray) -> np.ndarray:  # noqa: ARG002 - trees need them
        """The parameters themselves, those of several centres one after the other."""
        return np.array(keys, dtype=float).reshape(len(keys), -1)

    def distances_to(self, position: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """The largest difference of a parameter (Chebyshev)."""
        found: np.ndarray = np.abs(positions - position).max(axis=1)
        return found
