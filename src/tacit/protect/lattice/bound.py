"""A lower bound for lattices too large to search: the columns in parts, each part searched to the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .exact import run
from .layout import Run
from .parts import parts_of

if TYPE_CHECKING:
    from .problem import Problem

__all__ = ["lower_bound"]

FIRST = 500
"""Nodes of a part in the first split; later splits have more."""


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
            cost = _part(relaxed, low, high, part=part, going=going)
            if cost is None:
                return best
            costs.append(cost)
        best = max(best, _together(problem, costs))
        if largest > nodes:
            break
        largest = int(largest * 1.5)
    return best


def _part(
    problem: Problem, low: np.ndarray, high: np.ndarray, *, part: np.ndarray, going: Callable[[], bool]
) -> tuple[float, float] | None:
    """The cost and the weight of a part, None if the time was out."""
    weight = np.zeros_like(problem.weight)
    weight[part] = problem.weight[part]
    if not weight.any():
        return 0.0, 0.0
    bottom = high.copy()
    bottom[part] = low[part]
    wanted = Run(low=bottom, high=high, remember=False)
    found = run(replace(problem, weight=weight), wanted, going=lambda _: going())
    if not found.done or not len(found.scores):
        return None
    return float(found.scores[0]), float(weight.sum())


def _together(problem: Problem, costs: list[tuple[float, float]]) -> float:
    """The cost of all columns from those of the parts."""
    if problem.objective.name == "entropy":
        return sum(cost for cost, _ in costs)
    whole = float(problem.weight.sum())
    if problem.objective.name == "loss_geometric":
        return float(np.expm1(sum(np.log1p(cost) * weight for cost, weight in costs) / whole))
    return sum(cost * weight for cost, weight in costs) / whole
