"""The nearest points of each query, all ties included, over columns that are numbers or codes and may have gaps.

Ties are decided by a tolerance, because equal distances do not come out as equal floating-point numbers: on a scaled
integer grid ``==`` misjudges two ties in five, a relative tolerance of 1e-12 none.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit

from .groups import group_rows
from .kd_tree import Space, built

__all__ = ["CODE", "FLOOR", "NUMBER", "Costs", "distinct_rows", "nearest"]

NUMBER, CODE, FLOOR = 0, 1, 2

LEAF = 12
CHUNK = 4096
TIED = 1e-12
GRAIN = 1e-24


class Costs(NamedTuple):
    """What a difference adds to the distance of two rows, column by column.

    Numbers x and y add ``weight · (x − y)²``, codes add ``weight`` when they differ, floors when the query is below the
    point (``kind``); a gap (NaN) on one side adds ``missing``, on both sides ``both``, which is at most ``missing``.
    Weighing the differences instead of scaling the values keeps the differences of whole numbers exact. A point that
    stands for a range is two floors: x is at least its low end, and −x at least minus its high end.
    """

    kind: np.ndarray
    weight: np.ndarray
    missing: np.ndarray
    both: np.ndarray


def distinct_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A group number for each row, equal iff the rows are (gaps equal gaps), and one row of each group. O(n·d) time."""
    bits = np.where(np.isnan(matrix), np.nan, matrix + 0.0).view(np.int64)
    columns = [group_rows([bits[:, j]], [2**62]) for j in range(matrix.shape[1])]
    groups, count = group_rows([codes for codes, _ in columns], [size for _, size in columns])
    first = np.empty(count, np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    return groups, first


def nearest(
    points: np.ndarray, queries: np.ndarray, costs: Costs, *, told: Callable[[float], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """For each query all points at the smallest distance d: ``found[start[q]:start[q+1]]``, in no particular order.

    A point is tied when its distance is at most d·(1 + 1e-12) + 1e-24·Σ ``missing``; the last term, far below any real
    difference when ``missing`` is the usual difference of two rows, makes what is zero but for rounding tie with zero.
    ``told`` hears the share done. Exact; about O(log n) time per query in few columns, up to O(n·d) in many; memory
    O((n + m)·d + answers). There is at least one point and one query. Rows that stand several times cost their
    number again: collapse them with :func:`distinct_rows`.
    """
    gaps = np.isnan(points).any(0) | np.isnan(queries).any(0)
    gaps |= costs.kind == FLOOR
    order = np.lexsort((costs.kind, gaps))
    space = _space(costs, gaps, order)
    points, queries = np.ascontiguousarray(points[:, order]), np.ascontiguousarray(queries[:, order])
    tree = built(points, space, LEAF)
    # Queries that lie close together are answered one after the other: the same leaves, and a good first guess.
    visit = built(queries, space, LEAF).rows
    chunks = [visit[at : at + CHUNK] for at in range(0, len(visit), CHUNK)]
    sizes, answers = [], []
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(chunks))) as pool:
        for done, (size, found) in enumerate(pool.map(lambda chunk: _searched(queries, chunk, tree, space), chunks)):
            sizes.append(size)
            answers.append(found)
            if told is not None:
                told((done + 1) / len(chunks))
    return _in_query_order(visit, np.concatenate(sizes), np.concatenate(answers))


def _space(costs: Costs, gaps: np.ndarray, order: np.ndarray) -> Space:
    numbers, full = int((~gaps & (costs.kind == NUMBER)).sum()), int((~gaps).sum())
    ends = numbers, full, full + int((gaps & (costs.kind == NUMBER)).sum()), int((costs.kind != FLOOR).sum())
    weight, missing, both = (np.ascontiguousarray(part[order], dtype=np.float64) for part in costs[1:])
    return Space(ends, weight, missing, both, GRAIN * float(missing.sum()))


def _in_query_order(visit: np.ndarray, sizes: np.ndarray, answers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    start = np.zeros(len(visit) + 1, np.int64)
    start[visit + 1] = sizes
    np.cumsum(start, out=start)
    shift = start[visit] - (np.cumsum(sizes) - sizes)
    found = np.empty_like(answers)
    found[np.arange(len(answers)) + np.repeat(shift, sizes)] = answers
    return start, found


@njit(cache=True, nogil=True)
def _searched(queries, chunk, tree, space):
    """The number of nearest points of each query of the chunk, and the points."""
    sizes = np.empty(chunk.size, np.int64)
    answers, total = np.empty(2 * chunk.size, np.int32), 0
    path = np.empty(64, np.int64), np.empty(64)
    noted = np.empty(64, np.int64), np.empty(64)
    near = 0
    for c in range(chunk.size):
        query = queries[chunk[c]]
        first = _numbers(query, tree.points, near, space) + _codes(query, tree.points, near, space.weight, space.ends)
        first += _gaps(query, tree.points, near, space)
        seen, limit = _descend(query, _limit(first, space), tree, space, path, noted)
        if seen > noted[0].size:
            noted = np.empty(seen, np.int64), np.empty(seen)
            seen, limit = _descend(query, limit, tree, space, path, noted)
        if total + seen > answers.size:
            answers = np.concatenate((answers, np.empty(answers.size + seen, np.int32)))
        before = total
        for i in range(seen):
            if noted[1][i] <= limit:
                near = noted[0][i]
                answers[total] = tree.rows[near]
                total += 1
        sizes[c] = total - before
    return sizes, answers[:total].copy()


@njit(cache=True, nogil=True)
def _descend(query, limit, tree, space, path, noted):
    """How many points were within the limit, which falls with every nearer one, and where it ended.

    The points are noted as far as there is room: growing the room in here would halve the speed.
    """
    stack, bound = path
    places, distances = noted
    points, low, high, weight, ends = tree.points, tree.low, tree.high, space.weight, space.ends
    codes, gaps = ends[0] < ends[1], ends[1] < query.size
    stack[0], bound[0], waiting, seen = 0, 0.0, 1, 0
    while waiting:
        waiting -= 1
        v = stack[waiting]
        if bound[waiting] > limit:
            continue
        while v < tree.leaves:
            v, other = 2 * v + 1, 2 * v + 2
            here, there = _least_numbers(query, v, tree, space), _least_numbers(query, other, tree, space)
            if codes:
                here += _least_codes(query, low, high, v, weight, ends)
                there += _least_codes(query, low, high, other, weight, ends)
            if gaps:
                here += _least_gaps(query, v, tree, space)
                there += _least_gaps(query, other, tree, space)
            if there < here:
                v, other, there = other, v, here
            if there <= limit:
                stack[waiting], bound[waiting] = other, there
                waiting += 1
        for i in range(tree.start[v], tree.end[v]):
            distance = _numbers(query, points, i, space)
            if codes:
                distance += _codes(query, points, i, weight, ends)
            if gaps and distance <= limit:
                distance += _gaps(query, points, i, space)
            if distance <= limit:
                limit = min(limit, _limit(distance, space))
                if seen < places.size:
                    places[seen], distances[seen] = i, distance
                seen += 1
    return seen, limit


@njit(cache=True, nogil=True)
def _limit(distance, space):
    return distance * (1.0 + TIED) + space.grain


@njit(cache=True, nogil=True)
def _numbers(query, points, i, space):
    """What the numbers without gaps add to the distance of point i."""
    total = 0.0
    for j in range(space.ends[0]):
        apart = query[j] - points[i, j]
        total += space.weight[j] * (apart * apart)
    return total


@njit(cache=True, nogil=True)
def _codes(query, points, i, weight, ends):
    """What the codes without gaps add."""
    total = 0.0
    for j in range(ends[0], ends[1]):
        if query[j] != points[i, j]:
            total += weight[j]
    return total


@njit(cache=True, nogil=True)
def _gaps(query, points, i, space):
    """What the columns with gaps, and floors, add."""
    total = 0.0
    for j in range(space.ends[1], query.size):
        x, y = query[j], points[i, j]
        if x != x or y != y:
            total += space.both[j] if x != x and y != y else space.missing[j]
        elif j >= space.ends[3]:
            total += space.weight[j] if x < y else 0.0
        elif j >= space.ends[2]:
            total += space.weight[j] if x != y else 0.0
        else:
            total += space.weight[j] * ((x - y) * (x - y))
    return total


@njit(cache=True, nogil=True)
def _least_numbers(query, v, tree, space):
    """The least that :func:`_numbers` gives for a point of node v: the same sum, so that rounding keeps it below."""
    total = 0.0
    for j in range(space.ends[0]):
        x = query[j]
        if x < tree.low[v, j]:
            apart = tree.low[v, j] - x
            total += space.weight[j] * (apart * apart)
        elif x > tree.high[v, j]:
            apart = x - tree.high[v, j]
            total += space.weight[j] * (apart * apart)
    return total


@njit(cache=True, nogil=True)
def _least_codes(query, low, high, v, weight, ends):
    """The least that :func:`_codes` gives for a point of node v."""
    total = 0.0
    for j in range(ends[0], ends[1]):
        if query[j] < low[v, j] or query[j] > high[v, j]:
            total += weight[j]
    return total


@njit(cache=True, nogil=True)
def _least_gaps(query, v, tree, space):
    """The least that :func:`_gaps` gives for a point of node v."""
    total = 0.0
    for j in range(space.ends[1], query.size):
        x, low, high = query[j], tree.low[v, j], tree.high[v, j]
        if x != x:
            total += space.both[j] if tree.gaps[v, j] else space.missing[j]
        elif low > high:
            total += space.missing[j]
        else:
            apart = max(low - x, x - high if j < space.ends[3] else 0.0, 0.0)
            least = space.weight[j] * (apart * apart if j < space.ends[2] else (1.0 if apart > 0.0 else 0.0))
            total += min(least, space.missing[j]) if tree.gaps[v, j] else least
    return total
