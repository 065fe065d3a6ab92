"""Estimation without known pairs: expectation and maximisation in turn, over the counts of the patterns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...progress import report_progress
from .patterns import Patterns

if TYPE_CHECKING:
    from ...progress import Progress


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

LONGER = 4.0
"""By how much the longest stride grows when it proves good, and shrinks when it does not."""

KEPT = 0.5
"""The share that a stride leaves of every chance, at least: a chance of 0 could never rise again."""


def run_em(
    patterns: Patterns, start: Model, *, free: bool = True, steps: int = STEPS, progress: Progress | None = None
) -> Model:
    r"""The most likely parameters from ``start`` on; with ``free`` off only m moves, prior and u stay as they are.

    With :math:`g_i` the chance that a pair of pattern i is of one person and :math:`C_i` its count, each step sets

    .. math:: p = \frac{\sum_i g_i C_i}{\sum_i C_i}, \quad
              m_{cl} = \frac{\sum_{i: l_{ic} = l} g_i C_i}{\sum_{i: l_{ic} \ge 0} g_i C_i}, \quad
              u_{cl} = \frac{\sum_{i: l_{ic} = l} (1 - g_i) C_i}{\sum_{i: l_{ic} \ge 0} (1 - g_i) C_i},

    until no chance moves by more than 1e-8 and the prior by no more than 1e-8 of itself. Where the steps creep, strides
    take their place (:func:`.climbing.iterate_accelerated`). Columns are taken to be independent in either class, which real columns
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
            report_progress(progress, "estimating weights", done / most)
        done += 1
        logs = finite_log(chances)
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
    found, taken, converged = iterate_accelerated(step, begin, near=_has_converged, steps=most)
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


def finite_log(chances: np.ndarray) -> np.ndarray:
    """The logarithms of chances, finite."""
    found: np.ndarray = np.log(np.maximum(chances, LEAST))
    return found


def level_shares(patterns: Patterns, sizes: list[int]) -> tuple[np.ndarray, ...]:
    """How often each level occurs among the pairs in which it is known; alike for columns that are never known."""
    found = []
    for column, size in enumerate(sizes):
        known = patterns.levels[:, column] >= 0
        counts = np.bincount(patterns.levels[known, column], weights=patterns.counts[known], minlength=size)
        found.append(counts / counts.sum() if counts.sum() else np.full(size, 1.0 / size))
    return tuple(found)


def _has_converged(new: np.ndarray, old: np.ndarray) -> bool:
    """Whether a step changed no chance, and the prior by no share, that counts; a small chance that rises does count."""
    moved = new - old
    if np.abs(moved).max() > CLOSE or abs(moved[-2]) > CLOSE * max(float(old[-2]), LEAST):
        return False
    return not (moved > RISING * np.maximum(old, LEAST)).any()


def iterate_accelerated(
    step: Callable[[np.ndarray], tuple[np.ndarray, float]],
    chances: np.ndarray,
    *,
    near: Callable[[np.ndarray, np.ndarray], bool],
    steps: int,
) -> tuple[np.ndarray, int, bool]:
    r"""Where ``step`` no longer leads away, how many steps that took, and whether the way ended before ``steps``.

    ``step`` gives the next chances and the log-likelihood of those that it was given, which it never lowers. From two
    steps :math:`x_0 \to x_1 \to x_2`, with :math:`r = x_1 - x_0` and :math:`v = x_2 - x_1 - r`, a stride leads to

    .. math:: x_0 + 2 a r + a^2 v, \quad a = \lVert r \rVert / \lVert v \rVert,

    which is :math:`x_2` for a = 1 and far ahead of it where the steps creep along a ridge. Sums that the step keeps, a
    stride keeps. It is shortened until every chance keeps half of what it had, and taken only when it is no less likely
    than :math:`x_1`, so that the likelihood never falls. Each stride ends with a step. Time of ``steps`` steps at most.

    >>> creeping = lambda x: (0.99 * x + 0.01, -abs(float(x[0]) - 1.0))
    >>> close = lambda new, old: abs(float(new[0] - old[0])) < 1e-9
    >>> end, taken, ended = iterate_accelerated(creeping, np.array([3.0]), near=close, steps=5000)
    >>> round(float(end[0]), 6), taken < 50, ended
    (1.0, True, True)

    References
    ----------
    Varadhan and Roland (2008), Simple and globally convergent methods for accelerating the convergence of any EM
    algorithm, Scandinavian Journal of Statistics 35, 335–353.
    """
    taken, longest = 0, LONGER
    while taken < steps:
        first, _ = step(chances)
        taken += 1
        if taken == steps or near(first, chances):
            return first, taken, near(first, chances)
        second, likely = step(first)
        taken += 1
        if taken == steps or near(second, first):
            return second, taken, near(second, first)
        ahead, length = _squarem_step(chances, first, second, longest)
        chances = second
        if length > 1.0:
            after, reached = step(ahead)
            taken += 1
            if reached >= likely:
                chances = after
            if length == longest:
                longest = longest * LONGER if reached >= likely else max(LONGER, longest / LONGER)
    return chances, taken, False


def _squarem_step(start: np.ndarray, first: np.ndarray, second: np.ndarray, longest: float) -> tuple[np.ndarray, float]:
    """Where a stride leads and how long it is, from 1 (which is where two steps lead) to ``longest``."""
    rise = first - start
    bend = second - first - rise
    least = KEPT * np.minimum(start, second)
    length = min(longest, float(np.linalg.norm(rise)) / max(float(np.linalg.norm(bend)), 1e-300))
    while length > 1.01:
        ahead = start + 2.0 * length * rise + length**2 * bend
        if (ahead >= least).all():
            return ahead, length
        length = 1.0 + (length - 1.0) / 2.0
    return second, 1.0


LEAST = 1e-12
"""Chances below count as this much, so that weights stay finite."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """``m[c][l]``: the chance that a pair of the same person has level l in column c; ``u[c][l]``: that a pair of two has.

    ``prior`` is the share of the pairs that are of one person. ``estimate`` says how the numbers were found ("em",
    "fixed", "single" or "known"), ``steps`` and ``converged`` how far the iteration went.
    """

    m: tuple[np.ndarray, ...]
    u: tuple[np.ndarray, ...]
    prior: float
    estimate: str
    steps: int = 0
    converged: bool = True

    def weights(self) -> tuple[np.ndarray, ...]:
        """The weight log2(m/u) of each level of each column; a missing value weighs 0.

        A level that no pair has (u is 0, as no two values lie so near each other) weighs what the one below does,
        and the lowest one what the next one does.
        """
        return tuple(_level_weights(m, u) for m, u in zip(self.m, self.u, strict=True))


def _level_weights(m: np.ndarray, u: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.log2(np.maximum(m, LEAST) / np.maximum(u, LEAST))
    seen = np.flatnonzero(u > 0)
    below = np.searchsorted(seen, np.arange(len(u)), side="right") - 1
    return found[seen[np.maximum(below, 0)]] if len(seen) else found


def log_ratios(patterns: Patterns, model: Model) -> np.ndarray:
    """The total weight of each pattern: the sum over its columns, unknown ones counting 0."""
    total = np.zeros(len(patterns.counts))
    for column, weight in enumerate(model.weights()):
        total += np.append(weight, 0.0)[patterns.levels[:, column]]
    return total


def match_posterior(weight: np.ndarray, prior: float) -> np.ndarray:
    r"""The chance that a pair of this weight is of one person.

    .. math:: \frac{p\,2^w}{p\,2^w + 1 - p}

    >>> match_posterior(np.array([0.0, 10.0]), 0.5).round(3).tolist()
    [0.5, 0.999]
    """
    if prior >= 1.0:
        return np.ones(len(weight))
    odds = np.exp2(np.clip(weight + np.log2(max(prior, LEAST) / (1.0 - prior)), -1000.0, 1000.0))
    found: np.ndarray = odds / (1.0 + odds)
    return found
