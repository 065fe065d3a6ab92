"""The assignment of least total distance, over lists of near candidates that grow where they are too short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..kernels.nearest import Costs

__all__ = ["Assignment", "assigned"]

FIRST = 16
"""So many candidates each has at first, when the files are too large to have all."""
GROWTH = 4
ROUNDS = 20
LONGEST = 2**21
"""Lists that grow hold no more than so many candidates together."""


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """How many of each source go to which place.

    ``source[i]``, ``place[i]`` and ``many[i]`` describe one shipment, ``distance[i]`` how far it goes; ``rival[i]`` is
    how near another place is to its source, or another source to its place, whichever is nearer. ``left`` counts what
    found no place within reach: 0 says that the assignment is the best of all.
    """

    source: np.ndarray
    place: np.ndarray
    many: np.ndarray
    distance: np.ndarray
    rival: np.ndarray
    left: int


def assigned(
    points: np.ndarray,
    queries: np.ndarray,
    costs: Costs,
    *,
    supply: np.ndarray,
    capacity: np.ndarray,
    told: Callable[[float], None],
) -> Assignment:
    """Every query's supply to points with capacity, so that the sum of all distances is least.

    A query may keep its supply for the distance of the last candidate on its list: when nobody does, no longer list could
    make the sum smaller, because all that it would add lies farther. Where somebody does, its list grows and all is
    assigned anew. Never more than O(n + m) candidates a round, beside the fixed number LONGEST.
    """
    from ..kernels.near_lists import near_lists
    from ..kernels.transport import graph, shipped

    places = len(points)
    length = places if places * len(queries) <= LONGEST else min(FIRST, places)
    rows, distances = near_lists(points, queries, costs, length)
    lists, far = list(rows), list(distances)
    nobody = np.append(capacity, supply.sum())
    for round_ in range(ROUNDS):
        told(1.0 - 0.5 ** (round_ + 1))
        start, place, cost = _edges(lists, far, places)
        edges = graph(start, place, cost)
        done = shipped(edges, supply, nobody)
        kept = (edges.place == places) & (done.flow > 0)
        if not kept.any() or not _grown(lists, far, np.unique(edges.source[kept]), points, queries, costs):
            break
    sent = np.flatnonzero((done.flow > 0) & ~kept)
    rival = _rivals(edges.source, place, cost, places)[sent]
    left = int(done.flow[kept].sum())
    return Assignment(edges.source[sent], place[sent], done.flow[sent], cost[sent], rival, left)


def _grown(
    lists: list[np.ndarray],
    far: list[np.ndarray],
    short: np.ndarray,
    points: np.ndarray,
    queries: np.ndarray,
    costs: Costs,
) -> bool:
    """Make the lists of some sources longer, each by the same factor; False when that would be too much."""
    from ..kernels.near_lists import near_lists

    longer = np.array([min(GROWTH * len(lists[one]), len(points)) for one in short])
    if longer.sum() > LONGEST:
        return False
    for length in np.unique(longer):
        some = short[longer == length]
        rows, distances = near_lists(points, queries[some], costs, int(length))
        for one, row, distance in zip(some, rows, distances, strict=True):
            lists[one], far[one] = row, distance
    return True


def _edges(lists: list[np.ndarray], far: list[np.ndarray], places: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All candidates source by source; a list that is not complete ends with keeping the supply, place ``places``."""
    sizes = np.array([len(list_) for list_ in lists])
    start = np.append(0, np.cumsum(sizes + (sizes < places)))
    place, cost = np.full(start[-1], places), np.empty(start[-1])
    own = np.arange(sizes.sum()) + np.repeat(start[:-1] - (np.cumsum(sizes) - sizes), sizes)
    place[own], cost[own] = np.concatenate(lists), np.concatenate(far)
    short = sizes < places
    cost[start[1:][short] - 1] = [list_[-1] for list_, more in zip(far, short, strict=True) if more]
    return start, place, cost


def _rivals(source: np.ndarray, place: np.ndarray, cost: np.ndarray, places: int) -> np.ndarray:
    """For each edge the least cost of another one with the same source or the same place."""
    real = np.flatnonzero(place < places)
    rival = np.full(len(cost), np.inf)
    rival[real] = np.minimum(_nearest_other(source[real], cost[real]), _nearest_other(place[real], cost[real]))
    return rival


def _nearest_other(end: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """For each edge the least cost of another edge with the same end; infinite without any."""
    order = np.lexsort((cost, end))
    begins = np.append(True, np.diff(end[order]) != 0)
    first = order[begins]
    second = np.append(cost[order], np.inf)[np.flatnonzero(begins) + 1]
    alone = np.append(begins[1:], True)[begins]
    run = np.cumsum(begins) - 1
    found = np.empty(len(cost))
    found[order] = cost[first][run]
    found[first] = np.where(alone, np.inf, second)
    return found
