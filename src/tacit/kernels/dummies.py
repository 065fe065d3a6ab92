"""Which values to add to one class so that its distributions come near those of the file."""

from __future__ import annotations

import numpy as np
from numba import njit

from .class_spread import ORDERED, VARIATIONAL, FileDistribution, excess_measure, inner


@njit(cache=True, nogil=True)
def distribution_distance(tally, total, share, ordered, known):
    """The variational or ordered distance between the tally's distribution and the share; 0 without values.

    The first ``known`` codes are values; a code after them stands for missing. O(codes log codes).
    """
    present, found = np.empty(tally.size, np.int64), np.int64(0)
    for v in range(tally.size):
        if tally[v] > 0:
            present[found] = v
            found += 1
    cumulated = np.cumsum(share)
    prefix = np.zeros(tally.size + 1)
    prefix[1:] = np.cumsum(cumulated)
    whole = FileDistribution(share, cumulated, prefix, np.zeros((0, tally.size), np.int64), known)
    return excess_measure(ORDERED if ordered else VARIATIONAL, 0.0, tally, present, found, total, whole)


@inner
def _best_addition(tally, total, share, ordered, known):
    """The value whose addition helps most: the one furthest below its share, or that with the least ordered distance."""
    if not ordered:
        best, least = 0, np.inf
        for v in range(tally.size):
            surplus = tally[v] - share[v] * (total + 1)
            if surplus < least:
                best, least = v, surplus
        return best
    best = _best_in_order(tally[:known], total, share[:known])
    if known == tally.size:
        return best
    with_value, with_missing = tally.copy(), tally.copy()
    with_value[best] += 1
    with_missing[known] += 1
    if distribution_distance(with_missing, total + 1, share, True, known) < distribution_distance(
        with_value, total + 1, share, True, known
    ):
        best = known
    return best


@inner
def _best_in_order(tally, total, share):
    """The value whose addition lowers the sum of the cumulated differences most."""
    best, least = 0, np.inf
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
def rows_to_add(tally, bounds, share, ordered, known, t, most):
    """Rows of values, one per column, whose addition brings every column within its t; ``tally`` is changed.

    Column j has the codes ``bounds[j]:bounds[j+1]`` of ``tally`` and ``share``, the first ``known[j]`` of them values. A column without any value in the class
    is left alone: −1. One row after the other, each column its best value; ends after ``most`` rows. O(rows · codes).
    """
    columns = ordered.size
    total = np.zeros(columns, np.int64)
    for j in range(columns):
        for v in range(bounds[j], bounds[j + 1]):
            total[j] += tally[v]
    rows = np.empty((16, columns), np.int64)
    count = 0
    while count < most and not _is_within_t(tally, bounds, share, ordered, known, t, total):
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
                value = _best_addition(tally[low:high], total[j], share[low:high], ordered[j], known[j])
                rows[count, j] = value
                tally[low + value] += 1
                total[j] += 1
        count += 1
    return rows[:count]


@inner
def _is_within_t(tally, bounds, share, ordered, known, t, total):
    for j in range(ordered.size):
        low, high = bounds[j], bounds[j + 1]
        if distribution_distance(tally[low:high], total[j], share[low:high], ordered[j], known[j]) > t:
            return False
    return True
