"""How the values of one column spread within each group: one number for every group."""

from __future__ import annotations

import numpy as np
from numba import njit

from .spread import spread

__all__ = ["distinct_and_variational", "spreads", "spreads_of_counts"]


@njit(cache=True, nogil=True)
def distinct_and_variational(start, rows, codes, cardinality):
    """Per group: number of distinct codes, and ½ Σ|p−q| to the distribution q of all rows, in one sweep.

    The two numbers that every report asks for; the others of :mod:`spread` take a sweep each.

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
def spreads(start, rows, codes, kind, extra, whole):
    """Per group: its number of the kind (see :mod:`spread`); ``start`` and ``rows`` are those of ``groups.members``.

    O(n) and what the kind costs per group.
    """
    tally = np.zeros(whole.share.size, np.int64)
    present = np.empty(whole.share.size, np.int64)
    numbers = np.zeros(start.size - 1)
    for g in range(start.size - 1):
        found = 0
        for place in range(start[g], start[g + 1]):
            code = codes[rows[place]]
            if tally[code] == 0:
                present[found] = code
                found += 1
            tally[code] += 1
        numbers[g] = spread(kind, extra, tally, present, found, start[g + 1] - start[g], whole)
        for place in range(found):
            tally[present[place]] = 0
    return numbers


@njit(cache=True, nogil=True)
def spreads_of_counts(start, code, count, kind, extra, whole):
    """The same of groups that are given by their counts: ``code[start[g]:start[g+1]]`` occur ``count`` times each."""
    tally = np.zeros(whole.share.size, np.int64)
    present = np.empty(whole.share.size, np.int64)
    numbers = np.zeros(start.size - 1)
    for g in range(start.size - 1):
        total, found = 0, 0
        for place in range(start[g], start[g + 1]):
            present[found] = code[place]
            tally[code[place]] = count[place]
            total += count[place]
            found += 1
        numbers[g] = spread(kind, extra, tally, present, found, total, whole)
        for place in range(found):
            tally[present[place]] = 0
    return numbers
