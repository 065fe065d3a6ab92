"""Degrees cut into classes of k or more at the least cost: the dynamic program of Liu and Terzi in O(n·k)."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def cheapest_cuts(down, k, both):
    """For each prefix of the degrees, sorted downwards, its least cost and where its last class begins.

    A class of more than 2k − 1 can be cut in two at no cost, so only k to 2k − 1 are tried. A class costs the sum of the
    distances from its median (``both``) or from its largest degree; each is O(1) with running sums. O(n·k) time, O(n) memory.
    """
    n = down.size
    ends = np.zeros(n + 1, np.int64)
    ends[1:] = np.cumsum(down)
    cost = np.full(n + 1, np.iinfo(np.int64).max // 2)
    first = np.zeros(n + 1, np.int64)
    cost[0] = 0
    for i in range(k, n + 1):
        for t in range(max(0, i - 2 * k + 1), i - k + 1):
            middle = (t + i) // 2 if both else t
            at = down[middle]
            above = ends[middle] - ends[t] - at * (middle - t)
            below = at * (i - middle) - (ends[i] - ends[middle])
            whole = cost[t] + above + below
            if whole < cost[i]:
                cost[i], first[i] = whole, t
    return cost, first
