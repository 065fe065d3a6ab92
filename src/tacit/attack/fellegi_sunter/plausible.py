"""Whether an estimate can be true: an iteration that converged may still have found something else than people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .model import Model, log_ratios, posterior
from .patterns import Patterns

__all__ = ["doubts", "matches"]

SLACK = 1.05
"""Estimated matches may exceed the possible ones by this factor, for the error of estimation."""


def matches(patterns: Patterns, model: Model) -> float:
    """How many pairs the model takes for pairs of one person: the sum of their chances."""
    return float(posterior(log_ratios(patterns, model), model.prior) @ patterns.counts)


def doubts(patterns: Patterns, model: Model, *, columns: Sequence[str], sizes: tuple[int, int]) -> tuple[str, ...]:
    """Why the estimate cannot be right; empty when nothing speaks against it.

    Two files without doubles cannot have more common people than the smaller file has records, and should have one at
    least; a pair of the same person agrees more often than a pair of two, in every column; the iteration has ended.
    Columns that depend on each other are what breaks the first: the iteration then finds the pairs that are similar
    (of the same branch, the same region) instead of the pairs that are the same.
    """
    found = []
    most, believed = min(sizes), max(matches(patterns, model), model.prior * patterns.pairs)
    if believed > SLACK * most:
        found.append(f"it finds {believed:,.0f} matching pairs where at most {most:,} are possible")
    if believed < 0.5:
        found.append("it finds no matching pair")
    if not model.converged:
        found.append(f"it has not converged after {model.steps:,} steps")
    against = [name for name, weight in zip(columns, model.weights(), strict=True) if _against(weight)]
    if against:
        found.append(f"agreeing on {', '.join(against)} would speak against a link")
    return tuple(found)


def _against(weight: np.ndarray) -> bool:
    return bool(weight[-1] < -1e-9)
