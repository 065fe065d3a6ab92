"""Counts over some of the key columns, for the rows that are still too rare."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def equal_weight(codes, radix, span, weight, rows):
    """For each of ``rows`` the total weight of the rows with the same number Σ code · radix, which is below ``span``.

    A radix of 0 leaves the column out. One table of ``span`` counts; O(rows · columns + span) time.
    """
    table = np.zeros(span, np.int32)
    for i in range(codes.shape[0]):
        table[_mixed_radix_number(codes, radix, i)] += weight[i]
    found = np.empty(rows.size, np.int32)
    for place in range(rows.size):
        found[place] = table[_mixed_radix_number(codes, radix, rows[place])]
    return found


@njit(cache=True, nogil=True)
def _mixed_radix_number(codes, radix, i):
    number = np.int64(0)
    for j in range(codes.shape[1]):
        number += codes[i, j] * radix[j]
    return number


@njit(cache=True, nogil=True)
def matching_weight(codes, free, weight, rows, inside):
    """For each of ``rows`` the total weight of the rows that match it on the columns ``inside``, free cells matching all.

    Every pair is compared: O(rows · all rows · columns) time at most.
    """
    found = np.zeros(rows.size, np.int64)
    for place in range(rows.size):
        i = rows[place]
        for other in range(codes.shape[0]):
            same = True
            for j in range(codes.shape[1]):
                if inside[j] and codes[i, j] != codes[other, j] and not free[i, j] and not free[other, j]:
                    same = False
                    break
            if same:
                found[place] += weight[other]
    return found


@njit(cache=True, nogil=True)
def differing_columns(codes, free, rows):
    """The columns in which each two of ``rows`` differ, as bits; a free cell differs from none."""
    found = np.zeros((rows.size, rows.size), np.int64)
    for a in range(rows.size):
        for b in range(a):
            i, other, bits = rows[a], rows[b], np.int64(0)
            for j in range(codes.shape[1]):
                if codes[i, j] != codes[other, j] and not free[i, j] and not free[other, j]:
                    bits |= np.int64(1) << j
            found[a, b] = bits
            found[b, a] = bits
    return found
