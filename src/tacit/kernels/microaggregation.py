"""Small groups of near points: MDAV, maximum distance to the average vector."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["group_means", "mdav"]


@njit(cache=True, nogil=True)
def mdav(points, k):
    """The group of each point: groups of k, the last one of k to 2k−1.

    While at least 3k points are left: r is the one farthest from their centre, s the one farthest from r; the k points
    nearest to r become a group, then the k nearest to s. From 3k−1 to 2k points one group is made around r, the rest
    is the last one. Of points at equal distance the first in the order given is taken. Squared Euclidean distances by
    brute force: O(n²/k · d) time, O(n) memory. Needs n ≥ k ≥ 1.
    """
    n = points.shape[0]
    group = np.full(n, -1, np.int64)
    left = np.arange(n)
    made = 0
    while left.size >= 2 * k:
        pair = left.size >= 3 * k
        far = _farthest(points, left, _centre(points, left))
        left = _grouped(points, left, far, k, group, made)
        made += 1
        if pair:
            opposite = _farthest(points, left, points[far])
            left = _grouped(points, left, opposite, k, group, made)
            made += 1
    for place in range(left.size):
        group[left[place]] = made
    return group


@njit(cache=True, nogil=True)
def _centre(points, left):
    total = np.zeros(points.shape[1])
    for place in range(left.size):
        for j in range(points.shape[1]):
            total[j] += points[left[place], j]
    return total / left.size


@njit(cache=True, nogil=True)
def _distance(points, i, target):
    total = 0.0
    for j in range(points.shape[1]):
        apart = points[i, j] - target[j]
        total += apart * apart
    return total


@njit(cache=True, nogil=True)
def _farthest(points, left, target):
    best, most = left[0], -1.0
    for place in range(left.size):
        distance = _distance(points, left[place], target)
        if distance > most:
            best, most = left[place], distance
    return best


@njit(cache=True, nogil=True)
def _grouped(points, left, centre, k, group, number):
    """Give the k of ``left`` nearest to the point ``centre`` their group number; returns the others, in order."""
    target = points[centre]
    distance = np.empty(left.size)
    for place in range(left.size):
        distance[place] = _distance(points, left[place], target)
    bound = np.partition(distance, k - 1)[k - 1]
    nearer = 0
    for place in range(left.size):
        if distance[place] < bound:
            nearer += 1
    tied = k - nearer
    others = np.empty(left.size - k, left.dtype)
    kept = 0
    for place in range(left.size):
        if distance[place] < bound or (distance[place] == bound and tied > 0):
            if distance[place] == bound:
                tied -= 1
            group[left[place]] = number
        else:
            others[kept] = left[place]
            kept += 1
    return others


def group_means(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Each value of a column replaced by the mean of its group; O(n) time."""
    means: np.ndarray = (np.bincount(group, weights=values) / np.bincount(group))[group]
    return means
