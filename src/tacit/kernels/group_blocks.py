"""Points in blocks of near ones: cuts at medians, and lists of near points from several cuts."""

from __future__ import annotations

import numpy as np
from numba import njit

from .selection import quick_select


def cut_blocks(points: np.ndarray, most: int, unit: int) -> tuple[np.ndarray, np.ndarray]:
    """The points in an order in which blocks stand together, and the bounds of the blocks.

    Parts are cut at the median of their widest column until none has more than ``most`` points; the sizes of all
    blocks but the last are multiples of ``unit``. O(n·d·log n) time, O(n) memory.
    """
    n = len(points)
    order, keys, bounds = np.arange(n), np.empty(n), np.array([0, n])
    while n > most:
        finer = np.empty(2 * bounds.size - 1, dtype=np.int64)
        _halve_parts(points, order, keys, bounds, finer, unit)
        bounds, most = finer, 2 * most
    return order, bounds


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False)
def _halve_parts(points, order, keys, bounds, finer, unit):
    """Cut each part in two; ``finer`` gets the new bounds."""
    for part in range(bounds.size - 1):
        start, end = bounds[part], bounds[part + 1]
        middle = start + ((end - start) // 2 + unit // 2) // unit * unit
        finer[2 * part], finer[2 * part + 1], finer[2 * part + 2] = start, middle, end
        widest, most_apart = 0, -1.0
        for j in range(points.shape[1]):
            low = high = points[order[start], j]
            for i in range(start + 1, end):
                value = points[order[i], j]
                if value < low:
                    low = value
                if value > high:
                    high = value
            if high - low > most_apart:
                widest, most_apart = j, high - low
        for i in range(start, end):
            keys[i] = points[order[i], widest]
        quick_select(keys, order, start, end - 1, middle)


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False)
def add_near(points, order, bounds, near, apart):
    """Add to the lists of near points those of the same block: ``near`` and squared distances ``apart``, nearest first.

    Empty places hold the point itself and infinity. O(n · block · d) time.
    """
    last = near.shape[1] - 1
    for block in range(bounds.size - 1):
        for here in range(bounds[block], bounds[block + 1]):
            i = order[here]
            for there in range(bounds[block], bounds[block + 1]):
                o = order[there]
                total = 0.0
                for j in range(points.shape[1]):
                    step = points[i, j] - points[o, j]
                    total += step * step
                if total < apart[i, last] and o != i:
                    place = last
                    while place > 0 and apart[i, place - 1] > total:
                        place -= 1
                    equal = place - 1
                    while equal >= 0 and apart[i, equal] == total and near[i, equal] != o:
                        equal -= 1
                    if equal < 0 or apart[i, equal] != total:  # it is not in the list from an earlier cut
                        for other in range(last, place, -1):
                            apart[i, other], near[i, other] = apart[i, other - 1], near[i, other - 1]
                        apart[i, place], near[i, place] = total, o
