"""Which inequalities of a seeker are not implied by another one, when all parameters are at least zero."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def undominated_rows(values, start):
    """True for the rows of ``values[start[i]:start[i+1]]`` that are nowhere at least as large as another one kept.

    Where p ≥ 0, v ≤ w makes w·p ≥ v·p, so that w asks nothing new. Of equal rows the first stays. O(rows · kept · columns).
    """
    kept = np.zeros(len(values), np.bool_)
    sums = np.empty(len(values))
    for r in range(len(values)):
        sums[r] = values[r].sum()
    for i in range(len(start) - 1):
        order = start[i] + np.argsort(sums[start[i] : start[i + 1]], kind="mergesort")
        chosen = np.empty(len(order), np.int64)
        many = 0
        for r in order:
            if not _is_implied(values, r, chosen[:many]):
                chosen[many] = r
                many += 1
                kept[r] = True
    return kept


@njit(cache=True, nogil=True)
def _is_implied(values, row, chosen):
    for other in chosen:
        below = True
        for k in range(values.shape[1]):
            if values[other, k] > values[row, k]:
                below = False
                break
        if below:
            return True
    return False
