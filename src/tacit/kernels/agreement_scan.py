"""Pairs of two files one by one: how far each agrees on every column, and which are the best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

TIED = 1e-12
TILE = 2048
"""Points that are compared at a time, so that they stay in the nearest cache."""


class Pairs(NamedTuple):
    """Two files of distinct rows, and how they are compared.

    Query q meets condition k with point p iff ``low[k, p] ≤ value[q, k] ≤ high[k, p]``. The conditions of column c are
    ``columns[c] ≤ k < columns[c+1]``, each stricter than the one before. A gap (NaN) on one side makes the column
    unknown, on both sides too unless ``own``: then all its conditions are met. The state of a column is 0 when it is
    unknown, 1 when no condition is met, and one more for each that is; where ``full`` (there are no gaps) one less.
    Query q is compared with the points ``begin[q] ≤ p < end[q]``.
    """

    low: np.ndarray
    high: np.ndarray
    value: np.ndarray
    columns: np.ndarray
    full: np.ndarray
    own: bool
    begin: np.ndarray
    end: np.ndarray


@njit(cache=True, nogil=True)
def _add_states(pairs, q, c, first, stride, states):
    """Add ``stride`` times the state of column c to ``states``, for the points from ``first`` on; plain loops, for SIMD."""
    begin, end = pairs.columns[c], pairs.columns[c + 1]
    gap = pairs.value[q, begin] != pairs.value[q, begin]
    last = first + states.size
    if not pairs.full[c]:
        low = pairs.low[begin, first:last]
        if not gap:
            for i in range(states.size):
                states[i] += stride if low[i] == low[i] else 0
        elif pairs.own:
            for i in range(states.size):
                states[i] += stride * (end - begin + 1) if low[i] != low[i] else 0
    if gap:
        return
    for k in range(begin, end):
        x, low, high = pairs.value[q, k], pairs.low[k, first:last], pairs.high[k, first:last]
        for i in range(states.size):
            states[i] += stride if (low[i] <= x) & (x <= high[i]) else 0


@njit(cache=True, nogil=True)
def pattern_counts(pairs, stride, weights, queries, counts):
    """Add to ``counts`` the number of record pairs of each pattern, for some queries; O(queries · points) time.

    A pattern is numbered by its columns' states times ``stride``; ``weights`` are how many records each point and each
    query stands for.
    """
    of_point, of_query = weights
    room = np.empty(TILE, np.int64)
    for q in queries:
        for first in range(pairs.begin[q], pairs.end[q], TILE):
            states = room[: min(TILE, pairs.end[q] - first)]
            states[:] = 0
            for c in range(stride.size):
                _add_states(pairs, q, c, first, stride[c], states)
            for i in range(states.size):
                counts[states[i]] += of_point[first + i] * of_query[q]


@njit(cache=True, nogil=True)
def pattern_keys(pairs, stride, q):
    """The pattern of one query with each of its points."""
    keys = np.zeros(pairs.end[q] - pairs.begin[q], np.int64)
    for c in range(stride.size):
        _add_states(pairs, q, c, pairs.begin[q], stride[c], keys)
    return keys


@njit(cache=True, nogil=True)
def best_pairs(pairs, score, extra, queries):
    """For each of some queries the points of the highest total score, ties within 1e-12 included.

    State s of column c scores ``score[c, s]``; the highest one ``extra[q, c]`` more, but no less than the one below.
    Gives how many points each query has, the points, and the scores. O(queries · points) time, O(points) memory.
    """
    sizes, best = np.zeros(queries.size, np.int64), np.full(queries.size, -np.inf)
    found, total = np.empty(2 * queries.size, np.int64), 0
    room = np.empty(pairs.low.shape[1])
    for i in range(queries.size):
        q = queries[i]
        totals = room[: pairs.end[q] - pairs.begin[q]]
        _score_pairs(pairs, q, score, extra, totals)
        for p in range(totals.size):
            best[i] = max(best[i], totals[p])
        least = best[i] - TIED * max(1.0, abs(best[i]))
        for p in range(totals.size):
            if totals[p] >= least:
                if total == found.size:
                    found = np.concatenate((found, np.empty(found.size, np.int64)))
                found[total] = pairs.begin[q] + p
                total += 1
                sizes[i] += 1
    return sizes, found[:total].copy(), best


@njit(cache=True, nogil=True)
def _score_pairs(pairs, q, score, extra, totals):
    room, gains = np.empty(TILE, np.int64), np.empty(score.shape[1])
    totals[:] = 0.0
    for place in range(0, totals.size, TILE):
        states = room[: min(TILE, totals.size - place)]
        for c in range(score.shape[0]):
            states[:] = 0
            _add_states(pairs, q, c, pairs.begin[q] + place, 1, states)
            gains[:] = score[c]
            top = pairs.columns[c + 1] - pairs.columns[c] + (0 if pairs.full[c] else 1)
            if extra[q, c] != 0.0:
                gains[top] = max(gains[top] + extra[q, c], gains[top - 1])
            for i in range(states.size):
                totals[place + i] += gains[states[i]]
