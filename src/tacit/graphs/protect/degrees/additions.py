"""Edges for anonymous degrees when none may be taken away: classes rise until everybody finds partners."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ....progress import report
from .lend import lend
from .realise import pair_up
from .working import Working

if TYPE_CHECKING:
    from ....progress import Progress

__all__ = ["realise_by_additions"]


def realise_by_additions(work: Working, k: int, progress: Progress | None = None) -> np.ndarray:
    """The edges of a graph that contains this one and has k-anonymous degrees; the wanted ones rise where they must.

    Nodes that lack edges are joined with each other; hubs that run out of such partners take nodes that large classes
    can spare; and where there are none, a whole class rises by one. That ends: no class rises above n − 1, and when all
    are there, every pair that is not joined lacks an edge at both ends.
    """
    work.slack = math.inf
    begun = max(1, work.left)
    pair_up(work)
    lend(work, k, even=False)
    while work.left:
        report(progress, "adding edges", max(0.0, 1 - work.left / begun))
        _raise_a_class(work)
        pair_up(work)
        lend(work, k, even=False)
    return work.edges()


def _raise_a_class(work: Working) -> None:
    """The smallest class that has as many nodes as ends are lacking, or else the largest, wants one edge more."""
    values, counts = np.unique(work.wanted, return_counts=True)
    free = values < len(work.near) - 1
    values, counts = values[free], counts[free]
    enough = np.flatnonzero(counts >= work.left)
    chosen = enough[np.argmin(counts[enough])] if len(enough) else np.argmax(counts)
    for node in np.flatnonzero(work.wanted == values[chosen]).tolist():
        work.wanted[node] += 1
        work.lacks[node] += 1
