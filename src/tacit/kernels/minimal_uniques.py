"""Minimal sample uniques: the smallest sets of columns on which a record is alone, found by partition refinement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .groups import _by_hash

ALIKE, AIMED, NAMED = -1, -2, -3
"""States of a cell: several records; several with a possible unique among them; numbered ``NAMED − state``."""


class UniqueSets(NamedTuple):
    """What was recorded: the columns beside the place of the record before it in its list (−1: none), and the row."""

    sets: np.ndarray
    row: np.ndarray


@njit(cache=True, nogil=True)
def minimal_uniques(codes, cardinalities, alone, largest):
    """All minimal sample uniques of at most ``largest`` columns, as pairs of a row and the bit mask of its columns.

    ``codes[j, i]`` is row i in column j; a row that is not ``alone`` stands for several records, so it is never
    unique but keeps others from being so. Column sets are visited in the order of their masks, in which every subset
    comes before its supersets: a row alone on a set is recorded iff no recorded set of that row lies inside, and
    leaves the branch, because no superset is minimal. Such an inner set has the column added last, the lowest, because
    the row was not alone without it: so each row has a list for every lowest column, and only that one is read.
    Groups without a row that could be alone leave the branch as well.

    Time O(n) for each set visited, at most C(m, 1) + … + C(m, largest) of them; memory O(n·depth + found).
    """
    m, n = codes.shape
    rows, groups = np.empty(2 * n + 16, np.int32), np.zeros(2 * n + 16, np.int32)
    rows[:n] = np.arange(n, dtype=np.int32)
    start, stop, count = np.zeros(m + 2, np.int64), np.zeros(m + 2, np.int64), np.ones(m + 2, np.int64)
    mask, column, below = np.zeros(m + 2, np.int64), np.zeros(m + 2, np.int64), np.zeros(m + 2, np.int64)
    stop[0], below[0], depth = n, m, 0
    table, key = np.zeros(4 * n + 65536, np.int32), np.empty(n, np.int32)
    head = np.full((m, n), -1, np.int32)
    found = UniqueSets(np.empty((1024, 2), np.int64), np.empty(1024, np.int32))
    number = 0
    while depth >= 0:
        if column[depth] == below[depth]:
            depth -= 1
            continue
        j = column[depth]
        column[depth] += 1
        first, last = start[depth], stop[depth]
        wide = mask[depth] | (np.int64(1) << j)
        alive, of = rows[first:last], groups[first:last]
        span = _cell_keys(codes[j], cardinalities[j], alive, of, count[depth], key, table.size)
        _tabulate_cells(alive, alone, key, table[:span])
        while found.row.size < number + alive.size:
            found = _extend_uniques(found)
        number = _collect_uniques(alive, key, table, wide, head[j], found, number)
        if j > 0 and depth + 1 < largest:
            if rows.size < last + alive.size:
                rows, groups = _extend_array(rows, last + alive.size), _extend_array(groups, last + alive.size)
            kept, named = _refine_rows(rows[first:last], key, table, rows[last:], groups[last:])
            if kept > 0:
                depth += 1
                start[depth], stop[depth], count[depth] = last, last + kept, named
                mask[depth], column[depth], below[depth] = wide, 0, j
    return found.row[:number].copy(), found.sets[:number, 0].copy()


@njit(cache=True, nogil=True)
def _cell_keys(codes, cardinality, rows, groups, count, key, room):
    """The cell of each row when its group is split by a column, and a bound on the cells."""
    if count * cardinality <= min(room, 4 * rows.size + 65536):
        for t in range(rows.size):
            key[t] = groups[t] * cardinality + codes[rows[t]]
        return count * cardinality
    long = np.empty(rows.size, np.int64)
    for t in range(rows.size):
        long[t] = np.int64(groups[t]) * cardinality + codes[rows[t]]
    dense, cells = _by_hash(long)
    key[: rows.size] = dense
    return np.int64(cells)


@njit(cache=True, nogil=True)
def _tabulate_cells(rows, alone, key, table):
    """Each cell: 0 when empty, t + 1 when row t alone is in it, else ALIKE or AIMED."""
    table[:] = 0
    for t in range(rows.size):
        state, unique = table[key[t]], alone[rows[t]]
        if state == 0:
            table[key[t]] = t + 1 if unique else ALIKE
        elif state > 0 or unique:
            table[key[t]] = AIMED


@njit(cache=True, nogil=True)
def _collect_uniques(rows, key, table, mask, head, found, number):
    """Record the rows alone in their cell for which no smaller set was recorded."""
    for t in range(rows.size):
        if table[key[t]] > 0:
            link = np.int64(head[rows[t]])
            while link >= 0 and (found.sets[link, 0] & ~mask) != 0:
                link = found.sets[link, 1]
            if link < 0:
                found.sets[number, 0], found.sets[number, 1], found.row[number] = mask, head[rows[t]], rows[t]
                head[rows[t]] = number
                number += 1
    return number


@njit(cache=True, nogil=True)
def _refine_rows(rows, key, table, kept_rows, kept_groups):
    """The rows that can still become alone with more columns, or keep others from it, and their groups."""
    kept, named = 0, 0
    for t in range(rows.size):
        state = table[key[t]]
        if state == AIMED:
            state = NAMED - named
            table[key[t]] = state
            named += 1
        if state <= NAMED:
            kept_rows[kept], kept_groups[kept] = rows[t], NAMED - state
            kept += 1
    return kept, named


@njit(cache=True, nogil=True)
def _extend_array(array, least):
    wider = np.empty(max(least, 2 * array.size), array.dtype)
    wider[: array.size] = array
    return wider


@njit(cache=True, nogil=True)
def _extend_uniques(found):
    sets = np.empty((2 * found.row.size, 2), np.int64)
    sets[: found.row.size] = found.sets
    return UniqueSets(sets, _extend_array(found.row, 2 * found.row.size))
