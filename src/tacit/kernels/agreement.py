"""How many pairs of two files agree at least so far on every column, for all combinations, without visiting a pair."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def agreeing_pairs(codes, weight, second, columns, rows, blocks):
    """The number of pairs that meet each combination of conditions; O(states · rows) time at worst, O(conditions · rows) memory.

    Row r stands for ``weight[r]`` records of the first or (``second[r]``) the second file. The conditions of column c are
    ``columns[c] ≤ k < columns[c+1]``, each stricter than the one before; rows meet condition k together iff their
    ``codes[r, k]`` are equal and not negative. A state says of each column how many of its conditions are met, and is
    numbered in mixed radix, the first column running fastest; answer s counts the pairs that meet at least state s.
    Only rows of one of the ``blocks`` (starts in ``rows``) are paired.

    A state is reached by refining the classes of a weaker one, the last columns first; classes that one file has no part
    in are dropped, so that selective columns should stand last.
    """
    count, conditions = codes.shape
    stride = _column_strides(columns)
    counts = np.zeros(stride[-1], np.int64)
    member = np.empty((conditions + 1, count), np.int32)
    start = np.empty((conditions + 1, count + 1), np.int32)
    classes = np.zeros(conditions + 1, np.int64)
    room = codes.max() + 1 if codes.size else 0
    tally = np.zeros((2, room), np.int64), np.zeros(room, np.int32), np.zeros(room, np.int32), np.empty(room, np.int32)
    member[0, : rows.size] = rows
    start[0, : blocks.size] = blocks
    classes[0] = blocks.size - 1
    counts[0] = _in_blocks(weight, second, rows, blocks)
    column, step = np.zeros(conditions + 1, np.int64), np.zeros(conditions + 1, np.int64)
    state, tried = np.zeros(conditions + 1, np.int64), np.zeros(conditions + 1, np.int64)
    column[0], step[0] = columns.size - 1, -1
    depth = 0
    while depth >= 0:
        # First the next condition of the same column, then the first one of each column before it.
        if tried[depth] > column[depth]:
            depth -= 1
            continue
        chosen, stage = tried[depth] - 1, 0
        tried[depth] += 1
        if chosen < 0:
            chosen, stage = column[depth], step[depth] + 1
            if step[depth] < 0 or columns[chosen] + stage == columns[chosen + 1]:
                continue
        k = columns[chosen] + stage
        here, there = (member[depth], start[depth]), (member[depth + 1], start[depth + 1])
        classes[depth + 1], found = _refine_classes(codes, k, (weight, second), classes[depth], here, there, tally)
        reached = state[depth] + stride[chosen]
        counts[reached] = found
        if found:
            depth += 1
            column[depth], step[depth], state[depth], tried[depth] = chosen, stage, reached, 0
    return counts


@njit(cache=True, nogil=True)
def _column_strides(columns):
    stride = np.ones(columns.size, np.int64)
    for c in range(columns.size - 1):
        stride[c + 1] = stride[c] * (columns[c + 1] - columns[c] + 1)
    return stride


@njit(cache=True, nogil=True)
def _in_blocks(weight, second, rows, blocks):
    total = 0
    for b in range(blocks.size - 1):
        sides = np.zeros(2, np.int64)
        for place in range(blocks[b], blocks[b + 1]):
            sides[1 if second[rows[place]] else 0] += weight[rows[place]]
        total += sides[0] * sides[1]
    return total


@njit(cache=True, nogil=True)
def _refine_classes(codes, k, records, classes, here, there, tally):
    """Each class cut by condition k: the classes in which both files are left, and how many pairs these hold."""
    weight, second = records
    member, start = here
    finer, begin = there
    sides, size, place_of, seen = tally
    kept, end, pairs = 0, 0, 0
    for c in range(classes):
        different = 0
        for place in range(start[c], start[c + 1]):
            row = member[place]
            code = codes[row, k]
            if code >= 0:
                if size[code] == 0:
                    seen[different] = code
                    different += 1
                size[code] += 1
                sides[1 if second[row] else 0, code] += weight[row]
        for i in range(different):
            code = seen[i]
            place_of[code] = -1
            if sides[0, code] and sides[1, code]:
                pairs += sides[0, code] * sides[1, code]
                place_of[code] = end
                begin[kept] = end
                kept += 1
                end += size[code]
        for place in range(start[c], start[c + 1]):
            row = member[place]
            code = codes[row, k]
            if code >= 0 and place_of[code] >= 0:
                finer[place_of[code]] = row
                place_of[code] += 1
        for i in range(different):
            code = seen[i]
            size[code], sides[0, code], sides[1, code] = 0, 0, 0
    begin[kept] = end
    return kept, pairs
