"""Estimation without known pairs: expectation and maximisation in turn, over the counts of the patterns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...progress import report
from .model import LEAST, Model
from .patterns import Patterns

if TYPE_CHECKING:
    from ...progress import Progress

__all__ = ["START", "LevelCounts", "apart", "em", "log_ratio", "shares"]

START = 0.9
"""How often a pair of the same person agrees at some level, before anything is known."""
STEPS = 5000
WORK = 500_000_000
"""Patterns times columns times steps, at most."""
CLOSE = 1e-8
TOLD = 50
"""Steps between two reports of progress."""


def em(
    patterns: Patterns, start: Model, *, free: bool = True, steps: int = STEPS, progress: Progress | None = None
) -> Model:
    r"""The most likely parameters from ``start`` on; with ``free`` off only m moves, prior and u stay as they are.

    With :math:`g_i` the chance that a pair of pattern i is of one person and :math:`C_i` its count, each step sets

    .. math:: p = \frac{\sum_i g_i C_i}{\sum_i C_i}, \quad
              m_{cl} = \frac{\sum_{i: l_{ic} = l} g_i C_i}{\sum_{i: l_{ic} \ge 0} g_i C_i}, \quad
              u_{cl} = \frac{\sum_{i: l_{ic} = l} (1 - g_i) C_i}{\sum_{i: l_{ic} \ge 0} (1 - g_i) C_i},

    until no chance moves by more than 1e-8 and the prior by no more than 1e-8 of itself. Columns are taken to be
    independent in either class, which real columns are not: see :mod:`.plausible`. Time O(steps · patterns · columns).

    References
    ----------
    Winkler (1988), Using the EM algorithm for weight computation in the Fellegi-Sunter model of record linkage,
    Proceedings of the Section on Survey Research Methods, American Statistical Association, 667–671.
    """
    counted = LevelCounts(patterns.levels, start)
    counts = patterns.counts.astype(float)
    m, u, prior = start.m, start.u, start.prior
    step, moved = 0, np.inf
    steps = min(steps, max(100, WORK // max(1, patterns.levels.size)))
    while step < steps and moved > CLOSE:
        if step % TOLD == 0:
            report(progress, "estimating weights", step / steps)
        step += 1
        match = counts * _chance(counted.totals(log_ratio(m, u)), prior)
        new_m = counted.shares(match, m)
        moved = apart(new_m, m)
        m = new_m
        if free:
            new_u = counted.shares(counts - match, u)
            share = float(match.sum() / counts.sum())
            moved = max(moved, apart(new_u, u), abs(share - prior) / max(prior, LEAST))
            u, prior = new_u, share
    return replace(start, m=m, u=u, prior=prior, steps=step, converged=moved <= CLOSE)


class LevelCounts:
    """The levels of patterns, column by column, as both steps of the iteration read them."""

    def __init__(self, levels: np.ndarray, start: Model) -> None:
        self.columns = [np.ascontiguousarray(column, dtype=np.intp) + 1 for column in levels.T]
        self.sizes = [len(one) for one in start.m]

    def totals(self, scores: tuple[np.ndarray, ...]) -> np.ndarray:
        """The sum of the scores of each pattern's levels; an unknown one counts 0."""
        total = np.zeros(len(self.columns[0]) if self.columns else 0)
        for column, score in zip(self.columns, scores, strict=True):
            total += np.append(0.0, score)[column]
        return total

    def shares(
        self, weights: np.ndarray, before: tuple[np.ndarray, ...], *, added: float = 0.0
    ) -> tuple[np.ndarray, ...]:
        """How the weights are spread over the levels of each column; as ``before`` where there is none."""
        found = []
        for column, size, old in zip(self.columns, self.sizes, before, strict=True):
            sums = np.bincount(column, weights=weights, minlength=size + 1)[1:] + added
            found.append(sums / sums.sum() if sums.sum() > 0 else old)
        return tuple(found)


def log_ratio(m: tuple[np.ndarray, ...], u: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """log(m/u) of each level, finite."""
    return tuple(np.log(np.maximum(one, LEAST) / np.maximum(other, LEAST)) for one, other in zip(m, u, strict=True))


def apart(new: tuple[np.ndarray, ...], old: tuple[np.ndarray, ...]) -> float:
    """The largest change of a chance."""
    return max((float(np.abs(one - other).max()) for one, other in zip(new, old, strict=True)), default=0.0)


def shares(patterns: Patterns, sizes: list[int]) -> tuple[np.ndarray, ...]:
    """How often each level occurs among the pairs in which it is known; alike for columns that are never known."""
    found = []
    for column, size in enumerate(sizes):
        known = patterns.levels[:, column] >= 0
        counts = np.bincount(patterns.levels[known, column], weights=patterns.counts[known], minlength=size)
        found.append(counts / counts.sum() if counts.sum() else np.full(size, 1.0 / size))
    return tuple(found)


def _chance(log_ratios: np.ndarray, prior: float) -> np.ndarray:
    prior = min(max(prior, LEAST), 1.0 - LEAST)
    logit = np.clip(log_ratios + np.log(prior / (1.0 - prior)), -700.0, 700.0)
    found: np.ndarray = 1.0 / (1.0 + np.exp(-logit))
    return found
