"""The best that can be found in a given time on a lattice too large to search, and how far from the best it can be."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...progress import report_progress
from ...seed import make_generator, secret_seed
from .answer import Answer, Candidate, space_of
from .exact import SearchResult, run_search
from .layout import SearchRange
from .local_search import local_search
from .parts import parts_of

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from .problem import Problem
    from .space import Node


RATE = 5e8
"""Nodes times finest classes that a search to the end gets through in a second of CPU; measured, roughly."""

FOR_A_START, FOR_A_PROOF, FOR_THE_BOUND = 0.2, 0.1, 0.2
"""Shares of the time: local search first; then a search to the end, given up unless the end is near; then the bound."""

FIRST = 500
"""Nodes of a part in the first split; later splits have more."""


def best_effort(
    problem: Problem,
    low: np.ndarray,
    high: np.ndarray,
    *,
    seconds: float,
    seed: Seed | None,
    progress: Progress | None,
) -> Answer:
    """Top-down greedy, then local search over parts of the columns until the seconds of CPU are spent.

    What the local search finds early lets an exact search leave out so much that it may end after all: that is tried.
    The seed decides where is searched first, nothing else; without one the operating system draws it. How far the
    search comes depends on the machine.
    """
    started = time.process_time()

    def spent() -> float:
        share = (time.process_time() - started) / seconds
        report_progress(progress, "full_domain", min(1.0, share))
        return share

    rng = make_generator(secret_seed() if seed is None else seed)
    found: list[SearchResult] = []
    search = local_search(problem, low, high, rng=rng, going=lambda: spent() < 1.0)
    for one in search:
        found.append(one)
        if spent() >= FOR_A_START:
            break
    whole = _to_the_end(problem, low, high, worst=_best_score(found), spent=spent)
    found.append(whole)
    bound = None
    if not whole.done:
        until = spent() + FOR_THE_BOUND
        bound = lower_bound(problem, low, high, rng=rng, going=lambda: spent() < until)
        found.extend(search)
    space = space_of(problem, found)
    nodes = enumerate(space.best(len(space)))
    order = (
        Candidate(_level_vector(node), node.score, node.suppressed, whole.done and not place) for place, node in nodes
    )
    return Answer(order, bound, space, sum(one.checked for one in found))


def _best_score(found: list[SearchResult]) -> float:
    return min((float(one.scores[0]) for one in found if len(one.scores)), default=np.inf)


def _to_the_end(
    problem: Problem, low: np.ndarray, high: np.ndarray, *, worst: float, spent: Callable[[], float]
) -> SearchResult:
    """An exact search for what is better, given up when its share of the time is over and its end not in sight."""
    begun = spent()

    def going(share: float) -> bool:
        used = spent() - begun
        return used < FOR_A_PROOF or (begun + used < 1.0 and begun + used / max(share, 1e-9) < 1.0)

    return run_search(problem, SearchRange(low=low, high=high, worst=worst), going=going)


def _level_vector(node: Node) -> np.ndarray:
    return np.array(list(node.levels.values()), dtype=np.int64)


def lower_bound(
    problem: Problem, low: np.ndarray, high: np.ndarray, *, rng: np.random.Generator, going: Callable[[], bool]
) -> float | None:
    """The best bound of several splits while time goes on, None for objectives that are no sums over columns.

    For a part A of the columns the cheapest choice of their levels, all other columns at their highest, costs no more
    than A costs in any admissible node: see ``lattice.md``. Parts are disjoint, so their costs add up.
    """
    if not problem.objective.by_column:
        return None
    relaxed = replace(problem, rules=problem.coarse)
    best, largest = 0.0, FIRST
    nodes = np.prod((high - low + 1).astype(float))
    while going():
        costs = []
        for part in parts_of(rng.permutation(len(low)), high - low + 1, largest):
            cost = _bound_part(relaxed, low, high, part=part, going=going)
            if cost is None:
                return best
            costs.append(cost)
        best = max(best, _combined_cost(problem, costs))
        if largest > nodes:
            break
        largest = int(largest * 1.5)
    return best


def _bound_part(
    problem: Problem, low: np.ndarray, high: np.ndarray, *, part: np.ndarray, going: Callable[[], bool]
) -> tuple[float, float] | None:
    """The cost and the weight of a part, None if the time was out."""
    weight = np.zeros_like(problem.weight)
    weight[part] = problem.weight[part]
    if not weight.any():
        return 0.0, 0.0
    bottom = high.copy()
    bottom[part] = low[part]
    wanted = SearchRange(low=bottom, high=high, remember=False)
    found = run_search(replace(problem, weight=weight), wanted, going=lambda _: going())
    if not found.done or not len(found.scores):
        return None
    return float(found.scores[0]), float(weight.sum())


def _combined_cost(problem: Problem, costs: list[tuple[float, float]]) -> float:
    """The cost of all columns from those of the parts."""
    if problem.objective.name == "entropy":
        return sum(cost for cost, _ in costs)
    whole = float(problem.weight.sum())
    if problem.objective.name == "loss_geometric":
        return float(np.expm1(sum(np.log1p(cost) * weight for cost, weight in costs) / whole))
    return sum(cost * weight for cost, weight in costs) / whole
