"""Noisy counts as counts that can be."""

from __future__ import annotations

import numpy as np


def on_simplex(table: np.ndarray) -> np.ndarray:
    """The nearest table without counts below 0 and with the same sum (at least 1). O(cells log cells).

    >>> on_simplex(np.array([3.0, -1.0, 2.0])).tolist()
    [2.5, 0.0, 1.5]

    References
    ----------
    Duchi, Shalev-Shwartz, Singer and Chandra (2008), Efficient projections onto the ℓ1-ball for learning in high dimensions,
    ICML, 272–279.
    """
    ordered = np.sort(table.ravel())[::-1]
    excess = (np.cumsum(ordered) - max(1.0, float(table.sum()))) / np.arange(1, table.size + 1)
    taken = excess[np.flatnonzero(ordered > excess)[-1]]
    found: np.ndarray = np.maximum(table - taken, 0.0)
    return found
