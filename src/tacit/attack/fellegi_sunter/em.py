"""Estimation without known pairs: expectation and maximisation in turn, over the counts of the patterns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...progress import report
from .climbing import climbed
from .model import LEAST, Model
from .patterns import Patterns

if TYPE_CHECKING:
    from ...progress import Progress

__all__ = ["START", "LevelCounts", "em", "log", "shares"]

START = 0.9
"""How often a pair of the same person agrees at some level, before anything is known."""
STEPS = 5000
WORK = 500_000_000
"""Patterns times columns times steps, at most."""
CLOSE = 1e-8
RISING = 1e-5
"""By which share of itself a chance may still rise: one near 0 starts slowly, whatever it will come to."""
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

    until no chance moves by more than 1e-8 and the prior by no more than 1e-8 of itself. Where the steps creep, strides
    take their place (:func:`.climbing.climbed`). Columns are taken to be independent in either class, which real columns
    are not: see :mod:`.plausible`. Time O(steps · patterns · columns).

    References
    ----------
    Winkler (1988), Using the EM algorithm for weight computation in the Fellegi-Sunter model of record linkage,
    Proceedings of the Section on Survey Research Methods, American Statistical Association, 667–671.
    """
    counted, counts = LevelCounts(patterns.levels, start), patterns.counts.astype(float)
    size, everywhere, pairs = counted.size, counted.sums(counts), float(counts.sum())
    most, done = min(steps, max(100, WORK // max(1, patterns.levels.size))), 0

    def step(chances: np.ndarray) -> tuple[np.ndarray, float]:
        nonlocal done
        if done % TOLD == 0:
            report(progress, "estimating weights", done / most)
        done += 1
        logs = log(chances)
        logit = counted.totals(logs[:size] - logs[size:-2]) + (logs[-2] - logs[-1])
        more = np.maximum(logit, 0.0) + np.log1p(np.exp(-np.abs(logit)))  # log((p·m + (1 − p)·u) / ((1 − p)·u))
        match = counts * np.exp(logit - more)
        likely = float(counts @ more + everywhere @ logs[size:-2] + pairs * logs[-1])
        same, new = counted.sums(match), chances.copy()
        new[:size] = counted.shares(same, chances[:size])
        if free:
            new[size:-2] = counted.shares(np.maximum(everywhere - same, 0.0), chances[size:-2])
            new[-2] = match.sum() / pairs
            new[-1] = 1.0 - new[-2]
        return new, likely

    begin = np.concatenate([*start.m, *start.u, [start.prior, 1.0 - start.prior]])
    found, taken, converged = climbed(step, begin, near=_near, steps=most)
    m, u = counted.split(found[:size]), counted.split(found[size:-2])
    return replace(start, m=m, u=u, prior=float(found[-2]), steps=taken, converged=converged)


class LevelCounts:
    """The levels of patterns as both steps of the iteration read them; chances of all columns stand in one row."""

    def __init__(self, levels: np.ndarray, start: Model) -> None:
        self.sizes = [len(one) for one in start.m]
        ends = np.cumsum(self.sizes, dtype=np.intp)
        self.size, self.first, self.rows = sum(self.sizes), ends - self.sizes, len(levels)
        self.columns = [
            np.where(column < 0, self.size, column + first) for column, first in zip(levels.T, self.first, strict=True)
        ]

    def split(self, chances: np.ndarray) -> tuple[np.ndarray, ...]:
        """The chances of each column."""
        return tuple(np.split(chances, self.first[1:])) if self.sizes else ()

    def totals(self, scores: np.ndarray) -> np.ndarray:
        """The sum of the scores of each pattern's levels; an unknown one counts 0."""
        total, scores = np.zeros(self.rows), np.append(scores, 0.0)
        for column in self.columns:
            total += scores[column]
        return total

    def sums(self, weights: np.ndarray) -> np.ndarray:
        """The weight of the patterns at each level."""
        found = np.zeros(self.size + 1)
        for column in self.columns:
            found += np.bincount(column, weights=weights, minlength=self.size + 1)
        return found[:-1]

    def shares(self, sums: np.ndarray, before: np.ndarray) -> np.ndarray:
        """How the weight of each column is spread over its levels; as ``before`` where there is none."""
        total = np.repeat(np.add.reduceat(sums, self.first), self.sizes) if self.sizes else sums
        found: np.ndarray = np.where(total > 0, sums / np.where(total > 0, total, 1.0), before)
        return found


def log(chances: np.ndarray) -> np.ndarray:
    """The logarithms of chances, finite."""
    found: np.ndarray = np.log(np.maximum(chances, LEAST))
    return found


def shares(patterns: Patterns, sizes: list[int]) -> tuple[np.ndarray, ...]:
    """How often each level occurs among the pairs in which it is known; alike for columns that are never known."""
    found = []
    for column, size in enumerate(sizes):
        known = patterns.levels[:, column] >= 0
        counts = np.bincount(patterns.levels[known, column], weights=patterns.counts[known], minlength=size)
        found.append(counts / counts.sum() if counts.sum() else np.full(size, 1.0 / size))
    return tuple(found)


def _near(new: np.ndarray, old: np.ndarray) -> bool:
    """Whether a step changed no chance, and the prior by no share, that counts; a small chance that rises does count."""
    moved = new - old
    if np.abs(moved).max() > CLOSE or abs(moved[-2]) > CLOSE * max(float(old[-2]), LEAST):
        return False
    return not (moved > RISING * np.maximum(old, LEAST)).any()
