"""Groups of variable size: V-MDAV."""

from __future__ import annotations

import numpy as np
from numba import njit

from .group_state import inner, squared_distance


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
def v_mdav(points, k, gamma):
    """The group of each point, of k to 2k−1 points.

    While k points are left: the one farthest from the centre of all points and the k−1 nearest to it become a group. It
    grows to at most 2k−1 points: of the points outside the one nearest to any member joins, as long as that is less
    than ``gamma`` times its distance to the nearest other point that is left. In the end each of the fewer than k points
    left joins the group of the nearest point in a group with room; when no group has room, it takes k−1 points out of
    the group of the nearest point. ``gamma`` 0 gives fixed sizes; the authors use about 0.2 for scattered data and 1.1
    for data in clumps. Of points at equal distance the first is taken. Euclidean distances by brute force: O(n²·d)
    time, O(n) memory. Needs n ≥ k ≥ 1.

    References
    ----------
    Solanas and Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable group size, COMPSTAT
    2006.
    """
    n, d = points.shape
    group, size, centre = np.empty(n, np.int64), np.zeros(n // k + n, np.int64), np.zeros((1, d))
    remote, close = np.empty(n), np.empty(n)
    for i in range(n):
        group[i] = -1
        for j in range(d):
            centre[0, j] += points[i, j] / n
    for i in range(n):
        remote[i] = -squared_distance(points, i, centre, 0)
    left, made = n, 0
    while left >= k:
        joins = _least_point(remote, group, -1)
        for i in range(n):
            close[i] = np.inf
        while joins >= 0:
            group[joins] = made
            size[made] += 1
            left -= 1
            if size[made] == 1 or size[made] > k:
                _update_nearest(points, group, joins, close)
            elif size[made] == k:
                for i in range(n):
                    if group[i] == made:
                        _update_nearest(points, group, i, close)
            joins = _least_point(close, group, -1) if left > 0 and size[made] < 2 * k - 1 else -1
            if joins >= 0 and size[made] >= k:
                group[joins] = n
                lone = _least_apart(points, group, joins)
                group[joins] = -1
                if not close[joins] < gamma * gamma * lone:
                    joins = -1
        made += 1
    _place_remaining(points, group, size, k, made)
    return group


@inner
def _update_nearest(points, group, source, close):
    """Squared distances of the points left to the nearest of the sources so far."""
    for i in range(close.size):
        if group[i] == -1:
            close[i] = min(close[i], squared_distance(points, i, points, source))


@inner
def _least_point(values, group, number):
    """The first point of a group with the least value, or −1."""
    best, least = -1, np.inf
    for i in range(values.size):
        if group[i] == number and (best < 0 or values[i] < least):
            best, least = i, values[i]
    return best


@inner
def _least_apart(points, group, x):
    """Squared distance to the nearest point that is left."""
    least = np.inf
    for i in range(group.size):
        if group[i] == -1:
            least = min(least, squared_distance(points, i, points, x))
    return least


@inner
def _place_remaining(points, group, size, k, made):
    """Put the points that are left into groups."""
    n = group.size
    for x in range(n):
        if group[x] == -1:
            best, least, roomy = -1, np.inf, False
            for i in range(n):
                if group[i] >= 0:
                    room = size[group[i]] < 2 * k - 1
                    far = squared_distance(points, i, points, x)
                    if (room and not roomy) or (room == roomy and far < least):
                        best, least, roomy = i, far, room
            g = group[best]
            group[x] = g if roomy else made
            size[group[x]] += 1
            while size[group[x]] < k:
                best, least = -1, np.inf
                for i in range(n):
                    if group[i] == g and squared_distance(points, i, points, x) < least:
                        best, least = i, squared_distance(points, i, points, x)
                group[best] = made
                size[g] -= 1
                size[made] += 1
            made += not roomy
