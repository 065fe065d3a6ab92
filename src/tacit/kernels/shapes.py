"""What values of a key look like when they share one label: an interval, a node of a hierarchy, or a set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

ORDERED, TREE, SET = 0, 1, 2
"""Values with an order (their label is an interval), values of a hierarchy (a node), values without either (a set)."""


class Shapes(NamedTuple):
    """One entry per key in ``form``; a state of a key is a pair (low, high) of whole numbers.

    ORDERED: both are nodes, and ``place[node]`` lies in [0, 1], beyond that for missing. TREE: both are the node, each
    node's number is below that of its ``parent``, and ``place[node]`` is what the label costs. SET: both are the bits
    of the values; each further value costs ``unit[key]``, and the bit ``blank[key]`` is that of missing. Nodes of all
    keys follow each other in one numbering. The cost of missing together with values is 1: such a cell is blank.
    """

    form: np.ndarray
    place: np.ndarray
    parent: np.ndarray
    unit: np.ndarray
    blank: np.ndarray


@njit(cache=True, nogil=True)
def _lowest_common_node(parent, one, other):
    """The lowest node above both: whoever has the smaller number cannot be it, so climbs."""
    while one != other:
        if one < other:
            one = parent[one]
        else:
            other = parent[other]
    return one


@njit(cache=True, nogil=True)
def widen_state(shapes, key, low, high, more_low, more_high):
    """The state of two states of a key together."""
    if shapes.form[key] == ORDERED:
        return min(low, more_low), max(high, more_high)
    if shapes.form[key] == TREE:
        node = _lowest_common_node(shapes.parent, low, more_low)
        return node, node
    bits = low | more_low
    return bits, bits


@njit(cache=True, nogil=True)
def state_width(shapes, key, low, high):
    """What a state costs: 0 for one value, 1 for all of them or for a blank."""
    if shapes.form[key] == ORDERED:
        return min(1.0, shapes.place[high] - shapes.place[low])
    if shapes.form[key] == TREE:
        return shapes.place[low]
    if low & shapes.blank[key]:
        return 0.0 if low == shapes.blank[key] else 1.0
    values = -1
    while low:
        low &= low - 1
        values += 1
    return values * shapes.unit[key]


@njit(cache=True, nogil=True)
def joint_cost(shapes, low, high, more_low, more_high, limit):
    """What two groups cost per record as one, over all keys; any number from ``limit`` on when it is not below it."""
    total = 0.0
    for key in range(shapes.form.size):
        if shapes.form[key] == ORDERED:
            total += min(1.0, shapes.place[max(high[key], more_high[key])] - shapes.place[min(low[key], more_low[key])])
        elif shapes.form[key] == TREE:
            total += shapes.place[_lowest_common_node(shapes.parent, low[key], more_low[key])]
        else:
            bits = low[key] | more_low[key]
            total += state_width(shapes, key, bits, bits)
        if total >= limit:
            return total
    return total


@njit(cache=True, nogil=True)
def joint_cost_bound(shapes, low, high, box_low, box_high, limit):
    """A bound from below on what a group costs per record together with any member of a box of groups."""
    total = 0.0
    for key in range(shapes.form.size):
        if shapes.form[key] == ORDERED:
            near, far = min(low[key], box_high[key]), max(high[key], box_low[key])
            total += min(1.0, shapes.place[far] - shapes.place[near])
        elif shapes.form[key] == TREE:
            node, box = low[key], box_low[key]
            while node < box:
                node = shapes.parent[node]
            # under the box's node there may be a member that shares the label already
            total += (
                shapes.place[low[key]] if node == box else shapes.place[_lowest_common_node(shapes.parent, node, box)]
            )
        else:
            more = 0.0 if low[key] & box_low[key] else shapes.unit[key]
            total += min(1.0, state_width(shapes, key, low[key], low[key]) + more)
        if total >= limit:
            return total
    return total


@njit(cache=True, nogil=True)
def group_states(shapes, values, of, count):
    """The state of each of ``count`` groups in each key; row i of ``values`` lies in group ``of[i]``."""
    keys = values.shape[1]
    low, high = np.full((count, keys), -1, np.int64), np.full((count, keys), -1, np.int64)
    for i in range(of.size):
        group = of[i]
        for key in range(keys):
            value = values[i, key]
            if low[group, key] < 0:
                low[group, key] = value
                high[group, key] = value
            else:
                low[group, key], high[group, key] = widen_state(
                    shapes, key, low[group, key], high[group, key], value, value
                )
    return low, high


@njit(cache=True, nogil=True)
def summed_widths(shapes, low, high):
    """What the states of some groups cost in each key, summed over the groups."""
    total = np.zeros(shapes.form.size)
    for group in range(low.shape[0]):
        for key in range(shapes.form.size):
            total[key] += state_width(shapes, key, low[group, key], high[group, key])
    return total
