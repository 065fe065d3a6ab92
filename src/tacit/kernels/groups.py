"""Group numbers for rows of integer codes, and the members of each group."""

from __future__ import annotations

import numpy as np
from numba import njit

MIX = np.int64(-7046029254386353131)
"""An odd constant near 2⁶⁴/φ: multiplying by it spreads neighbouring keys (Knuth's multiplicative hashing)."""


def group_rows(columns: list[np.ndarray], cardinalities: list[int]) -> tuple[np.ndarray, int]:
    """A dense group number per row, equal iff all codes are equal; numbered in order of first appearance.

    Codes of column j are in [0, cardinality j). Keys are packed in mixed radix; when the product of the
    cardinalities does not fit into 62 bits, the columns packed so far are first made dense. O(n·m) time, O(n) memory.

    >>> group, count = group_rows([np.array([0, 1, 0, 1]), np.array([2, 0, 2, 1])], [2, 3])
    >>> group.tolist(), count
    ([0, 1, 0, 2], 3)
    """
    if not columns:
        raise ValueError("at least one column is needed")
    key, span = columns[0].astype(np.int64), max(1, cardinalities[0])
    for codes, cardinality in zip(columns[1:], cardinalities[1:], strict=True):
        if span * max(1, cardinality) >= 2**62:
            dense, span = _dense_groups(key, span)
            key = dense.astype(np.int64)
        _push_digits(key, codes.astype(np.int32, copy=False), np.int64(max(1, cardinality)))
        span *= max(1, cardinality)
    return _dense_groups(key, span)


def _dense_groups(key: np.ndarray, span: int) -> tuple[np.ndarray, int]:
    if span <= 4 * len(key) + 1024:
        groups = np.empty(key.size, dtype=np.int32)
        count = _by_table(key, np.full(span, -1, dtype=np.int32), groups)
    else:
        groups, count = _by_hash(key)
    return groups, int(count)


@njit(cache=True, nogil=True)
def _push_digits(key, codes, cardinality):
    for i in range(key.size):
        key[i] = key[i] * cardinality + codes[i]


@njit(cache=True, nogil=True)
def _by_table(key, number, groups):
    count = 0
    for i in range(key.size):
        found = number[key[i]]
        if found < 0:
            found = count
            number[key[i]] = count
            count += 1
        groups[i] = found
    return count


@njit(cache=True, nogil=True)
def _hash_slot(key, mask):
    mixed = key * MIX
    return (mixed ^ (mixed >> 29)) & mask


@njit(cache=True, nogil=True)
def _by_hash(key):
    """Open addressing; the table grows fourfold when half full."""
    capacity, count = 1 << 16, 0
    table = np.full(capacity, -1, np.int32)
    seen = np.empty(capacity // 2 + 1, np.int64)
    groups = np.empty(key.size, np.int32)
    for i in range(key.size):
        place = _hash_slot(key[i], capacity - 1)
        while table[place] >= 0 and seen[table[place]] != key[i]:
            place = (place + 1) & (capacity - 1)
        if table[place] < 0:
            table[place] = count
            seen[count] = key[i]
            count += 1
            groups[i] = count - 1
            if 2 * count > capacity:
                capacity *= 4
                table, seen = _grow_table(seen, count, capacity)
        else:
            groups[i] = table[place]
    return groups, count


@njit(cache=True, nogil=True)
def _grow_table(seen, count, capacity):
    table = np.full(capacity, -1, np.int32)
    for group in range(count):
        place = _hash_slot(seen[group], capacity - 1)
        while table[place] >= 0:
            place = (place + 1) & (capacity - 1)
        table[place] = group
    wider = np.empty(capacity // 2 + 1, np.int64)
    for group in range(count):  # slices would take seconds to compile
        wider[group] = seen[group]
    return table, wider


def group_members(groups: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of each group, in row order: ``rows[start[g]:start[g+1]]``. A counting sort, O(n + groups).

    >>> start, rows = group_members(np.array([1, 0, 1, 1]), 2)
    >>> [rows[start[g] : start[g + 1]].tolist() for g in range(2)]
    [[1], [0, 2, 3]]
    """
    start, rows = np.zeros(count + 1, dtype=np.int64), np.empty(groups.size, dtype=np.int32)
    _fill_members(groups, start, np.empty(count, dtype=np.int64), rows)
    return start, rows


@njit(cache=True, nogil=True)
def _fill_members(groups, start, cursor, rows):
    for i in range(groups.size):
        start[groups[i] + 1] += 1
    for g in range(cursor.size):
        cursor[g] = start[g]
        start[g + 1] += start[g]
    for i in range(groups.size):
        rows[cursor[groups[i]]] = i
        cursor[groups[i]] += 1


def offset_codes(values: np.ndarray, low: int, span: int) -> tuple[np.ndarray, np.ndarray]:
    """Each value less ``low``, and which of the ``span`` results occur; O(n) in one pass."""
    codes, present = np.empty(values.size, dtype=np.int32), np.zeros(span, dtype=np.bool_)
    _fill_offsets(values, low, codes, present)
    return codes, present


@njit(cache=True, nogil=True)
def _fill_offsets(values, low, codes, present):
    for i in range(values.size):
        code = values[i] - low
        codes[i] = code
        present[code] = True
