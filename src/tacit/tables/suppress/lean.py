"""Choose again from a large pattern, with the unsafe cells in another order: a quick clean-up before the thorough one."""

from __future__ import annotations

import numpy as np

from ...progress import Progress
from ..problem import Problem
from .flow import grow
from .joined import within
from .needs import Needs
from .paths import Paths

__all__ = ["leaner"]


def leaner(problem: Problem, hidden: np.ndarray, *, progress: Progress | None = None) -> np.ndarray:
    """A pattern within the given one that still protects, and costs less if that can be had at once (G-04).

    The first cells of a flow are chosen when nothing is hidden yet, so later ones make some of them needless. Going through the
    demands again from the other end, over the cells of the pattern alone, leaves these out. Never dearer.
    """
    needs = Needs.of(problem)
    inside, again = within(problem, hidden), problem.must
    prices = problem.cost + 1e-6 * max(1.0, float(problem.cost.max(initial=0.0)))
    grow(inside, again, needs.at(np.arange(len(needs))[::-1]), prices, Paths(inside), progress)
    return again if problem.total_cost(again) < problem.total_cost(hidden) else hidden
