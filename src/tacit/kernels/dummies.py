"""Which values to add to one class so that its distributions come near those of the file."""

from __future__ import annotations

import numpy as np
from numba import njit

from .spread import inner

__all__ = ["added", "far"]


@njit(cache=True, nogil=True)
def far(tally, total, share, ordered):
    """The variational or ordered distance between the tally's distribution and the share; 0 without values."""
    if total == 0:
        return 0.0
    apart, over = 0.0, 0.0
    for v in range(tally.size):
        gap = tally[v] / total - share[v]
        over += gap
        apart += abs(over) if ordered else 0.5 * abs(gap)
    return apart / max(1, tally.size - 1) if ordered else apart


@inner
def _best(tally, total, share, ordered):
    """The value whose addition helps most: the one furthest below its share, or that with the least ordered distance."""
    best, least = 0, np.inf
    if not ordered:
        for v in range(tally.size):
            surplus = tally[v] - share[v] * (total + 1)
            if surplus < least:
                best, least = v, surplus
        return best
    over = np.empty(tally.size)
    reached = 0.0
    for v in range(tally.size):
        reached += tally[v] - share[v] * (total + 1)
        over[v] = reached
    change = 0.0
    for v in range(tally.size - 1, -1, -1):
        change += abs(over[v] + 1.0) - abs(over[v])
        if change < least:
            best, least = v, change
    return best


@njit(cache=True, nogil=True)
def added(tally, bounds, share, ordered, t, most):
    """Rows of values, one per column, whose addition brings every column within its t; ``tally`` is changed.

    Column j has the codes ``bounds[j]:bounds[j+1]`` of ``tally`` and ``share``. A column without any value in the class
    is left alone: −1. One row after the other, each column its best value; ends after ``most`` rows. O(rows · codes).
    """
    columns = ordered.size
    total = np.zeros(columns, np.int64)
    for j in range(columns):
        for v in range(bounds[j], bounds[j + 1]):
            total[j] += tally[v]
    rows = np.empty((16, columns), np.int64)
    count = 0
    while count < most and not _near(tally, bounds, share, ordered, t, total):
        if count == rows.shape[0]:
            wider = np.empty((2 * count, columns), np.int64)
            for i in range(count):  # a slice of two dimensions would take seconds to compile
                for j in range(columns):
                    wider[i, j] = rows[i, j]
            rows = wider
        for j in range(columns):
            low, high = bounds[j], bounds[j + 1]
            rows[count, j] = -1
            if total[j] > 0:
                value = _best(tally[low:high], total[j], share[low:high], ordered[j])
                rows[count, j] = value
                tally[low + value] += 1
                total[j] += 1
        count += 1
    return rows[:count]


@inner
def _near(tally, bounds, share, ordered, t, total):
    for j in range(ordered.size):
        low, high = bounds[j], bounds[j + 1]
        if far(tally[low:high], total[j], share[low:high], ordered[j]) > t:
            return False
    return True
