"""The model of Fellegi and Sunter: how often pairs of one person, and pairs of two, agree on each column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .patterns import Patterns

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
