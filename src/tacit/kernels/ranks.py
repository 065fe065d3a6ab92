"""Random pairs of neighbours in a sequence: each place is paired at most once, with one at most ``reach`` away."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["neighbour_pairs"]


@njit(cache=True, nogil=True)
def neighbour_pairs(count, reach, uniforms):
    """The partner of each place 0 … count−1: an involution without shifts beyond ``reach``.

    From the left, each free place i draws its partner uniformly among the free places in [i+1, i+reach]; both are then
    taken. Place i+reach is free when it is i's turn, so at most one place is left over, and that is its own partner.
    The free places of the window lie in an unordered bag, so that drawing, entering and leaving are O(1): O(count)
    time, O(count) memory. ``uniforms`` are at least count // 2 numbers in [0, 1), used in order.
    """
    partner = np.arange(count)
    bag = np.empty(min(reach, count) + 1, np.int64)
    where = np.full(count, -1, np.int64)
    held, drawn = 0, 0
    for place in range(1, min(reach, count)):
        held = _enter(bag, where, held, place)
    for i in range(count):
        if i + reach < count:
            held = _enter(bag, where, held, i + reach)
        if where[i] >= 0:
            held = _leave(bag, where, held, i)
        if partner[i] == i and held > 0:
            other = bag[int(uniforms[drawn] * held)]
            drawn += 1
            partner[i], partner[other] = other, i
            held = _leave(bag, where, held, other)
    return partner


@njit(cache=True, nogil=True)
def _enter(bag, where, held, place):
    bag[held] = place
    where[place] = held
    return held + 1


@njit(cache=True, nogil=True)
def _leave(bag, where, held, place):
    """The last of the bag takes the place of the one that leaves."""
    last = bag[held - 1]
    bag[where[place]] = last
    where[last] = where[place]
    where[place] = -1
    return held - 1
