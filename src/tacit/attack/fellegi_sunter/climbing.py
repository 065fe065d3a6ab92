"""Expectation and maximisation in longer strides: the same hill, climbed with a tenth of the steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["climbed"]

LONGER = 4.0
"""By how much the longest stride grows when it proves good, and shrinks when it does not."""
KEPT = 0.5
"""The share that a stride leaves of every chance, at least: a chance of 0 could never rise again."""


def climbed(
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
    >>> end, taken, ended = climbed(creeping, np.array([3.0]), near=close, steps=5000)
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
        ahead, length = _stride(chances, first, second, longest)
        chances = second
        if length > 1.0:
            after, reached = step(ahead)
            taken += 1
            if reached >= likely:
                chances = after
            if length == longest:
                longest = longest * LONGER if reached >= likely else max(LONGER, longest / LONGER)
    return chances, taken, False


def _stride(start: np.ndarray, first: np.ndarray, second: np.ndarray, longest: float) -> tuple[np.ndarray, float]:
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
