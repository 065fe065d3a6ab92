"""Forms of noise that need whole columns in memory: on normal scores, exact moments, wider for outliers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import TacitError
from ...release.trace import FEWEST
from ...seed import child, generator
from .linear import Linear
from .moments import factor
from .plan import Said, Wanted
from .recolour import recoloured
from .robust import outlyingness
from .scores import scale_of

__all__ = ["exact", "members", "on_scores", "widened"]

FEWEST_EXACT = 3
"""Complete records whose means and covariances can be kept without giving them away."""


def members(group: np.ndarray | None, count: int) -> Iterator[np.ndarray | slice]:
    """The rows of each group."""
    if group is None:
        return iter([slice(0, count)])
    order = np.argsort(group, kind="stable")
    return iter(np.split(order, np.flatnonzero(np.diff(group[order])) + 1))


def widened(values: Sequence[np.ndarray], group: np.ndarray | None, most: float) -> np.ndarray:
    """By how much the noise of every row is multiplied: 1 for the bulk, for outliers how far out they lie, at most ``most``."""
    table = np.column_stack(values)
    found = np.ones(len(table))
    for rows in members(group, len(table)):
        known = ~np.isnan(table[rows]).all(axis=0)
        if len(table[rows]) > 2 and known.any():
            found[rows] = np.clip(outlyingness(table[rows][:, known]), 1.0, most)
    return found


def exact(
    masked: Sequence[np.ndarray], values: Sequence[np.ndarray], group: np.ndarray | None
) -> tuple[list[np.ndarray], int]:
    """The masked columns with the means and covariances of the original ones in every group, over complete records.

    Two records with their mean and variance, and equal ones with their variance of 0, would be what they were: such
    groups stay as they are, and their complete records are counted.
    """
    new, old = np.column_stack(masked), np.column_stack(values)
    left = 0
    for rows in members(group, len(old)):
        inside = np.arange(len(old))[rows]
        inside = inside[~np.isnan(old[inside]).any(axis=1)]
        if len(inside) < FEWEST_EXACT or (old[inside] == old[inside[0]]).all(axis=0).any():
            left += len(inside)
        else:
            new[inside] = recoloured(new[inside], old[inside])
    return list(new.T), left


def on_scores(
    wanted: Wanted, columns: Sequence[str], values: Sequence[np.ndarray], seed: int | bytes
) -> tuple[list[np.ndarray], Said]:
    """The columns with correlated noise on their normal scores, and what is known of it.

    The scores with noise are divided by √(1 + variance), so that they are standard normal again, and each is replaced
    by the quantile of its column there: the margins are approximately kept.
    """
    place = generator(child(seed, "ties"))
    scores, scales = np.full((len(columns), len(values[0])), np.nan), []
    for number, (column, part) in enumerate(zip(columns, values, strict=True)):
        known = ~np.isnan(part)
        if not known.any() or (part[known] == part[known][0]).all():
            raise TacitError(
                "has one value only or none, and no distribution to draw from",
                column=column,
                fix="leave it out of the columns; a constant tells nothing about anybody",
            )
        scores[number, known], scale = scale_of(part[known], place.random(int(known.sum())))
        scales.append(scale)
    complete = scores[:, ~np.isnan(scores).any(axis=0)]
    if complete.shape[1] < 2:
        raise TacitError(
            f"no two records have values in all of {', '.join(columns)}", fix="mask the columns in several steps"
        )
    root = np.sqrt(np.array(wanted.variance))
    covariance = np.outer(root, root) * np.atleast_2d(np.cov(complete))
    roots = factor(covariance)
    noise = Linear(wanted.law, tuple(child(seed, "factor", one) for one in range(roots.shape[1])), roots[None])
    moved = noise.added(list(scores), 0)
    made = [scale.values(part / np.sqrt(1 + k)) for scale, part, k in zip(scales, moved, wanted.variance, strict=True)]
    count = complete.shape[1]
    return made, Said(tuple(columns), covariance, count >= FEWEST, count, np.zeros(1, dtype=bool))
