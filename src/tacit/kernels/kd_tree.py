"""A kd-tree over rows of numbers and codes with gaps: boxes that know their range and what is missing in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .selection import quick_select


class Space(NamedTuple):
    """The columns in five runs: full numbers, full codes, numbers with gaps, codes with gaps, floors.

    ``ends`` are those of the first four. Numbers x and y add ``weight · (x − y)²`` to a distance, codes add ``weight``
    when they differ, floors when the query is below the point; a gap (NaN) on one side adds ``missing``, on both sides
    ``both`` (at most ``missing``). Distances that differ by less than ``grain`` are equal.
    """

    ends: tuple[int, int, int, int]
    weight: np.ndarray
    missing: np.ndarray
    both: np.ndarray
    grain: float


class Tree(NamedTuple):
    """Laid out like a heap: node v has the children 2v+1 and 2v+2, leaves stand from ``leaves`` on.

    Node v holds ``points[start[v]:end[v]]``, which were the rows ``rows[start[v]:end[v]]``, in the box from ``low[v]``
    to ``high[v]`` (low above high when all is missing) with ``gaps[v]`` where a value is missing.
    """

    points: np.ndarray
    rows: np.ndarray
    start: np.ndarray
    end: np.ndarray
    low: np.ndarray
    high: np.ndarray
    gaps: np.ndarray
    leaves: int


class SearchWorkspace(NamedTuple):
    """What a search writes into: nodes that wait with their ``bound``, sums of a run, and the points noted.

    ``columns`` are the columns of the runs, for a search by runs, else empty.
    """

    stack: np.ndarray
    bound: np.ndarray
    sums: np.ndarray
    places: np.ndarray
    distances: np.ndarray
    columns: np.ndarray


def build_tree(points: np.ndarray, space: Space, leaf: int) -> Tree:
    """The tree with at most about ``leaf`` points in a leaf; each node is cut at the median of its widest column.

    O(n·d·log n) time, O(n·d) memory.
    """
    return Tree(*_build_tree(points, space, leaf))


@njit(cache=True, nogil=True)
def _build_tree(points, space, leaf):
    n, d = points.shape
    depth = 0
    while (n >> depth) > leaf:
        depth += 1
    leaves, nodes = (1 << depth) - 1, (2 << depth) - 1
    rows, keys = np.arange(n), np.empty(n)
    start, end = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    low, high = np.full((nodes, d), np.inf), np.full((nodes, d), -np.inf)
    gaps = np.zeros((nodes, d), np.bool_)
    end[0] = n
    for v in range(nodes):
        _fill_box(points, rows[start[v] : end[v]], low[v], high[v], gaps[v])
        if v < leaves:
            middle = (start[v] + end[v]) >> 1
            widest = _widest_column(low[v], high[v], space)
            for i in range(start[v], end[v]):
                x = points[rows[i], widest]
                keys[i] = x if x == x else np.inf
            quick_select(keys, rows, start[v], end[v] - 1, middle)
            start[2 * v + 1], end[2 * v + 1] = start[v], middle
            start[2 * v + 2], end[2 * v + 2] = middle, end[v]
    return points[rows], rows, start, end, low, high, gaps, leaves


@njit(cache=True, nogil=True)
def _fill_box(points, rows, low, high, gaps):
    for row in rows:
        for j in range(low.size):
            x = points[row, j]
            if x < low[j]:
                low[j] = x
            if x > high[j]:
                high[j] = x
            if x != x:
                gaps[j] = True


@njit(cache=True, nogil=True)
def _widest_column(low, high, space):
    """The column in which the corners of the box lie farthest apart."""
    widest, most = 0, -1.0
    for j in range(low.size):
        apart = high[j] - low[j]
        if apart > 0.0:
            number = j < space.ends[0] or space.ends[1] <= j < space.ends[2]
            cost = space.weight[j] * (apart * apart if number else 1.0)
            if cost > most:
                widest, most = j, cost
    return widest
