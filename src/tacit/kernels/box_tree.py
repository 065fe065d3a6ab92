"""A tree of boxes over the finest groups, in which the cheapest partner of a group is found without looking at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .shapes import Shapes, joint_cost, joint_cost_bound, state_width, widen_state

LEAF = 32
"""Below so many members a box is not divided: looking at them all is cheaper than looking for the right ones."""
PAIRS = 64
"""From so many pairs the key in which the members of a box differ most is told."""


class BoxTree(NamedTuple):
    """Box b holds ``order[start[b]:end[b]]``, whose joint state is ``low[b]``, ``high[b]``; its halves are boxes
    ``half[b]`` and ``half[b] + 1``, or −1 for a leaf."""

    order: np.ndarray
    start: np.ndarray
    end: np.ndarray
    half: np.ndarray
    low: np.ndarray
    high: np.ndarray


def box_tree(values: np.ndarray, shapes: Shapes) -> BoxTree:
    """The boxes over the rows of ``values``, each halved in the key in which its members differ most; O(n log² n)."""
    return BoxTree(*_box_tree(values, shapes))


@njit(cache=True, nogil=True)
def _box_tree(values, shapes):
    n, keys = values.shape
    order = np.arange(n)
    room = 2 * n + 1
    start, end, half = np.zeros(room, np.int64), np.zeros(room, np.int64), np.full(room, -1, np.int64)
    low, high = np.zeros((room, keys), np.int64), np.zeros((room, keys), np.int64)
    end[0] = n
    boxes, box = 1, 0
    while box < boxes:
        members = order[start[box] : end[box]]
        _enclose_members(values, shapes, members, low[box], high[box])
        if members.size > LEAF:
            cut = _halve_members(values, members, _widest_key(values, shapes, members))
            for key in range(keys):
                if cut == 0:
                    cut = _halve_members(values, members, key)
            if cut > 0:
                half[box] = boxes
                start[boxes], end[boxes] = start[box], start[box] + cut
                start[boxes + 1], end[boxes + 1] = start[box] + cut, end[box]
                boxes += 2
        box += 1
    return order, start[:boxes], end[:boxes], half[:boxes], low[:boxes], high[:boxes]


@njit(cache=True, nogil=True)
def _enclose_members(values, shapes, members, low, high):
    for key in range(values.shape[1]):
        one, other = values[members[0], key], values[members[0], key]
        for place in range(1, members.size):
            value = values[members[place], key]
            one, other = widen_state(shapes, key, one, other, value, value)
        low[key], high[key] = one, other


@njit(cache=True, nogil=True)
def _widest_key(values, shapes, members):
    """The key in which two members far from each other in the order differ most, on average."""
    best, most = 0, -1.0
    middle = members.size // 2
    step = max(1, middle // PAIRS)
    for key in range(values.shape[1]):
        total = 0.0
        for place in range(0, middle, step):
            one, other = values[members[place], key], values[members[place + middle], key]
            low, high = widen_state(shapes, key, one, one, other, other)
            total += state_width(shapes, key, low, high)
        if total > most:
            best, most = key, total
    return best


@njit(cache=True, nogil=True)
def _halve_members(values, members, key):
    """Sort the members by a key; how many come before the change of value that lies nearest to the middle, 0 if none."""
    column = np.empty(members.size, np.int64)
    for place in range(members.size):
        column[place] = values[members[place], key]
    sorting = np.argsort(column, kind="mergesort")
    members[:] = members[sorting]
    column = column[sorting]
    middle = members.size // 2
    before, after = middle, middle
    while before > 0 and column[before - 1] == column[middle]:
        before -= 1
    while after < members.size and column[after] == column[middle]:
        after += 1
    if after == members.size or (before > 0 and middle - before <= after - middle):
        return before
    return after


@njit(cache=True, nogil=True)
def cheapest_partner(tree, shapes, clusters, low, high, size, cost, own, best, room):
    """The cluster other than ``own`` to which a group is added at the least increase of the total cost, below ``best``.

    The group has the state ``low``, ``high``, ``size`` records and costs ``cost`` per record. Returns the increase and
    the cluster, −1 when no increase is below ``best``. ``room`` keeps the marks of the clusters seen.
    """
    found = -1
    room.turn[0] += 1
    turn = room.turn[0]
    room.box[0], room.bound[0] = 0, 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        # an increase of the total below best means a joint cost below this
        limit = best / size + cost
        if room.bound[waiting] >= limit:
            continue
        box = room.box[waiting]
        half = tree.half[box]
        if half >= 0:
            one = joint_cost_bound(shapes, low, high, tree.low[half], tree.high[half], limit)
            other = joint_cost_bound(shapes, low, high, tree.low[half + 1], tree.high[half + 1], limit)
            far = half + 1 if one <= other else half
            if max(one, other) < limit:
                room.box[waiting], room.bound[waiting] = far, max(one, other)
                waiting += 1
            if min(one, other) < limit:
                room.box[waiting], room.bound[waiting] = 2 * half + 1 - far, min(one, other)
                waiting += 1
            continue
        for place in range(tree.start[box], tree.end[box]):
            cluster = clusters.of[tree.order[place]]
            if cluster == own or room.mark[cluster] == turn:
                continue
            room.mark[cluster] = turn
            together = size + clusters.size[cluster]
            before = size * cost + clusters.size[cluster] * clusters.cost[cluster]
            most = (best + before) / together
            now = joint_cost(shapes, low, high, clusters.low[cluster], clusters.high[cluster], most)
            if now < most:
                best, found = together * now - before, cluster
    return best, found
