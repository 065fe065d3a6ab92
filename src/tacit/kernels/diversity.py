"""How the values of one column spread within each group: distinct values and distance to the whole."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["distinct_and_variational", "ordered_distance"]


@njit(cache=True, nogil=True)
def distinct_and_variational(start, rows, codes, cardinality):
    """Per group: number of distinct codes, and ½ Σ|p−q| to the distribution q of all rows.

    ``start`` and ``rows`` are those of ``groups.members``; a group without rows gets 0 and 0.

    The sum runs over the codes of the group only; those absent add their q: ½(Σ_present |p−q| + 1 − Σ_present q).
    O(n + groups + codes) time.
    """
    count = start.size - 1
    overall = np.zeros(cardinality)
    for i in range(codes.size):
        overall[codes[i]] += 1.0
    overall /= max(1, codes.size)
    tally = np.zeros(cardinality, np.int64)
    present = np.empty(cardinality, np.int64)
    distinct = np.empty(count, np.int64)
    distance = np.empty(count)
    for g in range(count):
        size, found = start[g + 1] - start[g], 0
        for place in range(start[g], start[g + 1]):
            code = codes[rows[place]]
            if tally[code] == 0:
                present[found] = code
                found += 1
            tally[code] += 1
        apart, covered = 0.0, 0.0
        for place in range(found):
            code = present[place]
            apart += abs(tally[code] / size - overall[code])
            covered += overall[code]
            tally[code] = 0
        distinct[g] = found
        distance[g] = min(1.0, max(0.0, 0.5 * (apart + 1.0 - covered))) if size else 0.0
    return distinct, distance


@njit(cache=True, nogil=True)
def ordered_distance(start, rows, codes, cardinality):
    """Per group: the ordered earth mover's distance 1/(m−1) Σ_i |P_i − Q_i| of cumulated shares, codes in order.

    Between two codes of a group P is constant and Q grows, so each stretch is summed from prefix sums of Q after one
    binary search for the crossing: O(n log n + n log m) time instead of O(groups · m).
    """
    count = start.size - 1
    share = np.zeros(cardinality)
    for i in range(codes.size):
        share[codes[i]] += 1.0 / codes.size
    whole = np.cumsum(share)
    prefix = np.zeros(cardinality + 1)
    for code in range(cardinality):
        prefix[code + 1] = prefix[code] + whole[code]
    distance = np.zeros(count)
    for g in range(count):
        inside = np.sort(codes[rows[start[g] : start[g + 1]]])
        total, before, reached = 0.0, 0, 0.0
        for place in range(inside.size):
            total += _stretch(whole, prefix, before, inside[place], reached)
            before, reached = inside[place], (place + 1) / inside.size
        total += _stretch(whole, prefix, before, cardinality, reached)
        distance[g] = min(1.0, max(0.0, total / max(1, cardinality - 1))) if inside.size else 0.0
    return distance


@njit(cache=True, nogil=True)
def _stretch(whole, prefix, low, high, reached):
    """Σ |reached − Q_i| for i in [low, high), Q increasing."""
    if high <= low:
        return 0.0
    cross = low + np.searchsorted(whole[low:high], reached)
    below = reached * (cross - low) - (prefix[cross] - prefix[low])
    above = (prefix[high] - prefix[cross]) - reached * (high - cross)
    return below + above
