"""Small groups of near points: MDAV, maximum distance to the average vector."""

from __future__ import annotations

import numpy as np
from numba import njit

from .selection import quick_select


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
def mdav(points, k):
    """The group of each point: groups of k, the last one of k to 2k−1.

    While at least 3k points are left: r is the one farthest from their centre, s the one farthest from r; the k points
    nearest to r become a group, then the k nearest to s. From 3k−1 to 2k points one group is made around r, the rest
    is the last one. Of points at equal distance the first in the order given is taken. Squared Euclidean distances by
    brute force: O(n²/k · d) time, O(n) memory. Needs n ≥ k ≥ 1.
    """
    n, d = points.shape
    group, left, order = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    distance, keys, target = np.empty(n), np.empty(n), np.empty(d)
    for i in range(n):
        left[i] = i
    made, again = 0, False
    while n >= 2 * k:
        if not again:
            _fill_centre(points, left, n, target)
        far = _measure_distances(points, left, n, target, distance)
        again = not again and n >= 3 * k
        for j in range(d):
            target[j] = points[far, j]
        _measure_distances(points, left, n, target, distance)
        for place in range(n):
            keys[place], order[place] = distance[place], place
        quick_select(keys, order, 0, n - 1, k - 1)
        bound, tied = keys[k - 1], 0
        for place in range(k):
            tied += keys[place] == bound
        kept = 0
        for place in range(n):
            if distance[place] > bound or (distance[place] == bound and tied == 0):
                left[kept] = left[place]
                kept += 1
            else:
                tied -= distance[place] == bound
                group[left[place]] = made
        n, made = kept, made + 1
    for place in range(n):
        group[left[place]] = made
    return group


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
def _fill_centre(points, left, n, centre):
    for j in range(centre.size):
        centre[j] = 0.0
    for place in range(n):
        for j in range(centre.size):
            centre[j] += points[left[place], j]
    for j in range(centre.size):
        centre[j] /= n


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
def _measure_distances(points, left, n, target, distance):
    """Squared distances from the first n of ``left`` to the target; returns the first of the farthest points."""
    best, most = left[0], -1.0
    for place in range(n):
        total = 0.0
        for j in range(target.size):
            step = points[left[place], j] - target[j]
            total += step * step
        distance[place] = total
        if total > most:
            best, most = left[place], total
    return best
