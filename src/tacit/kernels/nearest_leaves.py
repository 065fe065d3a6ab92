"""The nearest points by going down a kd-tree to its small leaves: for few columns and light masking."""

from __future__ import annotations

import numpy as np
from numba import njit

from .apart import (
    codes_apart,
    gaps_apart,
    least_codes,
    least_gaps,
    least_numbers,
    limit_of,
    numbers_apart,
)

__all__ = ["descend_to_leaves"]


@njit(cache=True, nogil=True)
def descend_to_leaves(query, guess, further, tree, space, room):
    """How many points were noted, the two smallest distances, and how many leaves were looked at.

    No distance is above ``guess``. All points at the smallest are noted, as far as there is room: growing the room in here
    would halve the speed. The second smallest is looked for up to ``further`` times the smallest.
    """
    points, low, high, weight, ends = tree.points, tree.low, tree.high, space.weight, space.ends
    codes, gaps = ends[0] < ends[1], ends[1] < query.size
    best, second, near, reach = np.inf, np.inf, limit_of(guess, space), limit_of(further * guess, space)
    room.stack[0], room.bound[0], waiting, seen, looked = 0, 0.0, 1, 0, 0
    while waiting:
        waiting -= 1
        v = room.stack[waiting]
        if room.bound[waiting] > reach:
            continue
        while v < tree.leaves:
            v, other = 2 * v + 1, 2 * v + 2
            here, there = least_numbers(query, v, tree, space), least_numbers(query, other, tree, space)
            if codes:
                here += least_codes(query, low, high, v, weight, ends)
                there += least_codes(query, low, high, other, weight, ends)
            if gaps:
                here += least_gaps(query, v, tree, space)
                there += least_gaps(query, other, tree, space)
            if there < here:
                v, other, there = other, v, here
            if there <= reach:
                room.stack[waiting], room.bound[waiting] = other, there
                waiting += 1
        looked += 1
        for i in range(tree.start[v], tree.end[v]):
            distance = numbers_apart(query, points, i, space)
            if codes:
                distance += codes_apart(query, points, i, weight, ends)
            if gaps and distance <= reach:
                distance += gaps_apart(query, points, i, space)
            if distance <= reach:
                if distance < best:
                    best, second = distance, best
                    near = min(near, limit_of(best, space))
                elif distance < second:
                    second = distance
                reach = min(reach, limit_of(min(second, further * best), space))
                if distance <= near:
                    if seen < room.places.size:
                        room.places[seen], room.distances[seen] = i, distance
                    seen += 1
    return seen, best, second, looked
