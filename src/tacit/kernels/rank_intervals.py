"""Intervals of so many ranks around each of a sorted run, and how many of another sorted run they hold."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def counts_before(known, places, ties):
    """How many sorted ``known`` values are below each of the sorted ``places``, with ``ties`` also those equal to it.

    One pass over both, in which nothing is guessed: a comparison moves one of the two by its outcome. O(n + m).
    """
    size, asked = len(known), len(places)
    found = np.empty(asked + 1, np.int64)
    i, j = 0, 0
    if ties:
        while i < size and j < asked:
            found[j] = i
            before = int(known[i] <= places[j])
            i += before
            j += 1 - before
    else:
        while i < size and j < asked:
            found[j] = i
            before = int(known[i] < places[j])
            i += before
            j += 1 - before
    found[j:] = i
    return found[:asked]


@njit(cache=True, nogil=True)
def within_ranks(ranked, truth, below, upto, width):
    """Which values of ``truth`` lie within ``width`` places of their own place in the sorted ``ranked``, ties spanned.

    Also how many known values all these intervals hold together, ``below`` and ``upto`` being counted for each place; a
    truth of NaN has no interval. O(n).
    """
    count = len(ranked)
    inside = np.empty(count, np.bool_)
    held, start = 0, 0
    while start < count:
        end = start
        while end + 1 < count and ranked[end + 1] == ranked[start]:
            end += 1
        low, high = max(start - width, 0), min(end + width, count - 1)
        holds = upto[high] - below[low]
        for place in range(start, end + 1):
            value = truth[place]
            inside[place] = (ranked[low] <= value) & (value <= ranked[high])
            held += holds * (value == value)
        start = end + 1
    return inside, held
