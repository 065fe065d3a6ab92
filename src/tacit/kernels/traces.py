"""Traces of people: who else was at all the points that are known of a person."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def points_to_single_out(of_person, known, of_point, people, most):
    """For each person, how many of the known points, in their order, nobody else has all of; ``most`` + 1 when none.

    ``known[of_person[p]:of_person[p+1]]`` are points of person p in the order in which they become known;
    ``people[of_point[x]:of_point[x+1]]`` the people of point x, in rising order (the inverted index). The people of
    the first point are filtered by the next ones. O(people of the first point · log n) per person and point.
    """
    needed = np.empty(of_person.size - 1, np.int64)
    others = np.empty(people.size, people.dtype)
    for person in range(needed.size):
        needed[person] = most + 1
        left = 0
        for step in range(min(most, of_person[person + 1] - of_person[person])):
            point = known[of_person[person] + step]
            there = people[of_point[point] : of_point[point + 1]]
            left = _copy_others(there, person, others) if step == 0 else _filter_others(there, others, left)
            if left == 0:
                needed[person] = step + 1
                break
    return needed


@njit(cache=True, nogil=True)
def _copy_others(there, person, others):
    left = 0
    for t in range(there.size):
        if there[t] != person:
            others[left] = there[t]
            left += 1
    return left


@njit(cache=True, nogil=True)
def _filter_others(there, others, left):
    """The others who are at the point as well, by binary search."""
    kept = 0
    for t in range(left):
        place = np.searchsorted(there, others[t])
        if place < there.size and there[place] == others[t]:
            others[kept] = others[t]
            kept += 1
    return kept
