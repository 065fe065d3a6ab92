"""Quicksort, which compiles faster than numba's own."""

from __future__ import annotations

import numpy as np
from numba import njit

FEW = 16
"""Stretches of up to so many values are sorted by insertion."""


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def sort(values):
    """Sort numbers in place, none of them NaN; O(n log n) time on average, O(log n) memory."""
    waiting = np.empty((64, 2), np.int64)
    left, right, count = 0, values.size - 1, 0
    while True:
        while right - left >= FEW:
            i, j = left, right
            pivot = _median(values[left], values[(left + right) >> 1], values[right])
            while i <= j:
                while values[i] < pivot:
                    i += 1
                while values[j] > pivot:
                    j -= 1
                if i <= j:
                    values[i], values[j] = values[j], values[i]
                    i += 1
                    j -= 1
            if j - left < right - i:  # the longer part waits, so that at most log n do
                waiting[count, 0], waiting[count, 1] = i, right
                right = j
            else:
                waiting[count, 0], waiting[count, 1] = left, j
                left = i
            count += 1
        if count == 0:
            break
        count -= 1
        left, right = waiting[count, 0], waiting[count, 1]
    for i in range(1, values.size):
        value, j = values[i], i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _median(a, b, c):
    if a < b:
        return b if b < c else (c if a < c else a)
    return a if a < c else (c if b < c else b)
