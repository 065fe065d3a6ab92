"""The least that a node of a generalisation lattice and all nodes above it cost; why is in ``protect/lattice/lattice.md``.

``level`` are the levels of the node. The first ``decided`` columns stay there, the others may rise.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .lattice_score import CLASSES, ENTROPY, ERRORS, SQUARES, majority, of_removed, tally, together


@njit(cache=True, nogil=True)
def bound_of_levels(lattice, level, decided, removed, least):
    """What every node from these levels upwards costs at least; 0 for the kinds that are no sums over columns.

    The first ``decided`` columns are at these very levels, and at least ``removed`` records go because their groups have
    fewer than ``least``.
    """
    if lattice.kind > ENTROPY:
        return 0.0
    of_column = np.empty(level.size)
    lightest = lattice.weight[0]
    for j in range(level.size):
        value = lattice.total[j, level[j]]
        if lattice.kind != ENTROPY and j < decided:
            value += removed * (1.0 - lattice.most[j, level[j]]) / lattice.size
        elif lattice.kind != ENTROPY:
            value = max(value, removed / lattice.size)
        of_column[j] = value
        lightest = min(lightest, lattice.weight[j])
    bound = together(lattice, of_column)
    if lattice.kind == ENTROPY and removed >= least > 1:
        bound += lightest * removed * np.log2(removed / (least - 1))
    return bound


@njit(cache=True, nogil=True)
def bound_of_least(lattice, level, least):
    """What every node from these levels upwards costs at least if column j costs ``least[j, h]`` from level h upwards."""
    if lattice.kind > ENTROPY:
        return 0.0
    of_column = np.empty(level.size)
    for j in range(level.size):
        of_column[j] = least[j, level[j]]
    return together(lattice, of_column)


@njit(cache=True, nogil=True)
def least_of_columns(lattice, level, decided, stack, slot, failing, removed, enough, least):
    """Fill ``least`` for sums over columns and return the bound: ``failing`` groups of a projection are removed for sure.

    The projection of ``slot`` on the decided columns is in the last slot. Ends early once the bound reaches ``enough``.
    """
    last = stack.groups.size - 1
    failed = stack.failed[:failing]
    of_column = np.empty(level.size)
    for j in range(level.size):
        of_column[j] = lattice.total[j, level[j]]
    bound, parts = together(lattice, of_column), failed[:0]
    for j in range(level.size):
        if bound >= enough:
            break
        nodes = lattice.first[j, level[j] + 1] - lattice.first[j, level[j]]
        word, shift, mask = lattice.word[j], lattice.shift[j], lattice.mask[j]
        if j < decided:
            records = tally(stack.keys[last, word], stack.sizes[last], failed, shift, mask, nodes)
            least[j, level[j]] = of_removed(lattice, j, level[j], records, removed)
        else:
            if j == decided:
                parts = _parts(stack, slot, failed)
            records = tally(stack.keys[slot, word], stack.sizes[slot], parts, shift, mask, nodes)
            _least_of_levels(lattice, j, level[j], records, removed, least)
        of_column[j] = least[j, level[j]]
        bound = together(lattice, of_column)
    return bound


@njit(cache=True, nogil=True)
def _parts(stack, slot, failed):
    """The groups of slot that went into the ``failed`` ones of the last slot."""
    last = stack.groups.size - 1
    to, parts, fails = stack.to[last], stack.begin, stack.member
    fails[: stack.groups[last]] = 0
    for g in failed:
        fails[g] = 1
    count = 0
    for g in range(stack.groups[slot]):
        parts[np.uint64(count)] = g
        count += fails[np.uint64(to[g])]
    return parts[:count]


@njit(cache=True, nogil=True)
def _least_of_levels(lattice, column, lowest, records, removed, least):
    """``least[column, h]`` for all levels from the lowest: the cheapest of h and those above with these records removed."""
    high = lattice.high[column]
    for level in range(lowest, high + 1):
        least[column, level] = of_removed(lattice, column, level, records, removed)
        if level < high:
            above = lattice.up[lattice.first[column, level] :]
            coarser = np.zeros(lattice.first[column, level + 2] - lattice.first[column, level + 1], np.int64)
            for node in range(records.size):
                coarser[above[node]] += records[node]
            records = coarser
    for level in range(high - 1, lowest - 1, -1):
        least[column, level] = min(least[column, level], least[column, level + 1])


@njit(cache=True, nogil=True)
def bound_of_groups(lattice, stack, slot, removed, least):
    """The same from the groups of the node, for the other kinds; ERRORS needs its tallies."""
    groups, sizes = stack.groups[slot], stack.sizes[slot]
    if lattice.kind == SQUARES:
        squares = float(removed) * (lattice.size - least + 1)
        for g in range(groups):
            squares += float(sizes[g]) * sizes[g]
        return squares
    if lattice.kind == CLASSES:
        kept, left = 0, 0
        for g in range(groups):
            if sizes[g] >= least:
                kept += 1
            else:
                left += sizes[g]
        return lattice.size / (kept + left // least + 1)
    if lattice.kind == ERRORS:
        number, start = stack.number[slot], stack.start[slot, lattice.target]
        right = 0
        for g in range(groups):
            right += majority(number, start[g], start[g + 1])
        return 1.0 - right / lattice.size
    return 0.0


@njit(cache=True, nogil=True)
def bound_of_classes(lattice, stack, slot, least):
    """The same for CLASSES, sharper: no class that is kept reaches over two groups of the projection in the last slot."""
    last = stack.groups.size - 1
    sizes, to, left = stack.sizes[slot], stack.to[last], stack.member
    left[: stack.groups[last]] = 0
    kept = 0
    for g in range(stack.groups[slot]):
        large = sizes[g] >= least
        kept += large
        left[np.uint64(to[g])] += 0 if large else sizes[g]
    for g in range(stack.groups[last]):
        kept += left[g] // least
    return lattice.size / (kept + 1)
