"""Search for groups of least loss: steps that improve, and trials that form a few groups anew."""

from __future__ import annotations

import numpy as np
from numba import njit

from .group_state import (
    EMPTY,
    FEW,
    FIRST,
    LIGHT,
    LOG,
    MARK,
    QUEUE,
    SIZE,
    TICK,
    TRIAL,
    WAITING,
    WAITS,
    end_trial,
    inner,
    log_group,
    move_point,
    squared_distance,
    update_centre,
    wake_group,
)

DRAWS = 3 + 2 * (FEW - 1)
"""Random numbers for one trial."""

LOOKS = 40
"""Groups that are looked at in one trial, at most."""

PARTNERS = 24
"""Of larger groups, only about so many members are tried as partners of a swap or a chain."""

CLOSE = 6
"""Points from the head of the list of near ones that a chain may take."""


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False)
def search_groups(groups, near, k, looks, draws, heat):
    """Improve the groups that wait; then make a trial for each row of ``draws``, numbers in [0, 1).

    Up to ``looks`` waiting groups are looked at: each point may go to the group of a point in its list ``near``, alone
    when its own group has more than k points, else in exchange for a point of that group or of a third one that has
    more than k; then the group is dissolved when its points fit better into near groups. A group that has reached 2k
    points is split, which never costs. What has changed waits to be looked at again. With ``looks`` below zero groups
    are only split.

    A trial pools two to four near groups, forms groups around random points of the pool, and improves them and what is
    near. The outcome stays when the loss rises by less than ``heat`` times an exponential random number, else it is
    taken back. Returns by how much the loss has changed. Time depends on the changes, not on n.
    """
    at, each = groups.at, groups.each
    total, one = 0.0, np.int64(1)  # a literal 1 would be a type of its own
    for trial in range(-1, draws.shape[0]):
        change = 0.0
        if trial >= 0:
            at[TRIAL] = 1
            few = _choose_groups(groups, near, draws, trial)
            change, looks = form_groups(groups, few, k, draws[trial, 2]), LOOKS
        while at[WAITING] > 0 and looks != 0:
            g = each[at[FIRST], QUEUE]
            each[g, WAITS] = 0
            at[FIRST] = (at[FIRST] + 1) % each.shape[0]
            at[WAITING] -= 1
            if each[g, SIZE] >= 2 * k:
                groups.pool[0] = g
                change += form_groups(groups, one, k, 0.5)
            elif each[g, SIZE] > 0 and looks > 0 and at[LOG] < groups.log.shape[0] // 2:
                change += looked_at(groups, near, g, k)
                looks -= 1
                if trial >= 0 and looks == 0:
                    looks = -1
        if trial >= 0:
            undo = not change < -heat * np.log(1 - draws[trial, 0])
            end_trial(groups, undo)
            change *= not undo
        total += change
    return total


@inner
def _choose_groups(groups, near, draws, trial):
    """Put two to four groups, each near one of those before, into the pool; returns their number."""
    label, pool = groups.label, groups.pool
    few, pool[0] = np.int64(1), label[int(draws[trial, 1] * label.size)]
    for place in range(3, DRAWS, 2):
        g = pool[int(draws[trial, place] * few)]
        x = groups.members[g, int(draws[trial, place + 1] * groups.each[g, SIZE])]
        g = label[near[x, int(draws[trial, place + 1] * 7919 % 1.0 * near.shape[1])]]
        known = False
        for other in range(few):
            known = known or pool[other] == g
        if not known:
            pool[few] = g
            few += 1
    return few


@njit(inline="always", **LIGHT)  # called once only: all below it is optimised once less
def looked_at(groups, near, g, k):
    """Try to move each point of a group, then to dissolve it; returns by how much the loss has changed."""
    total, each, full = 0.0, groups.each, groups.log.shape[0] // 2
    update_centre(groups, g)
    p = each[g, SIZE] - 1
    while p >= 0 and groups.at[LOG] < full:
        first = x = groups.members[g, p]
        change, target, other = _best_move(groups, near, x, k)
        if change < 0:
            total += change
            while x >= 0:  # x goes, then the other comes; each call in the text would be compiled again
                wake_group(groups, groups.label[x])
                move_point(groups, x, target)
                x, target, other = other, g, np.int64(-1)
            wake_group(groups, groups.label[first])
        p = (each[g, SIZE] if each[g, SIZE] < p else p) - 1
    if groups.at[LOG] < full:
        total += _dissolve_group(groups, near, g)
    return total


@inner
def _best_move(groups, near, x, k):
    """The change of the loss, the group that x goes to, and the point that comes to its old group instead, or −1."""
    points, centre = groups.points, groups.centre
    each, members, label = groups.each, groups.members, groups.label
    g = label[x]
    own, n, other = squared_distance(points, x, centre, g), each[g, SIZE], np.int64(-1)
    best, target = -groups.grain - 1e-9 * own, g
    joins, joined = np.inf, g
    groups.at[TICK] += 1
    for t in range(near.shape[1]):
        h = label[near[x, t]]
        if h == g or each[h, MARK] == groups.at[TICK]:
            continue
        each[h, MARK] = groups.at[TICK]
        there, m = squared_distance(points, x, centre, h), each[h, SIZE]
        if m < 2 * k and there * m / (m + 1) < joins:
            joins, joined = there * m / (m + 1), h
        if there < 2 * own:
            both = 1 / n + 1 / m
            for p in range(0, m, 1 + m // PARTNERS):
                y, change = members[h, p], 0.0
                for j in range(points.shape[1]):
                    step = points[x, j] - points[y, j]
                    change += step * (2 * (centre[g, j] - centre[h, j]) - both * step)
                if change < best:
                    best, target, other = change, h, y
    if n > k:
        if joins - own * n / (n - 1) < best:
            return joins - own * n / (n - 1), joined, np.int64(-1)
    elif joins < 2 * own:
        close = CLOSE if near.shape[1] > CLOSE else near.shape[1]
        for p in range(0, n, 1 + n // PARTNERS):
            for t in range(close):
                z = np.int64(near[members[g, p], t])
                h = label[z]
                m = each[h, SIZE]
                if h != g and h != joined and m > k:
                    change = (
                        joins
                        - own
                        + squared_distance(points, z, centre, g)
                        - squared_distance(points, x, points, z) / n
                    )
                    change -= squared_distance(points, z, centre, h) * m / (m - 1)
                    if change < best:
                        best, target, other = change, joined, z
    return best * (target != g), target, other


@inner
def _dissolve_group(groups, near, g):
    """Move the points of a group into near ones one by one; take it back when that does not lower the loss."""
    each, label, points = groups.each, groups.label, groups.pool
    moved = 0
    change, count = -update_centre(groups, g) * (1 - 1e-9) + groups.grain, each[g, SIZE]
    for p in range(count):
        points[p] = groups.members[g, p]
    while 0 <= moved < count:
        x, cost, target = points[moved], np.inf, g
        for t in range(near.shape[1] if change < 0 else 0):
            h = label[near[x, t]]
            size = each[h, SIZE]
            if h != g and size < groups.members.shape[1] - 1:
                joins = squared_distance(groups.points, x, groups.centre, h) * size / (size + 1)
                if joins < cost:
                    cost, target = joins, h
        change += cost
        if target != label[x] and (change < 0 or target == g):
            move_point(groups, x, target)
        moved += 1 if change < 0 else -1
    for p in range(count if change < 0 else 0):
        wake_group(groups, label[points[p]])
    return change if change < 0 else 0.0


@inner
def form_groups(groups, few, k, draw):
    """Form the points of the first groups of the pool into groups of k to 2k−1 anew, each around a random point left.

    Returns by how much the loss has changed; it falls when a group of 2k points or more is split.
    """
    each, members = groups.each, groups.members
    count, change = 0, 0.0
    pool, far = groups.pool, groups.far
    for place in range(few):
        g = pool[place]
        change -= update_centre(groups, g)
        log_group(groups, g)
        for p in range(each[g, SIZE]):
            pool[FEW + count] = members[g, p]
            count += 1
        each[g, SIZE] = 0
    while count > 0:
        size = k if count >= 2 * k else count
        draw = draw * 997 % 1.0
        centre = pool[FEW + int(draw * count)]
        for p in range(count):
            far[p] = squared_distance(groups.points, pool[FEW + p], groups.points, centre)
        while each[groups.at[EMPTY], SIZE] > 0:
            groups.at[EMPTY] = (groups.at[EMPTY] + 1) % each.shape[0]
        g = groups.at[EMPTY]
        log_group(groups, g)
        for place in range(size):
            nearest = 0
            for p in range(1, count):
                if far[p] < far[nearest]:
                    nearest = p
            count -= 1
            members[g, place] = pool[FEW + nearest]
            groups.label[pool[FEW + nearest]] = g
            pool[FEW + nearest], far[nearest] = pool[FEW + count], far[count]
        each[g, SIZE] = size
        change += update_centre(groups, g)
        wake_group(groups, g)
    return change
