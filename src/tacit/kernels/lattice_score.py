"""What a node of a generalisation lattice costs, from its groups and those of them that fail, by six objectives."""

from __future__ import annotations

import numpy as np
from numba import njit

MEAN, GEOMETRIC, ENTROPY, SQUARES, CLASSES, ERRORS = 0, 1, 2, 3, 4, 5


@njit(cache=True, nogil=True)
def combine_columns(lattice, of_column):
    """One number from those of the columns: the weighted mean, the geometric mean of 1 + v less 1, or the sum."""
    summed, weights = 0.0, 0.0
    for j in range(of_column.size):
        value = np.log(1.0 + of_column[j]) if lattice.kind == GEOMETRIC else of_column[j]
        summed += lattice.weight[j] * value
        weights += lattice.weight[j]
    if lattice.kind == ENTROPY:
        return summed
    if lattice.kind == GEOMETRIC:
        return np.exp(summed / weights) - 1.0
    return summed / weights


@njit(cache=True, nogil=True)
def majority_count(number, begin, end):
    """The records of the most frequent code among these entries."""
    largest = 0
    for entry in range(begin, end):
        largest = max(largest, number[entry])
    return largest


@njit(cache=True, nogil=True)
def tally_labels(keys, sizes, chosen, shift, mask, nodes):
    """The records of each label of a column in the chosen groups."""
    # two counts by turns, as adding to the same place again at once is slow; unsigned places need no check of their sign
    records, others = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    for i in range(0, chosen.size - 1, 2):
        g, h = np.uint64(chosen[i]), np.uint64(chosen[i + 1])
        records[np.uint64((keys[g] >> shift) & mask)] += sizes[g]
        others[np.uint64((keys[h] >> shift) & mask)] += sizes[h]
    if chosen.size % 2:
        g = chosen[chosen.size - 1]
        records[(keys[g] >> shift) & mask] += sizes[g]
    return records + others


@njit(cache=True, nogil=True)
def of_removed(lattice, column, level, records, removed):
    """What a column costs at a level when ``removed`` records, ``records[i]`` with label i, are left out."""
    value = 0.0
    if lattice.kind == ENTROPY:
        for count in records:
            if count:
                value += count * np.log2(removed / count)
    else:
        cost = lattice.cost[lattice.first[column, level] :]
        for node in range(records.size):
            value += (1.0 - cost[node]) * records[node]
        value /= lattice.size
    return lattice.total[column, level] + value


@njit(cache=True, nogil=True)
def score_node(lattice, level, stack, slot, failing, removed, enough):
    """The cost of the node when the first ``failing`` groups of ``stack.failed``, ``removed`` records, are left out.

    Of a sum over columns only so much is summed up as reaches ``enough``: from there on it is a lower bound.
    """
    groups, sizes, failed = stack.groups[slot], stack.sizes[slot], stack.failed[:failing]
    if lattice.kind <= ENTROPY:
        of_column = np.empty(level.size)
        for j in range(level.size):
            of_column[j] = lattice.total[j, level[j]]
        value = combine_columns(lattice, of_column)
        for j in range(level.size):
            if not removed or value >= enough:
                break
            nodes = lattice.first[j, level[j] + 1] - lattice.first[j, level[j]]
            keys = stack.keys[slot, lattice.word[j]]
            records = tally_labels(keys, sizes, failed, lattice.shift[j], lattice.mask[j], nodes)
            of_column[j] = of_removed(lattice, j, level[j], records, removed)
            value = combine_columns(lattice, of_column)
        return value
    if lattice.kind == CLASSES:
        return lattice.size / (groups - failing + (1 if removed else 0))
    if lattice.kind == SQUARES:
        squares = float(lattice.size) * removed
        for g in range(groups):
            squares += float(sizes[g]) * sizes[g]
        for g in failed:
            squares -= float(sizes[g]) * sizes[g]
        return squares
    number, start = stack.number[slot], stack.start[slot, lattice.target]
    right = 0
    for g in range(groups):
        right += majority_count(number, start[g], start[g + 1])
    for g in failed:
        right -= majority_count(number, start[g], start[g + 1])
    return 1.0 - right / lattice.size
