"""The exact search of a lattice or of a part of it, in slices of work between which it reports and may end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .layout import SearchRange, lay_out

if TYPE_CHECKING:
    from .problem import Problem


SLICE = 20_000_000
"""Work between two reports: groups handled, about a tenth of a second."""
ROOM = 1 << 14
"""Evaluated nodes kept in the kernel before they are fetched."""


@dataclass(slots=True, eq=False)
class SearchResult:
    """The best nodes, cheapest first, and every node that was evaluated; ``done`` when nothing is left to search."""

    levels: np.ndarray
    scores: np.ndarray
    removed: np.ndarray
    done: bool
    checked: int
    seen: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)


def run_search(problem: Problem, wanted: SearchRange, *, going: Callable[[float], bool] | None = None) -> SearchResult:
    """Search; ``going(share)`` is called after every slice with about the share done, and ends it by False.

    The columns that identify most for the branches they open, bits over the logarithm of the levels, are decided first:
    a projection that fails or costs too much then cuts off much of the lattice.
    """
    from ...kernels.lattice_search import BestNodes, EvaluatedNodes, path_of, search_lattice

    branches = np.log(np.maximum(2, wanted.high - wanted.low + 1))
    order = np.lexsort((-problem.bits / branches, wanted.high > wanted.low))
    lattice, stack, _ = lay_out(problem, wanted, order)
    path = path_of(lattice, stack.keys.shape[1])
    columns = len(order)
    best = BestNodes(
        np.full(wanted.keep, np.inf),
        np.zeros((wanted.keep, columns), np.int64),
        np.zeros(wanted.keep, np.int64),
        np.array([wanted.worst]),
    )
    seen = EvaluatedNodes(
        np.zeros(1, np.int64), np.empty((ROOM, columns), np.int64), np.empty(ROOM), np.empty(ROOM, np.int64)
    )
    back = np.argsort(order)
    found = SearchResult(best.level[:0], best.score[:0], best.removed[:0], False, 0)
    while True:
        found.done = search_lattice(lattice, problem.rules, problem.coarse, stack, path, best, seen, SLICE)
        count = int(seen.filled[0])
        found.checked += count
        if wanted.remember:
            found.seen.append(
                (seen.level[:count, back].astype(np.uint8), seen.score[:count].copy(), seen.removed[:count].copy())
            )
        seen.filled[0] = 0
        if found.done or (going is not None and not going(_share_done(lattice, path))):
            break
    there = np.isfinite(best.score)
    found.levels, found.scores, found.removed = best.level[there][:, back], best.score[there], best.removed[there]
    return found


def _share_done(lattice: Any, path: Any) -> float:
    """About how much of the lattice lies behind the path, if its parts were alike."""
    share, width = 0.0, 1.0
    for low, high, level in zip(lattice.low, lattice.high, path.level, strict=True):
        width /= high - low + 1
        share += (level - low) * width
    return min(1.0, share)


def failing_classes(problem: Problem, levels: np.ndarray) -> np.ndarray:
    """Which finest classes of the release lie in a group that breaks a rule at the given levels."""
    from ...kernels.lattice_search import mark_failures

    _, stack, of_class = lay_out(problem, SearchRange(low=levels, high=levels), np.arange(len(levels)))
    broken: np.ndarray = mark_failures(problem.rules, stack)[of_class]
    return broken
