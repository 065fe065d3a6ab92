"""The cheapest pattern that uses only cells of given patterns: what several attempts know together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...progress import Progress
from ..problem import Problem, Status
from .exact.exact import exact
from .limits import Limits

__all__ = ["MOST", "joined", "within"]

MOST = 110
"""So many secondary cells are chosen from: few enough for a search that ends."""

LIMITS = Limits(nodes=2_000, iterations=60_000)


def joined(problem: Problem, patterns: Sequence[np.ndarray], *, progress: Progress | None = None) -> np.ndarray:
    """The cheapest pattern found within the union of the patterns, all of which protect; never dearer than the cheapest (G-04).

    Patterns are taken in, cheapest first, while the union has no more than :data:`MOST` secondary cells. Over so few cells
    the exact method ends soon, or stops at a small limit with what it has.
    """
    ordered = sorted(patterns, key=problem.total_cost)
    best = union = ordered[0]
    for pattern in ordered[1:]:
        if int(((union | pattern) & ~problem.must).sum()) <= MOST:
            union = union | pattern
    if int((union & ~best).sum()) == 0:
        return best
    found = exact(within(problem, union), limits=LIMITS, start=best, progress=progress).hidden
    return found if problem.total_cost(found) < problem.total_cost(best) else best


def within(problem: Problem, hidden: np.ndarray) -> Problem:
    """The same problem when no cell outside a pattern may be hidden."""
    outside = problem.may & ~hidden
    return replace(problem, status=np.where(outside, Status.PUBLISHED, problem.status).astype(problem.status.dtype))
