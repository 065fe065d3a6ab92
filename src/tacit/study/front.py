"""Which points are worth looking at: the Pareto set of risk and loss, and how much of the map it takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

Place: TypeAlias = tuple[float, float]
"""Risk and loss, both the less the better."""


def dominates(one: Place, other: Place) -> bool:
    """Whether one is nowhere worse than the other, and somewhere better.

    >>> dominates((0.1, 0.2), (0.1, 0.3)), dominates((0.1, 0.2), (0.1, 0.2)), dominates((0.1, 0.3), (0.2, 0.2))
    (True, False, False)
    """
    return one[0] <= other[0] and one[1] <= other[1] and one != other


def front(places: Sequence[Place]) -> tuple[int, ...]:
    """The numbers of the points that no other dominates, by growing risk; equal points are all in it. O(n log n) time.

    >>> front([(0.5, 0.1), (0.1, 0.5), (0.5, 0.5), (0.1, 0.5)])
    (1, 3, 0)
    """
    if not len(places):
        return ()
    risk, loss = np.array(places, dtype=float).T
    order = np.lexsort((loss, risk))
    # A point is dominated by one with less risk and no more loss, or with the same risk and less loss.
    best = np.minimum.accumulate(loss[order])
    group = np.r_[True, np.diff(risk[order]) > 0]
    first = np.maximum.accumulate(np.where(group, np.arange(len(order)), 0))
    before = np.where(first > 0, best[np.maximum(first - 1, 0)], np.inf)
    least = loss[order][first]
    kept = (loss[order] < before) & (loss[order] == least)
    return tuple(int(place) for place in order[kept])


def hypervolume(places: Iterable[Place], *, corner: Place = (1.0, 1.0)) -> float:
    """The area of the map that some point dominates, up to the worst corner: the larger, the better the set.

    >>> hypervolume([(0.5, 0.25), (0.25, 0.5)])
    0.5

    References
    ----------
    Zitzler and Thiele (1998), Multiobjective optimization using evolutionary algorithms: a comparative case study,
    PPSN V, LNCS 1498, 292–301.
    """
    inside = [place for place in places if place[0] < corner[0] and place[1] < corner[1]]
    kept = [inside[place] for place in front(inside)]
    area, height = 0.0, corner[1]
    for risk, loss in kept:
        area += (corner[0] - risk) * max(0.0, height - loss)
        height = min(height, loss)
    return area
