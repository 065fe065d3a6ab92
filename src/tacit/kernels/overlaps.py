"""How much weight a set shares with each of many others."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def overlap_weights(sets, weights):
    """For each row of ``sets``, the sum of the weights of its members, in whole numbers. O(sets · members)."""
    found = np.zeros(sets.shape[0], np.int64)
    for k in range(sets.shape[0]):
        total = 0
        for j in range(sets.shape[1]):
            total += weights[j] * sets[k, j]
        found[k] = total
    return found
