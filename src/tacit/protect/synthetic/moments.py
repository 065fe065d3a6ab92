"""Numbers drawn so that means and covariances come out exactly as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...errors import TacitError
from ..numbers import as_numbers, from_numbers
from ..swapping.copula import refuse_determined
from .coded import categories
from .part import MEMBER, SIZE, Made, Part, readable

__all__ = ["same_moments"]

CATEGORIES = 20
"""Columns with more categories are not among the given unless they are named: each takes a parameter."""
SINGULAR = 1e-10
"""Directions with less than this share of the largest spread are exact linear relations."""


def same_moments(part: Part, given: Sequence[str] | None, similarity: float, rng: np.random.Generator) -> Made:
    """New values of the targets with the sufficient statistics of the old ones; see :class:`SynthMoments`."""
    by = _given(part, given)
    targets = np.column_stack([as_numbers(part.learn[column]) for column in part.targets])
    middle, unit = _scale(part.targets, targets)
    given_old, given_new = _design(part, by)
    weight_old, weight_new = _weights(part)
    lacking = _lacking(part, targets, rng)
    fit = _Fit.of((targets - middle) / unit, given_old, weight_old, similarity)
    refuse_determined(part.targets, fit.explained())
    made = fit.drawn(given_new, weight_new, np.asarray(~lacking.any(axis=1)), rng) * unit + middle
    made[lacking] = np.nan
    values = {
        column: from_numbers(made[:, place], column, _dtype(part, column)) for place, column in enumerate(part.targets)
    }
    rounded = np.column_stack([as_numbers(values[column]) for column in part.targets])
    before = _moments(np.column_stack([(targets - middle) / unit, given_old[:, 1:]]), weight_old)
    after = _moments(np.column_stack([(rounded - middle) / unit, given_new[:, 1:]]), weight_new)
    captured = {
        "moments": list(part.targets),
        "given": [readable(column) for column in by],
        "largest_deviation": float(f"{np.abs(after - before).max():.2g}"),
    }
    return Made(values, captured)


@dataclass(frozen=True, eq=False)
class _Fit:
    """The regression of the targets on the given columns, over the records that have all targets."""

    coefficients: np.ndarray
    residuals: np.ndarray
    axes: np.ndarray
    spread: np.ndarray
    similarity: float
    degrees: int
    people: float

    @staticmethod
    def of(targets: np.ndarray, given: np.ndarray, weight: np.ndarray, similarity: float) -> _Fit:
        whole = ~np.isnan(targets).any(axis=1)
        root = np.sqrt(weight[whole])[:, None]
        x, y = given[whole] * root, targets[whole] * root
        coefficients, _, rank, _ = np.linalg.lstsq(x, y, rcond=SINGULAR)
        residuals = y - x @ coefficients
        needed = int(rank) + y.shape[1] * (2 if similarity else 1) + 1
        if len(y) < needed:
            raise TacitError(
                f"{len(y)} records have all of the columns, and {needed} are needed to keep their means and covariances",
                fix="name fewer columns, or fewer given ones: there must be more records than columns",
            )
        _, spread, axes = np.linalg.svd(residuals, full_matrices=False)
        free = spread > SINGULAR * max(1.0, np.sqrt(len(y)))
        return _Fit(
            coefficients,
            residuals,
            axes[free],
            spread[free],
            similarity,
            len(y) - int(rank),
            float(weight[whole].sum()),
        )

    def explained(self) -> np.ndarray:
        """The share of each target, which have variance 1, that the given columns explain."""
        return np.asarray(1 - (self.residuals**2).sum(axis=0) / self.people)

    def drawn(self, given: np.ndarray, weight: np.ndarray, whole: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """New targets: what the given columns explain, and new residuals, at right angles to them."""
        noise = rng.standard_normal((len(given), len(self.spread)))
        made = noise * self.spread / np.sqrt(self.degrees)  # records that lack a target: a draw from the fitted law
        root = np.sqrt(weight[whole])[:, None]
        x = given[whole] * root
        among = x if not self.similarity else np.column_stack([x, self.residuals])
        needed = among.shape[1] + len(self.spread)
        if len(x) < needed:
            raise TacitError(
                f"{len(x)} new records cannot have these means and covariances: {needed} are needed",
                fix="ask for more rows, or name fewer columns",
            )
        free = _at_right_angles(noise[whole] * root, among)
        stretched = np.sqrt((weight[whole].sum() - 1) / (self.people - 1))
        made[whole] = free * self.spread * stretched / root
        values: np.ndarray = made @ self.axes
        if self.similarity:
            values *= np.sqrt(1 - self.similarity**2)
            values[whole] += self.similarity * self.residuals / root
        explained: np.ndarray = given @ self.coefficients + values
        return explained


def _at_right_angles(noise: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Orthonormal directions at right angles to some columns, uniform over all such; projected twice for precision."""
    basis, spread, _ = np.linalg.svd(among, full_matrices=False)
    basis = basis[:, spread > SINGULAR * spread[0]]
    for _ in range(2):
        noise = noise - basis @ (basis.T @ noise)
    turned, upper = np.linalg.qr(noise)
    turned = turned - basis @ (basis.T @ turned)
    found: np.ndarray = np.linalg.qr(turned)[0] * np.where(np.diagonal(upper) < 0, -1.0, 1.0)
    return found


def _given(part: Part, named: Sequence[str] | None) -> list[str]:
    """The columns that explain the targets: those named, or the amounts and the columns with few categories."""
    if named is not None:
        return [column for column in part.given if column in named]
    return [
        column
        for column in part.given
        if (part.amount(column) or part.learn[column].n_unique() <= CATEGORIES) and part.learn[column].n_unique() > 1
    ]


def _design(part: Part, by: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The given columns of old and new records as numbers, after a column of ones."""
    blocks = [
        (_amount if part.amount(column) else _categories)(part.learn[column], part.known[column]) for column in by
    ]
    old = np.column_stack([np.ones(part.learn.height), *(block[0] for block in blocks)])
    new = np.column_stack([np.ones(part.count), *(block[1] for block in blocks)])
    return old, new


def _amount(old: pl.Series, new: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """Standard deviations from the mean; a missing amount is the mean, and has a column that says so."""
    before, after = as_numbers(old), as_numbers(new)
    known = before[~np.isnan(before)]
    centre, unit = known.mean(), known.std() or 1.0
    sides = [np.column_stack([np.nan_to_num((side - centre) / unit), np.isnan(side)]) for side in (before, after)]
    width = 2 if sides[0][:, 1].any() or sides[1][:, 1].any() else 1
    return sides[0][:, :width], sides[1][:, :width]


def _categories(old: pl.Series, new: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """A column for each category but the first; missing is one."""
    of = categories(old, new)
    names = np.unique(of.learn)[1:]
    return (of.learn[:, None] == names).astype(float), (of.new[:, None] == names).astype(float)


def _weights(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """A household counts as often as it has people, so that the moments are those of people's columns."""
    if SIZE in part.given and MEMBER not in part.given:
        return as_numbers(part.learn[SIZE]), as_numbers(part.known[SIZE])
    return np.ones(part.learn.height), np.ones(part.count)


def _lacking(part: Part, targets: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which values of the new records are missing: as they were, or in a full synthesis as in a record drawn at random."""
    if part.holes:
        return np.column_stack([part.holes[column] for column in part.targets])
    missing = np.isnan(targets)
    return (
        missing[rng.integers(0, len(missing), part.count)]
        if missing.any()
        else np.zeros((part.count, missing.shape[1]), bool)
    )


def _scale(columns: Sequence[str], targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of every target; one without spread has nothing to be drawn."""
    middle, unit = np.nanmean(targets, axis=0), np.nanstd(targets, axis=0)
    for column, spread in zip(columns, unit, strict=True):
        if not spread > 0:
            raise TacitError(
                "has one value only, which would come back", column=column, fix="leave it out of the columns"
            )
    return middle, unit


def _moments(columns: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Means and covariances over the records that have all columns, as one matrix."""
    whole = ~np.isnan(columns).any(axis=1)
    some, of = columns[whole], weight[whole]
    mean = of @ some / of.sum()
    away = some - mean
    return np.vstack([mean, (away * of[:, None]).T @ away / (of.sum() - 1)])


def _dtype(part: Part, column: str) -> pl.DataType:
    dtype = part.learn.schema[column]
    return pl.Int64() if dtype.is_integer() else dtype
