"""Sets of points with a given sum: who was averaged, from the mean."""

from __future__ import annotations

import numpy as np
from numba import njit

NONE, ONE, MANY, UNKNOWN = 0, 1, 2, 3
"""How many sets fit; unknown when the search was given up."""


@njit(cache=True, nogil=True)
def same_mean(values, twin, pool, sums, slack, size, work):
    """For each target the set of ``size`` points of its pool whose sums are ``sums[target]`` up to ``slack`` in each column.

    ``pool[t]`` lists the points of target t by their ``twin``, which numbers the different rows of ``values`` in their
    order, the first column first; sets that differ by equal points only are one set. Depth first: the first column
    cuts off what can no longer reach its sum, the last member is found by bisection, and after ``work`` steps the
    verdict is UNKNOWN. Returns the verdicts and the members, which count only where the verdict is ONE. Up to
    O(m^(size−1) log m) time for pools of m points, O(m) memory. Needs 2 ≤ size ≤ m.
    """
    verdict = np.zeros(len(pool), np.int64)
    members = np.zeros((len(pool), size), np.int64)
    for target in range(len(pool)):
        verdict[target] = _search_sums(values, twin, pool[target], sums[target], slack, work, members[target])
    return verdict, members


@njit(cache=True, nogil=True)
def _search_sums(values, twin, pool, sums, slack, work, members):
    m, size = pool.size, members.size
    first, until = np.empty(m), np.zeros(m + 1)
    for i in range(m):
        first[i] = values[pool[i], 0]
        until[i + 1] = until[i] + first[i]
    low, high = sums[0] - slack[0], sums[0] + slack[0]
    at, so_far = np.full(size, -1), np.zeros(size + 1)
    depth = fits = 0
    while depth >= 0:
        at[depth] += 1
        i, open_places = at[depth], size - depth
        if i > m - open_places or so_far[depth] + until[i + open_places] - until[i] > high:
            depth -= 1
            continue
        if so_far[depth] + first[i] + until[m] - until[m - open_places + 1] < low:
            continue
        before = at[depth - 1] if depth else -1
        if i - 1 > before and twin[pool[i]] == twin[pool[i - 1]]:
            continue
        work -= 1
        if work < 0:
            return UNKNOWN
        if open_places > 1:
            depth += 1
            so_far[depth] = so_far[depth - 1] + first[i]
            at[depth] = i
            if open_places == 2:
                at[depth] = max(i, np.searchsorted(first, low - so_far[depth]) - 1)
        elif _has_sums(values, pool, at, sums, slack):
            fits += 1
            if fits > 1:
                return MANY
            for place in range(size):
                members[place] = pool[at[place]]
    return fits


@njit(cache=True, nogil=True)
def _has_sums(values, pool, at, sums, slack):
    for j in range(sums.size):
        total = 0.0
        for place in at:
            total += values[pool[place], j]
        if abs(total - sums[j]) > slack[j]:
            return False
    return True
