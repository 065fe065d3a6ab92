"""Whether an interval is as wide as the levels of its cell ask, and by how much it is not."""

from __future__ import annotations

import numpy as np

from ..problem import Problem, is_level_reached

HAIR = 1e-9
"""The share of a figure by which the two ends of a point may differ."""


def is_point(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Which intervals are points, to within what binary fractions lose.

    >>> is_point(np.array([3.0, 3.0]), np.array([3.0, 5.0])).tolist()
    [True, False]
    """
    points: np.ndarray = np.isfinite(low) & (high - low <= HAIR * (1.0 + np.abs(low)))
    return points


def level_shortfall(problem: Problem, cells: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    r"""The largest of what lacks to the lower, upper and sliding level of each cell; 0 where all are met.

    .. math:: \max\{lower - (a - l),\ upper - (h - a),\ sliding - (h - l),\ 0\}

    Where the figure a is not known to the auditor (NaN: somebody else's table), the width must reach lower + upper, which is
    necessary for both.
    """
    values, lower, upper = problem.table.values[cells], problem.lower[cells], problem.upper[cells]
    known, width = np.isfinite(values), high - low
    lacks = np.zeros(len(cells))
    for room, wanted in (
        (np.where(known, values - low, lower), lower),
        (np.where(known, high - values, upper), upper),
        (width, np.maximum(problem.sliding[cells], np.where(known, 0.0, lower + upper))),
    ):
        lacks = np.where(is_level_reached(room, wanted), lacks, np.maximum(lacks, wanted - room))
    return lacks
