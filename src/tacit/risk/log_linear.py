"""A log-linear model of the table of all quasi-identifiers: how many people each combination is expected to have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import prod
from typing import Literal

import numpy as np

from ..errors import TacitError, names, typed
from ..release.release import Release

__all__ = ["Interactions", "expected_people", "paired"]

Interactions = Iterable[tuple[str, str]] | Literal["all"]
MOST_CELLS = 5_000_000
"""The largest table that is fitted: 40 MB a copy."""
STEPS, CLOSE = 2000, 1e-10


def paired(release: Release, interactions: Interactions) -> tuple[tuple[str, str], ...]:
    """The pairs of quasi-identifiers that interact, checked; ``"all"`` for each two of them."""
    if interactions == "all":
        return tuple(combinations(release.quasi, 2))
    if isinstance(interactions, str) or not isinstance(interactions, Iterable):
        raise TacitError(
            f"interactions={typed(interactions)} are not pairs of columns",
            fix="e.g. interactions=[('sex', 'age')] or interactions='all'",
        )
    pairs = tuple(names(pair, release.quasi) for pair in interactions)
    if any(len(pair) != 2 for pair in pairs):
        raise TacitError("an interaction is of two columns", fix="e.g. interactions=[('sex', 'age')]")
    return tuple((pair[0], pair[1]) for pair in pairs)


def expected_people(release: Release, weights: np.ndarray, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    r"""For each record the people that the model expects with its combination, λ.

    .. math:: \ln \lambda_k = \mu + \sum_c a_{c, k_c} + \sum_{(c, d)} b_{cd, k_c k_d}

    fitted by maximum likelihood to the table of summed weights. Columns that no chain of interactions joins are
    independent, so the table of all combinations is never made: a column of its own contributes its margin, a set of
    joined columns the table of that set, fitted by iterative proportional fitting.
    """
    expected = np.full(release.size, float(weights.sum()))
    for columns in _joined(release.quasi, pairs):
        inside = [pair for pair in pairs if pair[0] in columns]
        expected *= _shares(release, weights, columns, inside)
    return expected


def _joined(columns: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[list[str]]:
    """The columns in sets that interactions join."""
    sets = [[column] for column in columns]
    for one, other in pairs:
        first = next(part for part in sets if one in part)
        second = next(part for part in sets if other in part)
        if first is not second:
            first.extend(second)
            sets.remove(second)
    return sets


def _shares(
    release: Release, weights: np.ndarray, columns: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> np.ndarray:
    """The fitted share of each record's cell in the table of some columns."""
    codes = [release.codes(column) for column in columns]
    shape = tuple(code.count for code in codes)
    if prod(shape) > MOST_CELLS:
        raise TacitError(
            f"interacts with others in a table of {prod(shape):,} cells, more than {MOST_CELLS:,}",
            column=columns[0],
            fix="name fewer interactions, or generalise the columns with many values first",
        )
    place = np.ravel_multi_index(tuple(code.codes.astype(np.int64) for code in codes), shape)
    table = np.bincount(place, weights=weights, minlength=prod(shape)) / weights.sum()
    if len(columns) > 2:
        axes = [tuple(sorted((columns.index(one), columns.index(other)))) for one, other in pairs]
        table = _fitted(table.reshape(shape), axes).ravel()
    shares: np.ndarray = table[place]
    return shares


def _fitted(table: np.ndarray, margins: Sequence[tuple[int, ...]]) -> np.ndarray:
    """The table with the given two-way margins and no other structure."""
    fit = np.full(table.shape, 1.0 / table.size)
    targets = []
    for margin in margins:
        others = tuple(axis for axis in range(table.ndim) if axis not in margin)
        targets.append((others, table.sum(axis=others, keepdims=True)))
    for _ in range(STEPS):
        furthest = 0.0
        for others, target in targets:
            now = fit.sum(axis=others, keepdims=True)
            furthest = max(furthest, float(np.abs(now - target).max()))
            fit = fit * np.divide(target, now, out=np.zeros_like(now), where=now > 0)
        if furthest < CLOSE:
            return fit
    raise TacitError(f"the log-linear model is not fitted after {STEPS} steps", fix="name fewer interactions")
