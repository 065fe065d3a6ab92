"""The most central value of groups of values of a taxonomy."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def group_centroids(start, value, count, line, own, ancestors):
    """For each group the place in ``value`` of the one with the least summed distance to all of the group.

    Group g has the different values ``value[start[g]:start[g + 1]]``, each so many times as ``count`` says. Ties: the
    first. ``line`` and ``own`` are those of a taxonomy, ``ancestors`` chooses the distance.
    O(different values² · height) time for each group.
    """
    depth = np.zeros(line.shape[0], np.int64)
    for v in range(line.shape[0]):
        for level in range(line.shape[1]):
            depth[v] += own[v, level]
    best = np.full(len(start) - 1, -1, np.int64)
    for group in range(len(start) - 1):
        least = np.inf
        for i in range(start[group], start[group + 1]):
            total = 0.0
            for j in range(start[group], start[group + 1]):
                if i != j and total < least:
                    total += count[j] * _taxonomy_distance(value[i], value[j], line, own, depth, ancestors)
            if total < least:
                least, best[group] = total, i
    return best


@njit(cache=True, nogil=True)
def _taxonomy_distance(a, b, line, own, depth, ancestors):
    shared = 0
    for level in range(line.shape[1]):
        if line[a, level] == line[b, level] and own[a, level] and own[b, level]:
            shared += 1
    both = depth[a] + depth[b]
    if ancestors:
        return np.log2(1.0 + (both - 2 * shared) / (both - shared))
    return 1.0 - 2.0 * shared / both
