"""Points inside a window of each query: how many there are, and which of them cost least.

For somebody who knows how values were masked: a window says where the value of a person can have gone, a table what
each change of a category costs. Nodes of the tree that lie beyond a window are never opened.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit

from .kd_tree import Space, build_tree
from .nearest import CODE, FLOOR, NUMBER, Costs

TABLE, AWAY = 3, 4
"""Kinds beside those of :mod:`.nearest`: a cost that is looked up, and ``weight · max(0, 1 − |x − y|)``."""

LEAF = 12
CHUNK = 2048
TIED = 1e-12
GRAIN = 1e-24
SHORT = 32
"""Up to so many codes of a node are looked up one by one; a wider node is taken to hold the best of all."""


class Windows(NamedTuple):
    """The lowest and the highest value that a point may have, for each query and column; ±inf where there is no bound."""

    low: np.ndarray
    high: np.ndarray


class Tables(NamedTuple):
    """Column j costs ``values[start[j] + x · width[j] + y]``, x of the query and y of the point; inf: impossible.

    No cost is below 0, and no cell of such a column is missing.
    """

    values: np.ndarray
    start: np.ndarray
    width: np.ndarray


class RangeMatches(NamedTuple):
    """``inside[q]``: how many points query q may be, 2 for more; ``least[q]``: the least cost, inf when there is none.

    ``points[start[q]:start[q+1]]`` are the possible points of least cost, in no particular order.
    """

    inside: np.ndarray
    least: np.ndarray
    start: np.ndarray
    points: np.ndarray


def search_ranges(
    points: np.ndarray,
    queries: np.ndarray,
    costs: Costs,
    windows: Windows,
    tables: Tables,
    *,
    count: bool = False,
    told: Callable[[float], None] | None = None,
) -> RangeMatches:
    """For each query the points within its window, counted up to two, and those of least cost, ties within 1e-12.

    A gap (NaN) of a point is never beyond a window. Costs are those of :func:`.nearest.nearest`, and tables. With
    ``count`` only the number matters: the search of a query ends at the second point, and ``points`` has those
    seen. Exact; about O(log n) time per query when few points are possible, up to O(n·d); memory O((n + m)·d +
    answers). There is at least one point and one query.
    """
    split = Space((points.shape[1],) * 4, _cut_weights(points, costs, windows), costs.missing, costs.both, 0.0)
    tree = build_tree(np.ascontiguousarray(points), split, LEAF)
    # Queries that lie close together are answered one after the other: the same leaves, and a good first guess.
    visit = build_tree(np.ascontiguousarray(queries), split, LEAF).rows
    chunks = [visit[at : at + CHUNK] for at in range(0, len(visit), CHUNK)]
    inside, least = np.zeros(len(visit), np.int64), np.full(len(visit), np.inf)
    sizes, answers = [], []
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(chunks))) as pool:
        parts = pool.map(lambda chunk: _search_chunk(queries, chunk, windows, tree, costs, tables, count), chunks)
        for done, (chunk, (number, lowest, size, found)) in enumerate(zip(chunks, parts, strict=True)):
            inside[chunk], least[chunk] = number, lowest
            sizes.append(size)
            answers.append(found)
            if told is not None:
                told((done + 1) / len(chunks))
    size = np.concatenate(sizes)
    order = np.argsort(np.repeat(visit, size), kind="stable")
    start = np.zeros(len(visit) + 1, np.int64)
    start[visit + 1] = size
    return RangeMatches(inside, least, np.cumsum(start), np.concatenate(answers)[order])


def _cut_weights(points: np.ndarray, costs: Costs, windows: Windows) -> np.ndarray:
    """Weights for the cuts of the tree: how many windows, or units of cost, fit into a column."""
    weight = np.zeros(points.shape[1])
    for j in range(points.shape[1]):
        known = points[:, j][np.isfinite(points[:, j])]
        extent = float(known.max() - known.min()) if known.size else 0.0
        if not extent > 0.0:
            continue
        width = extent
        if costs.kind[j] == NUMBER and costs.weight[j] > 0.0:
            width = min(width, 1.0 / np.sqrt(costs.weight[j]))
        low, high = np.maximum(windows.low[:, j], known.min()), np.minimum(windows.high[:, j], known.max())
        width = min(width, float(np.clip(high - low, 0.0, extent).mean()))
        weight[j] = (max(width, extent / len(points)) / extent) ** -2.0 / (extent * extent)
    return weight


@njit(cache=True, nogil=True)
def _search_chunk(queries, chunk, windows, tree, costs, tables, count):
    """For each query of the chunk the points possible, the least cost, the number of points that have it, and these."""
    inside, least = np.zeros(chunk.size, np.int64), np.full(chunk.size, np.inf)
    sizes = np.zeros(chunk.size, np.int64)
    answers, total = np.empty(2 * chunk.size, np.int32), 0
    path = np.empty(64, np.int64), np.empty(64)
    noted = np.empty(64, np.int64), np.empty(64)
    grain = GRAIN * costs.missing.sum()
    near = 0
    for c in range(chunk.size):
        asked = queries[chunk[c]], windows.low[chunk[c]], windows.high[chunk[c]]
        limit = np.inf
        if _is_within_window(asked, tree.points, near):
            limit = _point_cost(asked[0], tree.points, near, costs, tables, np.inf) * (1.0 + TIED) + grain
        seen, limit, inside[c] = _descend_tree(asked, (limit, grain), tree, costs, tables, count, path, noted)
        if seen > noted[0].size:
            noted = np.empty(seen, np.int64), np.empty(seen)
            seen, limit, inside[c] = _descend_tree(asked, (limit, grain), tree, costs, tables, count, path, noted)
        if total + seen > answers.size:
            answers = np.concatenate((answers, np.empty(answers.size + seen, np.int32)))
        before = total
        for i in range(seen):
            if noted[1][i] <= limit:
                near = noted[0][i]
                least[c] = min(least[c], noted[1][i])
                answers[total] = tree.rows[near]
                total += 1
        sizes[c] = total - before
    return inside, least, sizes, answers[:total].copy()


@njit(cache=True, nogil=True)
def _descend_tree(asked, limits, tree, costs, tables, count, path, noted):
    """How many points were within the limit, which falls with every cheaper one, where it ended, and how many possible.

    The points are noted as far as there is room. A node too dear is still opened until two points are seen.
    """
    stack, bound = path
    places, distances = noted
    limit, grain = limits
    stack[0], bound[0], waiting, seen, inside = 0, 0.0, 1, 0, 0
    while waiting:
        waiting -= 1
        v = stack[waiting]
        if inside >= 2 and bound[waiting] > limit:
            continue
        while v < tree.leaves:
            v, other = 2 * v + 1, 2 * v + 2
            most = limit if inside >= 2 else np.inf
            here, there = (
                _least_node_cost(asked, v, tree, costs, tables, most),
                _least_node_cost(asked, other, tree, costs, tables, most),
            )
            if there < here:
                v, other, here, there = other, v, there, here
            if there < np.inf:
                stack[waiting], bound[waiting] = other, there
                waiting += 1
            if here == np.inf:
                break
        if v < tree.leaves:
            continue
        for i in range(tree.start[v], tree.end[v]):
            if not _is_within_window(asked, tree.points, i):
                continue
            cost = _point_cost(asked[0], tree.points, i, costs, tables, limit if inside >= 2 else np.inf)
            if cost < np.inf:
                inside = min(inside + 1, 2)
                if cost <= limit:
                    limit = min(limit, cost * (1.0 + TIED) + grain)
                    if seen < places.size:
                        places[seen], distances[seen] = i, cost
                    seen += 1
                if count and inside == 2:
                    return seen, limit, inside
    return seen, limit, inside


@njit(cache=True, nogil=True)
def _is_within_window(asked, points, i):
    """Whether point i is within the window; a comparison with a gap is false, so that gaps are within."""
    low, high = asked[1], asked[2]
    for j in range(low.size):  # noqa: SIM110 - compiled, the loop is the faster
        if points[i, j] < low[j] or points[i, j] > high[j]:
            return False
    return True


@njit(cache=True, nogil=True)
def _point_cost(query, points, i, costs, tables, most):
    """What point i costs; infinite as soon as it is more than ``most``."""
    total = 0.0
    for j in range(query.size):
        if total > most:
            return np.inf
        x, y = query[j], points[i, j]
        if x != x or y != y:
            total += costs.both[j] if x != x and y != y else costs.missing[j]
        else:
            total += _least_column_cost(x, y, y, j, costs, tables)
    return total


@njit(cache=True, nogil=True)
def _least_node_cost(asked, v, tree, costs, tables, cap):
    """The least that :func:`_point_cost` gives for a point of node v: the same sum, so that rounding keeps it below.

    Infinite when the node lies beyond the window, and as soon as it is more than ``cap``.
    """
    query, least, most = asked
    for j in range(query.size):
        if (tree.low[v, j] > most[j] or tree.high[v, j] < least[j]) and not tree.gaps[v, j]:
            return np.inf
    total = 0.0
    for j in range(query.size):
        if total > cap:
            return np.inf
        x, gap = query[j], tree.gaps[v, j]
        low, high = max(tree.low[v, j], least[j]), min(tree.high[v, j], most[j])
        if x != x:
            total += costs.both[j] if gap else costs.missing[j]
        elif low > high:
            total += costs.missing[j]
        else:
            cost = _least_column_cost(x, low, high, j, costs, tables)
            total += min(cost, costs.missing[j]) if gap else cost
    return total


@njit(cache=True, nogil=True)
def _least_column_cost(x, low, high, j, costs, tables):
    """The least cost of column j for a value from low to high."""
    kind = costs.kind[j]
    if kind == NUMBER:
        apart = max(low - x, x - high, 0.0)
        return costs.weight[j] * (apart * apart)
    if kind == CODE:
        return costs.weight[j] if x < low or x > high else 0.0
    if kind == FLOOR:
        return costs.weight[j] if x < low else 0.0
    if kind == AWAY:
        return costs.weight[j] * max(1.0 - max(abs(x - low), abs(high - x)), 0.0)
    return _least_table_cost(x, low, high, j, tables)


@njit(cache=True, nogil=True)
def _least_table_cost(x, low, high, j, tables):
    """The least cost in a row of the table."""
    if high - low > SHORT:
        return 0.0
    row = tables.start[j] + int(x) * tables.width[j]
    best = np.inf
    for y in range(int(low), int(high) + 1):
        best = min(best, tables.values[row + y])
    return best
