"""Sets of columns that are one together in many rows, by intersecting columns of bits depth first."""

from __future__ import annotations

import numpy as np
from numba import njit

FULL = -1
"""In place of the number of sets: there are more than were allowed."""

_ODD, _PAIRS, _NIBBLES, _ONES = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@njit(cache=True, nogil=True)
def pack_bits(columns, rows, count, size):
    """Cells (column, row) as one line of ``size`` bits for each of ``count`` columns; O(cells)."""
    bits = np.zeros((count, (size + 63) // 64), np.uint64)
    for cell in range(columns.size):
        row = rows[cell]
        bits[columns[cell], row >> 6] |= np.uint64(1) << np.uint64(row & 63)
    return bits


@njit(cache=True, nogil=True)
def _intersect_bits(one, other, both):
    """The bits that two lines share, written to ``both``, and how many they are."""
    total = np.uint64(0)
    for word in range(one.size):
        held = one[word] & other[word]
        both[word] = held
        held = held - ((held >> _1) & _ODD)
        held = (held & _PAIRS) + ((held >> _2) & _PAIRS)
        held = (held + (held >> _4)) & _NIBBLES
        total += (held * _ONES) >> _56
    return np.int64(total)


@njit(cache=True, nogil=True)
def deep_sets(bits, counts, least, largest, most):
    """All sets of at most ``largest`` lines with at least ``least`` bits in common, as a tree, and how many they are.

    Row r of the tree is (the row of the set without its last line or −1, its last line, bits in common). A set is
    extended by later lines only, and only by those that were enough with its first lines. Blocks of intersections lie
    one above the other on one stack. Time O(sets tried · words), memory O(depth · lines · words + sets).
    """
    lines, words = bits.shape
    stack, line_of, common = bits.copy(), np.arange(lines), counts.copy()
    stop, at = np.zeros(lines + 2, np.int64), np.zeros(lines + 2, np.int64)
    row = np.full(lines + 2, -1, np.int64)
    tree, number, depth = np.empty((1024, 3), np.int64), 0, 0
    stop[0] = lines
    while depth >= 0:
        if at[depth] == stop[depth]:
            depth -= 1
            continue
        place, top = at[depth], stop[depth]
        at[depth] += 1
        if number == most:
            return tree[:number], FULL
        if number == len(tree):
            tree = np.concatenate((tree, np.empty_like(tree)))
        tree[number, 0] = row[depth - 1] if depth else -1
        tree[number, 1], tree[number, 2] = line_of[place], common[place]
        row[depth] = number
        number += 1
        if depth + 1 >= largest:
            continue
        need = top + (top - place)
        if need > len(stack):
            stack = _extend_stack(stack, need)
            while len(line_of) < len(stack):
                line_of, common = np.append(line_of, np.empty_like(line_of)), np.append(common, np.empty_like(common))
        free = top
        for other in range(place + 1, stop[depth]):
            shared = _intersect_bits(stack[place], stack[other], stack[free])
            if shared >= least:
                line_of[free], common[free] = line_of[other], shared
                free += 1
        if free > top:
            depth += 1
            at[depth], stop[depth] = top, free
    return tree[:number], number


@njit(cache=True, nogil=True)
def _extend_stack(stack, need):
    """The stack with room for ``need`` lines and more."""
    wider = np.empty((max(need, 2 * len(stack)), stack.shape[1]), np.uint64)
    wider[: len(stack)] = stack
    return wider
