"""Search for groups of least loss: steps that improve, and trials that form a few groups anew."""

from __future__ import annotations

import numpy as np
from numba import njit

from .group_moves import formed, looked_at
from .group_state import FEW, FIRST, LOG, QUEUE, SIZE, TRIAL, WAITING, WAITS, ended, inner

__all__ = ["DRAWS", "search"]

DRAWS = 3 + 2 * (FEW - 1)
"""Random numbers for one trial."""
LOOKS = 40
"""Groups that are looked at in one trial, at most."""


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False)
def search(groups, near, k, looks, draws, heat):
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
            few = _chosen(groups, near, draws, trial)
            change, looks = formed(groups, few, k, draws[trial, 2]), LOOKS
        while at[WAITING] > 0 and looks != 0:
            g = each[at[FIRST], QUEUE]
            each[g, WAITS] = 0
            at[FIRST] = (at[FIRST] + 1) % each.shape[0]
            at[WAITING] -= 1
            if each[g, SIZE] >= 2 * k:
                groups.pool[0] = g
                change += formed(groups, one, k, 0.5)
            elif each[g, SIZE] > 0 and looks > 0 and at[LOG] < groups.log.shape[0] // 2:
                change += looked_at(groups, near, g, k)
                looks -= 1
                if trial >= 0 and looks == 0:
                    looks = -1
        if trial >= 0:
            undo = not change < -heat * np.log(1 - draws[trial, 0])
            ended(groups, undo)
            change *= not undo
        total += change
    return total


@inner
def _chosen(groups, near, draws, trial):
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
