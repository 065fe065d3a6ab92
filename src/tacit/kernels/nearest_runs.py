"""The nearest points by sums over whole runs of points, a column at a time: for many columns and heavy masking.

There a tree tells little apart, and what counts is the speed of a plain sum. A run is a node of the tree with at most
some two hundred points, which lie side by side; its sums are made four columns at a time in vector registers, and given
up as soon as no point of it can be near enough. The sums are those of the other search, so that ties stay exact.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .apart import least, limit_of

RUN = 256
"""At most so many points are summed together; the sums of a run stay in the nearest cache."""


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
            here, there = least(query, v, tree, space), least(query, other, tree, space)
            if there < here:
                v, other, there = other, v, here
            if there <= reach:
                room.stack[waiting], room.bound[waiting] = other, there
                waiting += 1
        looked += 1
        first = tree.start[v]
        sums = room.sums[: tree.end[v] - first]
        run = room.columns[query.size * first : query.size * tree.end[v]]
        if not _sum(sums, query, run, space, reach):
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
def _sum(sums, query, run, space, reach):
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
