"""Row spaces over the field of p elements, in reduced row-echelon form. p < 2⁵⁰, entries in [0, p).

A product of two entries has up to 100 bits. Its quotient by p is found in floating point, where it is wrong by at most
1; the remainder is then right modulo 2⁶⁴, hence right after one correction.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _modular_product(left, right, prime, inverse):
    quotient = np.int64(np.float64(left) * np.float64(right) * inverse)
    rest = left * right - quotient * prime
    rest += prime if rest < 0 else 0
    return rest - prime if rest >= prime else rest


@njit(cache=True, nogil=True)
def reduce_vector(rows, pivots, free, vector, prime):
    """The vector less its part in the row space: 0 at every pivot. ``free`` are the columns that are none. O(rank · free)."""
    found, inverse = vector.copy(), 1.0 / prime
    for k in range(pivots.size):
        factor = prime - vector[pivots[k]]
        if factor == prime:
            continue
        found[pivots[k]] = 0
        for j in free:
            rest = found[j] + _modular_product(factor, rows[k, j], prime, inverse)
            found[j] = rest - prime if rest >= prime else rest
    return found


@njit(cache=True, nogil=True)
def add_row(rows, pivot, vector, prime):
    """The rows with ``vector`` (1 at its pivot) as one more, taken from the others so that they are 0 there. O(rank · n)."""
    rank, inverse = rows.shape[0], 1.0 / prime
    found = np.empty((rank + 1, vector.size), np.int64)
    support = np.flatnonzero(vector)
    for k in range(rank):
        found[k] = rows[k]
        factor = prime - rows[k, pivot]
        if factor == prime:
            continue
        for j in support:
            rest = rows[k, j] + _modular_product(factor, vector[j], prime, inverse)
            found[k, j] = rest - prime if rest >= prime else rest
    found[rank] = vector
    return found


@njit(cache=True, nogil=True)
def single_entry_rows(rows):
    """Which rows have exactly one entry that is not 0."""
    found = np.zeros(rows.shape[0], np.bool_)
    for k in range(rows.shape[0]):
        many = 0
        for j in range(rows.shape[1]):
            many += rows[k, j] != 0
            if many > 1:
                break
        found[k] = many == 1
    return found
