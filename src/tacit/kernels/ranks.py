"""Random pairs in a sequence: each place is paired at most once, with one near it by one of three laws."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def neighbour_pairs(count, reach, uniforms):
    """The partner of each place 0 … count−1: an involution without shifts beyond ``reach``.

    From the left, each free place i draws its partner uniformly among the free places in [i+1, i+reach]; both are then
    taken. Place i+reach is free when it is i's turn, so at most one place is left over, and that is its own partner.
    The free places of the window lie in an unordered bag, so that drawing, entering and leaving are O(1): O(count)
    time, O(count) memory. ``uniforms`` are at least count // 2 numbers in [0, 1), used in order.
    """
    partner = np.arange(count, dtype=np.int32)
    bag = np.empty(min(reach, count) + 1, np.int32)
    where = np.full(count, -1, np.int32)
    held, drawn = 0, 0
    for place in range(1, min(reach, count)):
        held = _add_to_bag(bag, where, held, place)
    for i in range(count):
        if i + reach < count:
            held = _add_to_bag(bag, where, held, i + reach)
        if where[i] >= 0:
            held = _remove_from_bag(bag, where, held, i)
        if partner[i] == i and held > 0:
            other = bag[int(uniforms[drawn] * held)]
            drawn += 1
            partner[i], partner[other] = other, i
            held = _remove_from_bag(bag, where, held, other)
    return partner


@njit(cache=True, nogil=True)
def _add_to_bag(bag, where, held, place):
    bag[held] = place
    where[place] = held
    return held + 1


@njit(cache=True, nogil=True)
def _remove_from_bag(bag, where, held, place):
    """The last of the bag takes the place of the one that leaves."""
    last = bag[held - 1]
    bag[where[place]] = last
    where[last] = where[place]
    where[place] = -1
    return held - 1


@njit(cache=True, nogil=True)
def bucket_pairs(count, size, which, member):
    """The partner of each place 0 … count−1, where places lie in buckets of ``size``, the last one what is left.

    From the left, each free place of bucket r draws the bucket s ≥ r with chance ∝ 2^−(s−r+1) among those with a free
    place beside it, then a free place of that bucket uniformly; both are taken, and at most one place is left over. The
    free places of a bucket lie in an unordered bag. ``which`` and ``member`` are at least count // 2 numbers in [0, 1).
    O(count) time (chances below 2⁻⁶⁴ are not told from 0), O(count) memory.
    """
    partner = np.arange(count, dtype=np.int32)
    bag, where = partner.copy(), partner.copy()
    buckets = (count + size - 1) // size
    held = np.full(buckets, size)
    held[buckets - 1] = count - (buckets - 1) * size
    drawn = 0
    for i in range(count):
        if partner[i] != i:
            continue
        first = i // size
        _leave_bucket(bag, where, held, first, size, i)
        chosen = _draw_bucket(held, first, which[drawn]) if drawn < which.size else -1
        if chosen < 0:
            break
        other = bag[chosen * size + int(member[drawn] * held[chosen])]
        drawn += 1
        partner[i], partner[other] = other, i
        _leave_bucket(bag, where, held, chosen, size, other)
    return partner


@njit(cache=True, nogil=True)
def _draw_bucket(held, first, uniform):
    """A bucket from ``first`` on that is not empty, each half as likely as the one before; −1 when all are empty."""
    while first < held.size and held[first] == 0:
        first += 1
    if first == held.size:
        return -1
    last = min(held.size, first + 64)
    total, chance = 0.0, 1.0
    for s in range(first, last):
        total += chance if held[s] > 0 else 0.0
        chance /= 2
    rest, chance, chosen = uniform * total, 1.0, first
    for s in range(first, last):
        if held[s] > 0:
            chosen = s
            rest -= chance
            if rest < 0:
                break
        chance /= 2
    return chosen


@njit(cache=True, nogil=True)
def _leave_bucket(bag, where, held, bucket, size, place):
    """The last of the bucket's bag takes the place of the one that leaves."""
    held[bucket] -= 1
    last = bag[bucket * size + held[bucket]]
    bag[where[place]] = last
    where[last] = where[place]


@njit(cache=True, nogil=True)
def aimed_pairs(count, shifts):
    """The partner of each place 0 … count−1, where place i aims at i + shifts[i].

    From the left, each free place takes the free place above it that is nearest to where it aims, the higher of two
    that are equally near; both are then taken. At most one place is left over. Chains of taken places are cut short
    as they are walked: O(count · α(count)) time, O(count) memory.
    """
    partner = np.arange(count, dtype=np.int32)
    above, below = np.arange(count + 1, dtype=np.int32), np.arange(count + 1, dtype=np.int32)
    for i in range(count - 1):
        if partner[i] != i:
            continue
        aim = min(i + shifts[i], count - 1)
        high, low = _next_free(above, aim), _next_free(below, aim + 1) - 1
        if high == count and low <= i:
            break
        other = high if high < count and (low <= i or high - aim <= aim - low) else low
        partner[i], partner[other] = other, i
        above[other], below[other + 1] = other + 1, other
    return partner


@njit(cache=True, nogil=True)
def _next_free(links, place):
    """The end of the chain of a place; every second link of the way is cut short."""
    while links[place] != place:
        links[place] = links[links[place]]
        place = links[place]
    return place


@njit(cache=True, nogil=True)
def mix_ties(order, equal, uniforms):
    """Put runs of ties in random order, in place: ``equal[i]`` says that places i and i+1 of the order tie.

    ``uniforms`` are as many numbers in [0, 1) as there are ties. O(count) time.
    """
    begin, drawn = 0, 0
    for i in range(equal.size):
        if not equal[i]:
            begin = i + 1
            continue
        other = begin + int(uniforms[drawn] * (i + 2 - begin))
        drawn += 1
        order[i + 1], order[other] = order[other], order[i + 1]


@njit(cache=True, nogil=True)
def exchange_values(values, partner):
    """Let each pair of places exchange their values, in place and without another array; O(count) time."""
    for i in range(partner.size):
        other = partner[i]
        if other > i:
            values[i], values[other] = values[other], values[i]
