"""Quickselect."""

from __future__ import annotations

from numba import njit


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def quick_select(keys, order, left, right, middle):
    """Reorder ``keys`` and ``order`` from ``left`` to ``right``, both counted.

    Afterwards no key before ``middle`` is above, and none after it below, the key that stands there. O(n) time on
    average.
    """
    while left < right:
        pivot = keys[(left + right) >> 1]
        i, j = left, right
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return
