"""Values between declared bounds as whole numbers: noise on them is exact, and so is the sensitivity of their sums."""

from __future__ import annotations

import numpy as np

LEVELS = 2**20
"""Steps from the lowest to the highest value: the grid comes from the declared bounds, never from the data."""


def on_grid(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """The step of the grid that is nearest to each value, from 0 to LEVELS; beyond the bounds the step at the bound. O(n).

    Whatever floating point does to a value, it stays a step of the grid: one record moves by at most LEVELS.

    >>> on_grid(np.array([-5.0, 0.0, 50.0, 100.0, 900.0]), 0, 100).tolist() == [0, 0, 2**19, 2**20, 2**20]
    True
    """
    share = (np.clip(values, low, high) - low) / (high - low)
    found: np.ndarray = np.clip(np.rint(share * LEVELS), 0, LEVELS).astype(np.int64)
    return found


def off_grid(steps: np.ndarray, low: float, high: float) -> np.ndarray:
    """Steps as values again, also those that noise has moved beyond the bounds."""
    found: np.ndarray = low + np.asarray(steps, dtype=float) / LEVELS * (high - low)
    return found
