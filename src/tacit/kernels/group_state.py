"""A partition that a search changes step by step and can take back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

SIZE, MARK, WAITS, IN_LOG, QUEUE = range(5)
"""Columns of ``Groups.each``."""
FIRST, WAITING, LOG, TICK, TRIAL, EMPTY = range(6)
"""Places in ``Groups.at``."""

FEW = 4
"""Groups that are formed anew together, at most."""

LIGHT = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
"""For functions that only other kernels call and that make no arrays: quick to compile, because there is no way in from
Python and no count of references."""

inner = njit(**LIGHT)


class Groups(NamedTuple):
    """Who is in which group, which groups are to be looked at, and how changed groups were before a trial.

    ``label[i]`` is the group of point i; group g has the points ``members[g, :each[g, SIZE]]`` and the centre
    ``centre[g]``. More columns of ``each``: the tick at which the group was last seen (MARK), whether it waits to be
    looked at (WAITS) in the ring QUEUE, whether it is IN_LOG. A row of ``log`` is a group, its size and its members
    before the trial. ``at``: where the ring starts, how many wait, the rows of the log, the tick, whether a trial is
    on, where to look for an empty group. ``pool`` and ``far`` are room to work in: the numbers of a few groups, then
    their points, and distances. Changes of the loss below ``grain`` are rounding.
    """

    points: np.ndarray
    label: np.ndarray
    members: np.ndarray
    centre: np.ndarray
    each: np.ndarray
    log: np.ndarray
    at: np.ndarray
    pool: np.ndarray
    far: np.ndarray
    grain: float


def groups_of(points: np.ndarray, group: np.ndarray, k: int) -> Groups:
    """The state of a partition into groups of k to 2k−1 points, all of them waiting; O(n·d) time and memory.

    Half of the groups at least are always empty, so that an empty one is near. A group may grow to 3k points until it is
    split, and has room for one more while it exchanges points.
    """
    n, d = points.shape
    most, room, made = 2 * (n // k), 3 * k + 1, int(group.max()) + 1
    each = np.zeros((most, 5), dtype=np.int64)
    size = each[:, SIZE] = np.bincount(group, minlength=most)
    each[:made, WAITS] = 1
    each[:, QUEUE] = np.arange(most)
    members, centre = np.zeros((most, room), dtype=np.int64), np.zeros((most, d))
    order = np.argsort(group, kind="stable")
    members[group[order], np.arange(n) - np.repeat(np.cumsum(size) - size, size)] = order
    for j in range(d):
        centre[:made, j] = np.bincount(group, weights=points[:, j]) / size[:made]
    log = np.zeros((min(64 + 8 * k, 2 * most), 2 + room), dtype=np.int64)
    at, label = np.array([0, made, 0, 0, 0, 0]), group.astype(np.int64)
    pool, far = np.zeros(FEW + FEW * room, dtype=np.int64), np.zeros(FEW * room)
    grain = 1e-12 * float(np.square(points).mean())
    return Groups(points, label, members, centre, each, log, at, pool, far, grain)


@inner
def wake_group(groups, g):
    """Let a group wait to be looked at."""
    each, at = groups.each, groups.at
    if each[g, WAITS] == 0:
        each[g, WAITS] = 1
        each[(at[FIRST] + at[WAITING]) % each.shape[0], QUEUE] = g
        at[WAITING] += 1


@inner
def log_group(groups, g):
    """In a trial, write down how a group is before it changes."""
    each, log, row = groups.each, groups.log, groups.at[LOG]
    if groups.at[TRIAL] == 1 and each[g, IN_LOG] == 0:
        each[g, IN_LOG] = 1
        groups.at[LOG] += 1
        log[row, 0], log[row, 1] = g, each[g, SIZE]
        for p in range(each[g, SIZE]):
            log[row, 2 + p] = groups.members[g, p]


@inner
def end_trial(groups, undo):
    """End a trial; with ``undo``, all groups are again as they were."""
    each, log, at = groups.each, groups.log, groups.at
    for row in range(at[LOG]):
        g = log[row, 0]
        each[g, IN_LOG] = 0
        if undo:
            each[g, SIZE] = log[row, 1]
            for p in range(log[row, 1]):
                groups.members[g, p] = log[row, 2 + p]
                groups.label[log[row, 2 + p]] = g
            update_centre(groups, g)
    at[LOG], at[TRIAL] = 0, 0


@inner
def squared_distance(points, x, places, g):
    """Squared distance of the row x of one table from the row g of another."""
    total = 0.0
    for j in range(points.shape[1]):
        step = points[x, j] - places[g, j]
        total += step * step
    return total


@inner
def update_centre(groups, g):
    """Compute the centre of a group anew; returns the sum of squared distances from it."""
    points, members = groups.points, groups.members
    size, squares = groups.each[g, SIZE], 0.0
    for j in range(points.shape[1]):
        total = 0.0
        for p in range(size):
            total += points[members[g, p], j]
        groups.centre[g, j] = total / (size if size > 1 else 1)
    for p in range(size):
        squares += squared_distance(points, members[g, p], groups.centre, g)
    return squares


@inner
def move_point(groups, x, target):
    """Move a point into another group; both have the right centre and size afterwards."""
    members, centre, each = groups.members, groups.centre, groups.each
    source = groups.label[x]
    for side in range(2):
        log_group(groups, target if side else source)
    p = 0
    while members[source, p] != x:
        p += 1
    each[source, SIZE] -= 1
    members[source, p] = members[source, each[source, SIZE]]
    members[target, each[target, SIZE]] = x
    each[target, SIZE] += 1
    groups.label[x] = target
    left = each[source, SIZE] if each[source, SIZE] > 1 else 1
    for j in range(centre.shape[1]):
        value = groups.points[x, j]
        centre[target, j] += (value - centre[target, j]) / each[target, SIZE]
        centre[source, j] -= (value - centre[source, j]) / left
