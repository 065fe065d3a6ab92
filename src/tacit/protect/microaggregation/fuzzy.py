"""Fuzzy microaggregation: each record takes the centre of a group near to it by lot, not that of its own group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .grouped import Grouped

__all__ = ["NEAREST", "memberships", "redrawn"]

NEAREST = 8
"""A record takes one of so many nearest centres."""
BATCH = 1 << 17
"""So many records are drawn for at a time."""
TINY = 1e-300
"""Squared distances from here on: a record on its centre has all the membership."""


def redrawn(groups: Grouped, k: int, m: float, rng: np.random.Generator) -> np.ndarray:
    r"""The group whose centre each unit takes: drawn by membership, and taken by k units or more.

    Memberships are those of fuzzy c-means among the eight nearest centres of the unit's cell (:func:`memberships`).
    Centres that fewer than k units drew are given up, those with fewest first, and their units draw again among the
    centres left; at least one is left, because n units share at most n/k centres. O(n log n) time.

    References
    ----------
    Torra (2017), Fuzzy microaggregation for the transparency principle, Journal of Applied Logic 23, 70–80.
    """
    taken = np.empty_like(groups.group)
    for cell in groups.cells():
        group = groups.group[cell]
        taken[cell] = group.min() + _drawn(groups.points[cell], group - group.min(), k, m, rng)
    return taken


def memberships(squares: np.ndarray, m: float) -> np.ndarray:
    r"""The memberships of fuzzy c-means from squared distances, one row per record.

    .. math:: u_{ik} = \frac{d_{ik}^{-2/(m-1)}}{\sum_l d_{il}^{-2/(m-1)}}

    Near m = 1 all of it is with the nearest centre, for large m it is shared evenly.

    >>> memberships(np.array([[1.0, 4.0]]), m=2).tolist()
    [[0.8, 0.2]]

    References
    ----------
    Bezdek (1981), Pattern recognition with fuzzy objective function algorithms, Plenum Press.
    """
    with np.errstate(divide="ignore"):
        power = -np.log(np.maximum(squares, TINY)) / (m - 1)
    share = np.exp(power - power.max(axis=1, keepdims=True))
    found: np.ndarray = share / share.sum(axis=1, keepdims=True)
    return found


def _drawn(points: np.ndarray, group: np.ndarray, k: int, m: float, rng: np.random.Generator) -> np.ndarray:
    size = np.bincount(group)
    centres = np.column_stack([np.bincount(group, weights=column) / size for column in points.T])
    taken = _near(points, centres, m, rng)
    alive = np.ones(len(centres), dtype=bool)
    for fewest in range(1, k):
        count = np.bincount(taken, minlength=len(centres))
        given_up = alive & (count <= fewest)
        alive &= ~given_up
        left = np.flatnonzero(alive)
        again = np.flatnonzero(given_up[taken])
        if len(again):
            taken[again] = left[_near(points[again], centres[left], m, rng)]
    return taken


def _near(points: np.ndarray, centres: np.ndarray, m: float, rng: np.random.Generator) -> np.ndarray:
    """A centre near to each point, drawn by membership; in batches, so that little memory is needed."""
    from scipy.spatial import cKDTree

    tree, nearest = cKDTree(centres), np.arange(1, min(NEAREST, len(centres)) + 1)
    found = np.empty(len(points), dtype=np.int64)
    for start in range(0, len(points), BATCH):
        batch = slice(start, start + BATCH)
        distance, place = tree.query(points[batch], k=nearest)
        cumulated = np.cumsum(memberships(np.square(distance), m), axis=1)
        drawn = (rng.random(len(place))[:, None] >= cumulated[:, :-1]).sum(axis=1)
        found[batch] = np.take_along_axis(place, drawn[:, None], axis=1)[:, 0]
    return found
