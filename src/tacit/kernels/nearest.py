"""The nearest points of each query, all ties included, over columns that are numbers or codes and may have gaps.

Ties are decided by a tolerance, because equal distances do not come out as equal floating-point numbers: on a scaled
integer grid ``==`` misjudges two ties in five, a relative tolerance of 1e-12 none.

The nearest points by sums over whole runs of points, a column at a time: for many columns and heavy masking.

There a tree tells little apart, and what counts is the speed of a plain sum. A run is a node of the tree with at most
some two hundred points, which lie side by side; its sums are made four columns at a time in vector registers, and given
up as soon as no point of it can be near enough. The sums are those of the other search, so that ties stay exact.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from .groups import group_rows
from .kd_tree import SearchWorkspace, Space, Tree, build_tree
from .point_distances import (
    codes_apart,
    gaps_apart,
    least_codes,
    least_gaps,
    least_node_distance,
    least_numbers,
    limit_of,
    numbers_apart,
    point_distance,
)

NUMBER, CODE, FLOOR = 0, 1, 2

LEAF = 12

CHUNK = 4096

PILOT = 256

LEAVES_A_RUN = 2.5
"""The sums over a run take as long as so many leaves of the tree."""

FURTHER = 4.0
"""A second distance beyond so many times the smallest says no more."""

GRAIN = 1e-24

RUN = 256
"""At most so many points are summed together; the sums of a run stay in the nearest cache."""


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
    """A group number for each row, equal iff the rows are (gaps equal gaps), and one row of each group. O(n·d) time.

    >>> group, first = distinct_rows(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]))
    >>> group.tolist(), first.tolist()
    ([0, 1, 0], [0, 1])
    """
    bits = np.where(np.isnan(matrix), np.nan, matrix + 0.0).view(np.int64)
    columns = [group_rows([bits[:, j]], [2**62]) for j in range(matrix.shape[1])]
    groups, count = group_rows([codes for codes, _ in columns], [size for _, size in columns])
    first = np.empty(count, np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    return groups, first


class Nearest(NamedTuple):
    """The answers to all queries: ``found[start[q]:start[q+1]]`` are the nearest points of query q.

    ``distance`` is the smallest distance, and ``following`` the second smallest (the same when several points are nearest,
    but for rounding), or FURTHER times the smallest where that is less.
    """

    start: np.ndarray
    found: np.ndarray
    distance: np.ndarray
    following: np.ndarray


def nearest_points(
    points: np.ndarray, queries: np.ndarray, costs: Costs, *, told: Callable[[float], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """For each query all points at the smallest distance d: ``found[start[q]:start[q+1]]``, in no particular order.

    A point is tied when its distance is at most d·(1 + 1e-12) + 1e-24·Σ ``missing``; the last term, far below any real
    difference when ``missing`` is the usual difference of two rows, makes what is zero but for rounding tie with zero.
    ``told`` hears the share done. Exact; about O(log n) time per query in few columns, up to O(n·d) in many, where plain
    sums over runs of points take the place of the tree (a pilot of some queries decides); memory
    O((n + m)·d + answers). There is at least one point and one query. Rows that stand several times cost their
    number again: collapse them with :func:`distinct_rows`.
    """
    answers = _answer_queries(points, queries, costs, further=1.0, told=told)
    return answers.start, answers.found


def nearest_and_next(
    points: np.ndarray, queries: np.ndarray, costs: Costs, *, told: Callable[[float], None] | None = None
) -> Nearest:
    """As :func:`nearest_points`, with the smallest distance and the second smallest; what lies beyond FURTHER times is not looked for."""
    return _answer_queries(points, queries, costs, further=FURTHER, told=told)


def _answer_queries(
    points: np.ndarray, queries: np.ndarray, costs: Costs, *, further: float, told: Callable[[float], None] | None
) -> Nearest:
    points, queries, space = ordered_columns(points, queries, costs)
    tree = build_tree(points, space, LEAF)
    # Queries that lie close together are answered one after the other: the same leaves, and a good first guess.
    visit = build_tree(queries, space, LEAF).rows
    runs = _runs_pay(queries, visit, tree, space, further)
    columns = run_columns(tree) if runs else np.empty(0)
    chunks = [visit[at : at + CHUNK] for at in range(0, len(visit), CHUNK)]
    done = []
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(chunks))) as pool:
        search = partial(_search_chunk, queries, tree=tree, columns=columns, space=space, further=further)
        for number, one in enumerate(pool.map(search, chunks)):
            done.append(one)
            if told is not None:
                told((number + 1) / len(chunks))
    sizes, answers, distances = (np.concatenate(part) for part in list(zip(*done, strict=True))[:3])
    start, found = _in_query_order(visit, sizes, answers)
    by_query = np.empty_like(distances)
    by_query[visit] = distances
    return Nearest(start, found, by_query[:, 0], by_query[:, 1])


def _runs_pay(queries: np.ndarray, visit: np.ndarray, tree: Tree, space: Space, further: float) -> bool:
    """Whether plain sums over runs are faster than the tree: what both would look at for some of the queries."""
    if len(tree.rows) <= RUN or len(visit) < 4 * PILOT:
        return False
    some = visit[np.linspace(0, len(visit) - 1, PILOT).astype(np.int64)]
    by_leaves = _search_chunk(queries, some, tree=tree, columns=np.empty(0), space=space, further=further)[3]
    columns = run_columns(tree)
    by_runs = _search_chunk(queries, some, tree=tree, columns=columns, space=space, further=further)[3]
    return bool(by_leaves > LEAVES_A_RUN * by_runs)


def ordered_columns(points: np.ndarray, queries: np.ndarray, costs: Costs) -> tuple[np.ndarray, np.ndarray, Space]:
    """Both sides with their columns in the order in which a search sums them, and the space of it."""
    gaps = np.isnan(points).any(0) | np.isnan(queries).any(0)
    gaps |= costs.kind == FLOOR
    order = np.lexsort((costs.kind, gaps))
    space = _make_space(costs, gaps, order)
    return np.ascontiguousarray(points[:, order]), np.ascontiguousarray(queries[:, order]), space


def _make_space(costs: Costs, gaps: np.ndarray, order: np.ndarray) -> Space:
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
def _search_chunk(queries, chunk, tree, columns, space, further):
    """Sizes and nearest points of the queries of a chunk, their two smallest distances, and how much was looked at.

    By runs when there are ``columns``, else by leaves.
    """
    sizes, distances = np.empty(chunk.size, np.int64), np.empty((chunk.size, 2))
    answers, total, near, looked = np.empty(2 * chunk.size, np.int32), 0, 0, 0
    room = _make_workspace(64, columns)
    for c in range(chunk.size):
        query = queries[chunk[c]]
        guess = point_distance(query, tree.points, near, space)
        seen, best, second, more = _descend_tree(query, guess, further, tree, space, room)
        looked += more
        if seen > room.places.size:
            room = _make_workspace(seen, columns)
            seen, _, _, _ = _descend_tree(query, best, 1.0, tree, space, room)
        if total + seen > answers.size:
            answers = np.concatenate((answers, np.empty(answers.size + seen, np.int32)))
        before, limit = total, limit_of(best, space)
        for i in range(seen):
            if room.distances[i] <= limit:
                near = room.places[i]
                answers[total] = tree.rows[near]
                total += 1
        sizes[c], distances[c, 0], distances[c, 1] = total - before, best, min(second, further * best)
    return sizes, answers[:total].copy(), distances, looked


@njit(cache=True, nogil=True)
def _descend_tree(query, guess, further, tree, space, room):
    if room.columns.size:
        return descend_to_runs(query, guess, further, tree, space, room)
    return descend_to_leaves(query, guess, further, tree, space, room)


@njit(cache=True, nogil=True)
def _make_workspace(notes, columns):
    return SearchWorkspace(
        np.empty(64, np.int64), np.empty(64), np.empty(RUN), np.empty(notes, np.int64), np.empty(notes), columns
    )


@njit(cache=True, nogil=True)
def descend_to_leaves(query, guess, further, tree, space, room):
    """How many points were noted, the two smallest distances, and how many leaves were looked at.

    No distance is above ``guess``. All points at the smallest are noted, as far as there is room: growing the room in here
    would halve the speed. The second smallest is looked for up to ``further`` times the smallest.
    """
    points, low, high, weight, ends = tree.points, tree.low, tree.high, space.weight, space.ends
    codes, gaps = ends[0] < ends[1], ends[1] < query.size
    best, second, near, reach = np.inf, np.inf, limit_of(guess, space), limit_of(further * guess, space)
    room.stack[0], room.bound[0], waiting, seen, looked = 0, 0.0, 1, 0, 0
    while waiting:
        waiting -= 1
        v = room.stack[waiting]
        if room.bound[waiting] > reach:
            continue
        while v < tree.leaves:
            v, other = 2 * v + 1, 2 * v + 2
            here, there = least_numbers(query, v, tree, space), least_numbers(query, other, tree, space)
            if codes:
                here += least_codes(query, low, high, v, weight, ends)
                there += least_codes(query, low, high, other, weight, ends)
            if gaps:
                here += least_gaps(query, v, tree, space)
                there += least_gaps(query, other, tree, space)
            if there < here:
                v, other, there = other, v, here
            if there <= reach:
                room.stack[waiting], room.bound[waiting] = other, there
                waiting += 1
        looked += 1
        for i in range(tree.start[v], tree.end[v]):
            distance = numbers_apart(query, points, i, space)
            if codes:
                distance += codes_apart(query, points, i, weight, ends)
            if gaps and distance <= reach:
                distance += gaps_apart(query, points, i, space)
            if distance <= reach:
                if distance < best:
                    best, second = distance, best
                    near = min(near, limit_of(best, space))
                elif distance < second:
                    second = distance
                reach = min(reach, limit_of(min(second, further * best), space))
                if distance <= near:
                    if seen < room.places.size:
                        room.places[seen], room.distances[seen] = i, distance
                    seen += 1
    return seen, best, second, looked


@njit(cache=True, nogil=True)
def run_columns(tree):
    """The points of each run column by column, the runs one after the other as the points are. O(n·d) memory."""
    d = tree.points.shape[1]
    columns = np.empty(tree.points.size)
    waiting = [0]
    while len(waiting) > 0:
        v = waiting.pop()
        first, size = tree.start[v], tree.end[v] - tree.start[v]
        if size > RUN:
            waiting.append(2 * v + 1)
            waiting.append(2 * v + 2)
            continue
        for j in range(d):
            for i in range(size):
                columns[d * first + j * size + i] = tree.points[first + i, j]
    return columns


@njit(cache=True, nogil=True)
def descend_to_runs(query, guess, further, tree, space, room):
    """As :func:`.nearest.descend_to_leaves`, run by run; ``room.columns`` are those of the runs."""
    best, second, near, reach = np.inf, np.inf, limit_of(guess, space), limit_of(further * guess, space)
    room.stack[0], room.bound[0], waiting, seen, looked = 0, 0.0, 1, 0, 0
    while waiting:
        waiting -= 1
        v = room.stack[waiting]
        if room.bound[waiting] > reach:
            continue
        while tree.end[v] - tree.start[v] > RUN:
            v, other = 2 * v + 1, 2 * v + 2
            here, there = least_node_distance(query, v, tree, space), least_node_distance(query, other, tree, space)
            if there < here:
                v, other, there = other, v, here
            if there <= reach:
                room.stack[waiting], room.bound[waiting] = other, there
                waiting += 1
        looked += 1
        first = tree.start[v]
        sums = room.sums[: tree.end[v] - first]
        run = room.columns[query.size * first : query.size * tree.end[v]]
        if not _sum_distances(sums, query, run, space, reach):
            continue
        for i in range(sums.size):
            if sums[i] <= reach:
                if sums[i] < best:
                    best, second = sums[i], best
                    near = min(near, limit_of(best, space))
                elif sums[i] < second:
                    second = sums[i]
                reach = min(reach, limit_of(min(second, further * best), space))
                if sums[i] <= near:
                    if seen < room.places.size:
                        room.places[seen], room.distances[seen] = first + i, sums[i]
                    seen += 1
    return seen, best, second, looked


@njit(cache=True, nogil=True)
def _sum_distances(sums, query, run, space, reach):
    """The distances of a run of points into ``sums``; False when they were given up, because none is within reach."""
    sums[:] = 0.0
    numbers, size, j = space.ends[0], sums.size, 0
    while j + 4 <= numbers:
        _add_four(sums, query[j:], run[j * size :], space.weight[j:])
        j += 4
        if not _any_within(sums, reach):
            return False
    while j < query.size:
        column, x, weight = run[j * size : (j + 1) * size], query[j], space.weight[j]
        if j < numbers:
            _add_number(sums, column, x, weight)
        elif j < space.ends[1]:
            _add_code(sums, column, x, weight)
        else:
            kind = 0 if j < space.ends[2] else (1 if j < space.ends[3] else 2)
            _add_gapped(sums, column, x, kind, (weight, space.missing[j], space.both[j]))
        j += 1
    return True


@njit(cache=True, nogil=True)
def _any_within(sums, reach):
    """Whether one is; all are looked at, because that goes by vectors."""
    within = 0
    for i in range(sums.size):
        within += sums[i] <= reach
    return within > 0


@njit(cache=True, nogil=True)
def _add_four(sums, x, columns, weight):
    """What the first four numbers add, in the order in which all sums are made."""
    x0, x1, x2, x3 = x[0], x[1], x[2], x[3]
    w0, w1, w2, w3 = weight[0], weight[1], weight[2], weight[3]
    size = sums.size
    c0, c1, c2, c3 = (
        columns[:size],
        columns[size : 2 * size],
        columns[2 * size : 3 * size],
        columns[3 * size : 4 * size],
    )
    for i in range(size):
        d0, d1, d2, d3 = x0 - c0[i], x1 - c1[i], x2 - c2[i], x3 - c3[i]
        sums[i] = sums[i] + w0 * (d0 * d0) + w1 * (d1 * d1) + w2 * (d2 * d2) + w3 * (d3 * d3)


@njit(cache=True, nogil=True)
def _add_number(sums, column, x, weight):
    for i in range(sums.size):
        apart = x - column[i]
        sums[i] += weight * (apart * apart)


@njit(cache=True, nogil=True)
def _add_code(sums, column, x, weight):
    for i in range(sums.size):
        sums[i] += weight if x != column[i] else 0.0


@njit(cache=True, nogil=True)
def _add_gapped(sums, column, x, kind, costs):
    """What a column with gaps adds: numbers (kind 0), codes (1) or floors (2)."""
    weight, missing, both = costs
    for i in range(sums.size):
        y = column[i]
        if x != x:
            sums[i] += both if y != y else missing
        elif y != y:
            sums[i] += missing
        elif kind == 0:
            sums[i] += weight * ((x - y) * (x - y))
        elif kind == 1:
            sums[i] += weight if x != y else 0.0
        else:
            sums[i] += weight if x < y else 0.0
