"""How the values of one column spread within each group: one number for every group."""

from __future__ import annotations

import numpy as np
from numba import njit

from .class_spread import (
    AT_LEAST,
    HIERARCHICAL,
    FileDistribution,
    along_tree,
    excess_measure,
    inner,
    spread_measure,
    variety_measure,
)


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


def group_spreads(
    start: np.ndarray, rows: np.ndarray, codes: np.ndarray, kind: int, extra: float, whole: FileDistribution
) -> np.ndarray:
    """Per group: its number of the kind (see :mod:`spread`); ``start`` and ``rows`` are those of ``groups.members``.

    O(n) and what the kind costs per group. There is a kernel for each family of kinds, so that no call waits until the
    others are compiled.
    """
    numbers: np.ndarray
    if kind == HIERARCHICAL:
        numbers = _along_tree(start, rows, codes, whole)
    else:
        numbers = (_variety_by_group if kind < AT_LEAST else _excess_by_group)(start, rows, codes, kind, extra, whole)
    return numbers


@njit(cache=True, nogil=True)
def _variety_by_group(start, rows, codes, kind, extra, whole):
    tally, present = np.zeros(whole.share.size, np.int64), np.empty(whole.share.size, np.int64)
    numbers = np.empty(start.size - 1)
    for g in range(start.size - 1):
        found = _fill_tally(start, rows, codes, g, tally, present)
        numbers[g] = variety_measure(kind, extra, tally, present, found, start[g + 1] - start[g])
        _clear_tally(tally, present, found)
    return numbers


@njit(cache=True, nogil=True)
def _excess_by_group(start, rows, codes, kind, extra, whole):
    tally, present = np.zeros(whole.share.size, np.int64), np.empty(whole.share.size, np.int64)
    numbers = np.empty(start.size - 1)
    for g in range(start.size - 1):
        found = _fill_tally(start, rows, codes, g, tally, present)
        numbers[g] = excess_measure(kind, extra, tally, present, found, start[g + 1] - start[g], whole)
        _clear_tally(tally, present, found)
    return numbers


@njit(cache=True, nogil=True)
def _along_tree(start, rows, codes, whole):
    tally, present = np.zeros(whole.share.size, np.int64), np.empty(whole.share.size, np.int64)
    numbers = np.empty(start.size - 1)
    for g in range(start.size - 1):
        found = _fill_tally(start, rows, codes, g, tally, present)
        numbers[g] = along_tree(tally, found, start[g + 1] - start[g], whole)
        _clear_tally(tally, present, found)
    return numbers


@inner
def _fill_tally(start, rows, codes, g, tally, present):
    """Fill the tally of group g; returns how many codes it has."""
    found = np.int64(0)  # a literal 0 would be a type of its own, for which all is compiled again
    for place in range(start[g], start[g + 1]):
        code = codes[rows[place]]
        if tally[code] == 0:
            present[found] = code
            found += 1
        tally[code] += 1
    return found


@inner
def _clear_tally(tally, present, found):
    for place in range(found):
        tally[present[place]] = 0


@njit(cache=True, nogil=True)
def spreads_of_counts(start, code, count, kind, extra, whole):
    """The same of groups that are given by their counts: ``code[start[g]:start[g+1]]`` occur ``count`` times each."""
    tally, present = np.zeros(whole.share.size, np.int64), np.empty(whole.share.size, np.int64)
    numbers = np.empty(start.size - 1)
    for g in range(start.size - 1):
        total, found = np.int64(0), np.int64(0)
        for place in range(start[g], start[g + 1]):
            present[found] = code[place]
            tally[code[place]] = count[place]
            total += count[place]
            found += 1
        numbers[g] = spread_measure(kind, extra, tally, present, found, total, whole)
        _clear_tally(tally, present, found)
    return numbers
