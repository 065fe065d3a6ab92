"""Hide more where a sole contributor, who knows its own cell, would see through the pattern."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...progress import Progress, report
from ..audit.insiders import Insider, insiders
from ..audit.owners import lower_for
from ..problem import Problem, Status
from .flow import flow, short_of
from .limits import CannotProtect
from .needs import Needs

__all__ = ["against_insiders"]

ROUNDS = 5
"""Hidden cells bring in new sole contributors; after so many passes those left are told of, not hidden from."""

PRUNED = 60
"""Up to so many secondary cells are tried one by one, each against all insiders."""


def against_insiders(problem: Problem, hidden: np.ndarray, *, progress: Progress | None = None) -> np.ndarray:
    """The pattern with further cells, so that no sole contributor learns more of others than an outsider may (G-04).

    Whoever stands alone behind a suppressed cell knows it; if an unsafe cell is protected by that cell alone, its only
    protection is gone for this one reader. Each unsafe cell of which such a reader learns too much gets a movement that
    leaves the reader's own cells where they are. Where no such movement exists nothing is added: the audit tells.
    In small patterns the cells that are then needless are published again.
    """
    given, hopeless = hidden, set[tuple[int, ...]]()
    for turn in range(ROUNDS):
        report(progress, "insiders", turn / ROUNDS)
        learning = [one for one in insiders(problem, hidden) if tuple(one.cells.tolist()) not in hopeless]
        if not learning:
            break
        for one in learning:
            try:
                hidden = flow(_seen_by(problem, one), start=hidden)
            except CannotProtect:
                hopeless.add(tuple(one.cells.tolist()))
    return hidden if hidden is given else _pruned(problem, hidden)


def _pruned(problem: Problem, hidden: np.ndarray) -> np.ndarray:
    """The pattern without the secondary cells that can go, dearest first, with nobody learning more; only where few are tried."""
    spare = np.flatnonzero(hidden & ~problem.must)
    needs = Needs.of(problem)
    if len(spare) > PRUNED or len(short_of(problem, hidden, needs)):
        return hidden
    known = _learnt(problem, hidden)
    for cell in spare[np.lexsort((spare, -problem.cost[spare]))]:
        without = hidden.copy()
        without[cell] = False
        if not len(short_of(problem, without, needs)) and (_learnt(problem, without) <= known).all():
            hidden = without
    return hidden


def _learnt(problem: Problem, hidden: np.ndarray) -> np.ndarray:
    """How many pairs of a sole contributor and an unsafe cell are known exactly, and how many too well or exactly."""
    found = insiders(problem, hidden)
    exact = sum(len(one.exact) for one in found)
    return np.array([exact, exact + sum(len(one.short) for one in found)])


def _seen_by(problem: Problem, insider: Insider) -> Problem:
    """The problem for a reader who knows some suppressed cells: only the unsafe cells of which it learns too much count."""
    values, status = problem.table.values, problem.status.copy()
    low, high = problem.low.copy(), problem.high.copy()
    status[problem.primaries] = Status.HIDDEN
    status[np.r_[insider.exact, insider.short]] = Status.UNSAFE
    low[insider.cells] = high[insider.cells] = values[insider.cells]
    lower = lower_for(problem, insider.owners, insider.cells)
    return replace(problem, status=status, low=low, high=high, lower=lower)
