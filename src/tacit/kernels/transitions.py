"""Categories moved by a transition matrix: the first of 32 random bits settle nearly every record, all of them the rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

PARTS = np.uint64(4)
"""Counters are kept in so many copies: equal values in a row would wait for each other."""


class Moves(NamedTuple):
    """What each value becomes: the value ``low + s`` has the source s, and all values beyond have the last one.

    Source s with the 32 random bits u becomes the first category j with u < upto[s, j], which is written as
    ``low + into[j]``; a source whose row is 0 is no category. ``guide[s · 2^bits + h]`` has into[j] where the first
    ``bits`` of u, h, say enough, and −1 elsewhere.
    """

    low: int
    upto: np.ndarray
    into: np.ndarray
    guide: np.ndarray
    bits: int


@njit(cache=True, nogil=True)
def move_categories(values, draws, moves, left, out):
    """Write what every value becomes to ``out``, and give the number of those that are no category.

    ``draws`` has 32 random bits for each; ``left`` is room for as many rows.
    """
    low, upto, _, guide, bits = moves
    # Unsigned places, which are not checked for counting from the end; what stays open is settled apart.
    last, shift, bits = np.uint64(len(upto) - 1), np.uint64(32 - bits), np.uint64(bits)
    count = 0
    for i in range(len(values)):
        source = min(np.uint64(values[i] - low), last)
        found = guide[(source << bits) + (np.uint64(draws[i]) >> shift)]
        out[i] = low + found
        if found < 0:
            left[count] = i
            count += 1
    return _settle_values(values, draws, moves, left[:count], out)


@njit(cache=True, nogil=True)
def _settle_values(values, draws, moves, left, out):
    """The values for which the first bits say too little; those that are no category are counted."""
    low, upto, into, _, _ = moves
    last, none = np.uint64(len(upto) - 1), 0
    for i in left:
        ends = upto[min(np.uint64(values[i] - low), last)]
        if ends[-1] == 0:
            out[i] = low
            none += 1
        else:
            out[i] = low + into[_search_ends(ends, np.uint64(draws[i]))]
    return none


@njit(cache=True, nogil=True)
def _search_ends(ends, bits):
    low, high = 0, len(ends) - 1
    while low < high:
        middle = (low + high) >> 1
        if bits < ends[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, nogil=True)
def tally_values(values, low, width):
    """How often each of ``low … low + width − 1`` occurs, in parts that add up, and how many values lie elsewhere."""
    counts = np.zeros((PARTS, width), np.int64)
    beyond = 0
    for i in range(len(values)):
        at = np.uint64(values[i] - low)
        if at < np.uint64(width):
            counts[np.uint64(i) % PARTS, at] += 1
        else:
            beyond += 1
    return counts, beyond
