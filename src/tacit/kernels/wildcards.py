"""Rows of codes in which some cells are wildcards: which wildcards can be taken back."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def fill_again(codes, free, mine, weight, matches, inside, least):
    """Take back wildcards one by one while every row keeps its matches; ``free`` and ``matches`` are changed.

    ``free[i, j]`` says that cell j of row i matches anything, ``mine[i, j]`` that it may be taken back; row i stands
    for ``weight[i]`` equal rows. ``matches[i, d]`` of them all agree with it on the columns ``inside[d]``, and
    ``least[d]`` must. Columns from the last to the first, rows in order. A row that fills its cell loses, and is lost
    to, the rows that it matched and that have another code there. O(cells to take back · rows · columns · demands) time
    at most; a check ends at the first row that would fall short.
    """
    for j in range(codes.shape[1] - 1, -1, -1):
        for i in range(codes.shape[0]):
            if mine[i, j] and free[i, j] and _can_fill_cell(codes, free, weight, matches, inside, least, i, j):
                for d in range(least.size):
                    if inside[d, j]:
                        _subtract_matches(codes, free, weight, matches, inside, d, i, j)
                free[i, j] = False


@njit(cache=True, nogil=True)
def _subtract_matches(codes, free, weight, matches, inside, d, i, j):
    for other in range(codes.shape[0]):
        if _loses_match(codes, free, inside, d, i, j, other):
            matches[i, d] -= weight[other]
            matches[other, d] -= weight[i]


@njit(cache=True, nogil=True)
def _can_fill_cell(codes, free, weight, matches, inside, least, i, j):
    for d in range(least.size):
        if inside[d, j]:
            left = matches[i, d]
            for other in range(codes.shape[0]):
                if _loses_match(codes, free, inside, d, i, j, other):
                    left -= weight[other]
                    if left < least[d] or matches[other, d] - weight[i] < least[d]:
                        return False
    return True


@njit(cache=True, nogil=True)
def _loses_match(codes, free, inside, d, i, j, other):
    if free[other, j] or codes[other, j] == codes[i, j]:
        return False
    for place in range(codes.shape[1]):
        known = inside[d, place] and not free[i, place] and not free[other, place]
        if place != j and known and codes[i, place] != codes[other, place]:
            return False
    return True
