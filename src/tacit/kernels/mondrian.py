"""Mondrian: the records cut in two, or along the branches of a hierarchy, for as long as every part meets the rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .rules import meets_rules
from .shapes import ORDERED, TREE, state_width, widen_state

NARROW = 1e-9
"""A label for several values that costs nothing, as in a domain of one value, still can be cut."""

BLOCK = 512
BUCKETS = 512
"""Into so many buckets the values of a part are counted in the search for their median."""


class Table(NamedTuple):
    """The cells in the order in which they lie in the parts: their keys ``rows`` and numbers ``cell``; and the cuts.

    ``ends`` are the borders of the parts of the last cut; ``column``, ``sizes``, ``counts`` and ``buffer`` are room to work in, ``tally`` and
    ``present`` that of :func:`rules.meets`. ``unit`` says that every cell is one record.
    """

    rows: np.ndarray
    cell: np.ndarray
    ends: np.ndarray
    column: np.ndarray
    sizes: np.ndarray
    counts: np.ndarray
    buffer: np.ndarray
    tally: np.ndarray
    present: np.ndarray
    unit: bool


def table_of(values: np.ndarray, sizes: np.ndarray, codes: int) -> Table:
    """All cells in one part; room for so many codes of confidential columns."""
    n = len(values)
    whole = np.int64
    return Table(
        values.copy(),
        np.arange(n),
        np.zeros(n + 1, whole),
        np.zeros(n, whole),
        np.zeros(n, whole),
        np.zeros(BUCKETS, whole),
        np.zeros(n, whole),
        np.zeros(max(1, codes), whole),
        np.zeros(max(1, codes), whole),
        bool(n == 0 or sizes.max() == 1),
    )


@njit(cache=True, nogil=True)
def mondrian(table, shapes, rules, cells, relaxed, largest):
    """The part of each cell, numbered from 0 on; parts of at most ``largest`` cells are left as they are.

    A part is cut in the key that is widest under its common label, else in the next widest, and so on: keys with an
    order at the median of the records, hierarchies into the branches below the common node, and what is missing from
    what is not. ``relaxed``, for which every cell must be one record, lets records with the median value go to either
    side. O(n · keys) for each of about log n layers of cuts.
    """
    n, keys = table.rows.shape
    of = np.empty(n, np.int64)
    start, end = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    start[0], end[0] = 0, n
    waiting, made = 1, 0
    low, high, wide = np.empty(keys, np.int64), np.empty(keys, np.int64), np.empty(keys)
    while waiting > 0:
        waiting -= 1
        first, last = start[waiting], end[waiting]
        parts = 0
        if last - first > largest and _count_records(table, cells, first, last) >= 2 * rules.least:
            _enclose_part(table.rows, shapes, first, last, low, high, wide)
            for _ in range(keys):
                key = np.argmax(wide)
                if wide[key] <= 0.0 or parts > 1:
                    break
                wide[key] = 0.0
                if shapes.form[key] == TREE:
                    parts = _cut_into_branches(table, shapes, rules, cells, key, low[key], first, last)
                else:
                    missing = state_width(shapes, key, low[key], high[key]) >= 1.0 and _has_missing(
                        shapes, key, high[key]
                    )
                    parts = _cut_in_halves(table, rules, cells, key, first, last, relaxed, missing)
        for part in range(parts):
            start[waiting], end[waiting] = table.ends[part], table.ends[part + 1]
            waiting += 1
        if parts == 0:
            for place in range(first, last):
                of[table.cell[place]] = made
            made += 1
    return of


@njit(cache=True, nogil=True)
def _count_records(table, cells, first, last):
    if table.unit:
        return last - first
    total = 0
    for place in range(first, last):
        total += cells.size[table.cell[place]]
    return total


@njit(cache=True, nogil=True)
def _enclose_part(rows, shapes, first, last, low, high, wide):
    """The joint state of a part in each key, and how wide it is; 0 where its members are alike."""
    keys = shapes.form.size
    for key in range(keys):
        low[key], high[key] = rows[first, key], rows[first, key]
    # in blocks that stay in the cache, so that each extreme stays in a register
    for block in range(first, last, BLOCK):
        for key in range(keys):
            least, most = low[key], high[key]
            for place in range(block, min(last, block + BLOCK)):
                least, most = min(least, rows[place, key]), max(most, rows[place, key])
            low[key], high[key] = least, most
    for key in range(keys):
        wide[key] = 0.0
        if low[key] == high[key]:
            continue
        if shapes.form[key] != ORDERED:
            one, other = low[key], high[key]
            one, other = widen_state(shapes, key, one, one, other, other)
            for place in range(first, last):
                one, other = widen_state(shapes, key, one, other, rows[place, key], rows[place, key])
            low[key], high[key] = one, other
        wide[key] = max(NARROW, state_width(shapes, key, low[key], high[key]))


@njit(cache=True, nogil=True)
def _has_missing(shapes, key, high):
    """Whether the highest value of a part is missing."""
    if shapes.form[key] == ORDERED:
        return shapes.place[high] > 1.0
    return high & shapes.blank[key] != 0


@njit(cache=True, nogil=True)
def _parts_meet_rules(table, rules, cells, parts):
    """Whether each part of the cut meets the rules."""
    for part in range(parts):
        first, last = table.ends[part], table.ends[part + 1]
        if table.unit and rules.kind.size == 0:
            if last - first < rules.least:
                return False
        elif not meets_rules(rules, cells, table.cell[first:last], table.tally, table.present):
            return False
    return True


@njit(cache=True, nogil=True)
def _cut_in_halves(table, rules, cells, key, first, last, relaxed, missing):
    """Cut a part in two by the order of a key; 2 when both halves meet the rules, else 0."""
    table.ends[0], table.ends[2] = first, last
    low, high = table.rows[first, key], table.rows[first, key]
    for place in range(first, last):
        value = table.rows[place, key]
        table.column[place] = value
        low, high = min(low, value), max(high, value)
    if missing:
        table.ends[1] = _split_at(table, key, first, last, high)
        return 2 if _parts_meet_rules(table, rules, cells, 2) else 0
    middle, below, upto, total = _part_median(table, cells, first, last, low, high)
    if relaxed:
        border = _split_at(table, key, first, last, middle)
        beyond = _split_at(table, key, border, last, middle + 1)
        table.ends[1] = min(max((first + last) // 2, border), beyond)
        return 2 if _parts_meet_rules(table, rules, cells, 2) else 0
    even = abs(2 * upto - total) < abs(2 * below - total)
    for turn in range(2):
        with_middle = even if turn == 0 else not even
        left = upto if with_middle else below
        if left < rules.least or total - left < rules.least:
            continue
        table.ends[1] = _split_at(table, key, first, last, middle + 1 if with_middle else middle)
        if _parts_meet_rules(table, rules, cells, 2):
            return 2
    return 0


@njit(cache=True, nogil=True)
def _part_median(table, cells, first, last, low, high):
    """The value at the middle of a part whose values stand in ``column``; the records below it, upto it, and in all.

    Buckets of values are counted, then those of the bucket in the middle again, until a bucket is one value: O(n).
    """
    count = last - first
    total = 0
    for place in range(first, last):
        size = 1 if table.unit else cells.size[table.cell[place]]
        table.sizes[place] = size
        total += size
    below = 0
    while True:
        shift = 0
        while (high - low) >> shift >= min(BUCKETS, 2 * count):
            shift += 1
        counts = table.counts[: ((high - low) >> shift) + 1]
        counts[:] = 0
        for place in range(first, first + count):
            counts[(table.column[place] - low) >> shift] += table.sizes[place]
        bucket = 0
        while 2 * (below + counts[bucket]) <= total and bucket < counts.size - 1:
            below += counts[bucket]
            bucket += 1
        if shift == 0:
            return low + bucket, below, below + counts[bucket], total
        kept = first
        for place in range(first, first + count):
            value = table.column[place]
            if (value - low) >> shift == bucket:
                table.column[kept], table.sizes[kept] = value, table.sizes[place]
                kept += 1
        count = kept - first
        low += bucket << shift
        high = min(high, low + (1 << shift) - 1)


@njit(cache=True, nogil=True)
def _split_at(table, key, first, last, bound):
    """Move the members whose value is below the bound before the others; where the others begin."""
    one, other = first, last - 1
    while True:
        while one <= other and table.rows[one, key] < bound:
            one += 1
        while one <= other and table.rows[other, key] >= bound:
            other -= 1
        if one > other:
            return one
        for j in range(table.rows.shape[1]):
            table.rows[one, j], table.rows[other, j] = table.rows[other, j], table.rows[one, j]
        table.cell[one], table.cell[other] = table.cell[other], table.cell[one]
        one += 1
        other -= 1


@njit(cache=True, nogil=True)
def _cut_into_branches(table, shapes, rules, cells, key, node, first, last):
    """Cut a part into the branches below the common node of a key; how many, or 0 when one fails the rules."""
    for place in range(first, last):
        branch = table.rows[place, key]
        while shapes.parent[branch] != node:
            branch = shapes.parent[branch]
        table.column[place] = branch
    order = np.argsort(table.column[first:last], kind="mergesort")
    parts = 0
    for place in range(order.size):
        if place == 0 or table.column[first + order[place]] != table.column[first + order[place - 1]]:
            table.ends[parts] = first + place
            parts += 1
    table.ends[parts] = last
    for part in range(parts if table.unit else 0):
        if table.ends[part + 1] - table.ends[part] < rules.least:
            return 0
    for j in range(table.rows.shape[1]):
        for place in range(order.size):
            table.buffer[place] = table.rows[first + order[place], j]
        for place in range(order.size):
            table.rows[first + place, j] = table.buffer[place]
    for place in range(order.size):
        table.buffer[place] = table.cell[first + order[place]]
    for place in range(order.size):
        table.cell[first + place] = table.buffer[place]
    return parts if _parts_meet_rules(table, rules, cells, parts) else 0
