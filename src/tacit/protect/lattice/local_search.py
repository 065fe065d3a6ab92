"""Local search in a lattice: some columns free, the others kept, the free ones searched to the end, again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from .exact import SearchResult, run_search
from .layout import SearchRange
from .parts import parts_of

if TYPE_CHECKING:
    from .problem import Problem


LARGEST = 1 << 14
"""Nodes of the largest part of the lattice that one step goes through."""
PATIENCE = 3
"""Rounds without a better node after which the search is moved elsewhere."""
GREEDY = (40,)
"""Nodes of a part in the rounds of the greedy search; more rounds cost more than they save."""


def greedy_bound(problem: Problem, low: np.ndarray, high: np.ndarray) -> float:
    """Just above what a quick descent from the top costs, to begin an exact search with; infinite if it finds nothing."""
    here, score = high, np.inf
    order = np.argsort([len(column.leaves[0]) for column in problem.columns], kind="stable")
    for largest in GREEDY:
        for part in parts_of(order, high - low + 1, largest):
            found = _best_in_part(problem, here, low, high, part=part, worst=score)
            if len(found.scores):
                here, score = found.levels[0], float(found.scores[0])
    return score * (1 + 1e-9) + 1e-12


def _best_in_part(
    problem: Problem,
    here: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    *,
    part: np.ndarray,
    worst: float,
    going: Callable[[], bool] | None = None,
) -> SearchResult:
    """The best node that differs from the one at hand in the part only."""
    bottom, top = here.copy(), here.copy()
    bottom[part], top[part] = low[part], high[part]
    wanted = SearchRange(low=bottom, high=top, worst=worst)
    return run_search(problem, wanted, going=None if going is None else lambda _: going())


def local_search(
    problem: Problem, low: np.ndarray, high: np.ndarray, *, rng: np.random.Generator, going: Callable[[], bool]
) -> Iterator[SearchResult]:
    """Each step frees some columns, keeps the others, and searches the free ones to the end.

    The first steps free one column at a time from the top down, which is the greedy search; later ones more. After
    some rounds without a better node it goes on from a coarser node near the best, and keeps what is better there.
    """
    # the coarsest node is evaluated however little time there is
    first = run_search(problem, SearchRange(low=high, high=high))
    yield first
    here, score = high, float(first.scores[0]) if len(first.scores) else np.inf
    best, best_score = here, score
    largest, idle = 1, 0
    while going():
        before = score
        for part in parts_of(rng.permutation(len(low)), high - low + 1, largest):
            found = _best_in_part(problem, here, low, high, part=part, worst=score, going=going)
            yield found
            if len(found.scores):
                here, score = found.levels[0], float(found.scores[0])
            if not going():
                return
        if score < best_score:
            best, best_score = here, score
        idle = 0 if score < before else idle + 1
        largest = min(LARGEST, 2 * largest)
        if idle >= PATIENCE and largest == LARGEST:
            here, score = _perturb_node(best, high, rng), np.inf
            idle = 0


def _perturb_node(best: np.ndarray, high: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The best node with about a third of its columns at their top."""
    return np.where(rng.random(len(best)) < 1 / 3, high, best)
