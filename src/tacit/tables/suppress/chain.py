"""The heuristic chain: several first patterns, each cleaned up, and the best that can be made from them."""

from __future__ import annotations

import numpy as np

from ...progress import Progress, part
from ..pattern import Pattern
from ..problem import Problem
from .clean import cleaned
from .elimination import elimination
from .flow import flow
from .hypercube import hypercube
from .joined import MOST, joined, within
from .lean import leaner
from .paths import Paths

__all__ = ["by_elimination", "by_flow", "by_hypercube", "heuristic"]

WORK = 600_000
"""Secondary cells × cells up to which further attempts are made."""

TURNS = (2.0, 0.5, 2.0, 0.5)
"""How much dearer cells that were used before are made, one attempt after the other, to get different patterns."""


def heuristic(problem: Problem, *, progress: Progress | None = None) -> Pattern:
    """Flow with clean-up; in tables of some thousand cells also from other starts, joined by a small exact search (G-04).

    The cost of what must be hidden anyway is the bound: a pattern without secondary cells is optimal.
    Deterministic: no draw and no clock.
    """
    paths = Paths(problem)
    grown = flow(problem, paths=paths, progress=part(progress, 0.0, 0.2))
    if int((grown & ~problem.must).sum()) * problem.size > WORK:
        grown = leaner(problem, grown, progress=part(progress, 0.2, 0.3))
    first = cleaned(problem, grown, progress=part(progress, 0.3, 0.4))
    extra = int((first & ~problem.must).sum())
    if not extra or extra * problem.size > WORK:
        return _pattern(problem, first, "flow", "clean-up")
    found = [first, _refitted(problem, elimination(problem), paths)]
    if extra > MOST:  # too many to be joined: further attempts would only take time
        return _pattern(problem, min(found, key=problem.total_cost), "flow", "elimination", "clean-up")
    if problem.table.dimensions:
        found.append(_refitted(problem, hypercube(problem), paths))
    base = problem.cost + 1e-6 * max(1.0, float(problem.cost.max(initial=0.0)))
    for turn in TURNS:
        used = np.mean(found, axis=0)
        found.append(cleaned(problem, flow(problem, prices=base * (1 + turn * used), paths=paths)))
    best = cleaned(problem, joined(problem, found, progress=part(progress, 0.6, 1.0)))
    return _pattern(problem, best, "flow", "elimination", "joined", "clean-up")


def by_flow(problem: Problem, *, progress: Progress | None = None) -> Pattern:
    """Flow and clean-up alone."""
    grown = flow(problem, progress=part(progress, 0.0, 0.5))
    return _pattern(problem, cleaned(problem, grown, progress=part(progress, 0.5, 1.0)), "flow", "clean-up")


def by_elimination(problem: Problem, *, progress: Progress | None = None) -> Pattern:
    """Elimination, flow for what is short of its levels, and clean-up."""
    start = elimination(problem, progress=part(progress, 0.0, 0.3))
    refitted = _refitted(problem, start, Paths(problem), progress=part(progress, 0.3, 1.0))
    return _pattern(problem, refitted, "elimination", "flow", "clean-up")


def by_hypercube(problem: Problem, *, progress: Progress | None = None) -> Pattern:
    """Hypercubes, flow for what is short of its levels, and clean-up."""
    refitted = _refitted(problem, hypercube(problem), Paths(problem), progress=progress)
    return _pattern(problem, refitted, "hypercube", "flow", "clean-up")


def _refitted(problem: Problem, start: np.ndarray, paths: Paths, *, progress: Progress | None = None) -> np.ndarray:
    """A first pattern made to hold, cut down to what flow takes of it, then cleaned."""
    holds = flow(problem, start=start, paths=paths, progress=part(progress, 0.0, 0.3))
    lean = flow(within(problem, holds), progress=part(progress, 0.3, 0.6))
    return cleaned(problem, lean, progress=part(progress, 0.6, 1.0))


def _pattern(problem: Problem, hidden: np.ndarray, *methods: str) -> Pattern:
    return Pattern(
        hidden=hidden,
        cost=problem.total_cost(hidden),
        bound=float(problem.cost[problem.must].sum()) if (problem.cost >= 0).all() else float("-inf"),
        methods=methods,
    )
