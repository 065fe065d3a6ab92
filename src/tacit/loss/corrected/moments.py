"""Means and covariances of a release, whole and with one group of records after the other left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...errors import TacitError
from ...seed import make_generator
from .step_inverses import SecondMoments

if TYPE_CHECKING:
    from ...release.release import Release


LARGEST = 1e150
"""Larger numbers have no square."""
GROUPS = 100
"""Groups of records that are left out one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupSums:
    """Of each group of records how many there are, the sums of their values, and of their squares and products.

    Values are taken from their overall ``centre``; ``inside`` has the products of the deviations from the strata.
    """

    centre: np.ndarray
    count: np.ndarray
    values: np.ndarray
    products: np.ndarray
    inside: np.ndarray

    @property
    def records(self) -> int:
        """Records that have all the columns."""
        return int(self.count.sum())

    def second_moments(self, without: int | None = None) -> SecondMoments:
        """The moments of all records, or of those that are not in one group."""
        parts = (self.count, self.values, self.products, self.inside)
        count, values, products, inside = (
            part.sum(axis=0) - (0.0 if without is None else part[without]) for part in parts
        )
        mean = values / count
        return SecondMoments(
            self.centre + mean, (products - count * np.outer(mean, mean)) / (count - 1), inside / count
        )


def sum_by_group(release: Release, columns: Sequence[str], strata: Sequence[str], seed: int | bytes) -> GroupSums:
    """The sums over the records that have all columns. O(n · columns²) time, O(n · columns) memory."""
    table = np.column_stack([release.floats(column) for column in columns])
    complete = np.isfinite(table).all(axis=1)
    values = table[complete]
    if len(values) < len(columns) + 2:
        raise TacitError(
            f"{len(values)} records have values in all of {', '.join(columns)}",
            code="not_applicable",
            fix=f"{len(columns) + 2} are needed at least; name fewer columns",
        )
    flat = next((column for column, part in zip(columns, values.T, strict=True) if part.min() == part.max()), None)
    if flat is not None:
        raise TacitError(
            "does not vary among the records that have all columns",
            code="no_variation",
            column=flat,
            fix="leave it out",
        )
    large = next((column for column, part in zip(columns, values.T, strict=True) if np.abs(part).max() > LARGEST), None)
    if large is not None:
        raise TacitError(
            f"has a number beyond ±{LARGEST:g}", code="out_of_range", column=large, fix="give it in a larger unit"
        )
    centre = values.mean(axis=0)
    values = values - centre
    group = _jackknife_groups(release, complete, seed)
    inside = values if not strata else _within_strata(release, values, complete, strata)
    order = np.argsort(group, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    return GroupSums(
        centre,
        np.array([len(rows) for rows in parts], dtype=float),
        np.array([values[rows].sum(axis=0) for rows in parts]),
        np.array([values[rows].T @ values[rows] for rows in parts]),
        np.array([inside[rows].T @ inside[rows] for rows in parts]),
    )


def _jackknife_groups(release: Release, complete: np.ndarray, seed: int | bytes) -> np.ndarray:
    """A group for each record, at random; the members of a household have the same one, because they are alike."""
    if release.household is None or release.household not in release.columns:
        unit = np.arange(int(complete.sum()))
    else:
        unit = np.unique(release.codes(release.household).codes[complete], return_inverse=True)[1]
    count = int(unit.max()) + 1
    if count < 2:
        raise TacitError(
            "all records are of one household", code="not_applicable", fix="estimate from several households"
        )
    found: np.ndarray = (make_generator(seed).permutation(count) % min(GROUPS, count))[unit]
    return found


def _within_strata(release: Release, values: np.ndarray, complete: np.ndarray, strata: Sequence[str]) -> np.ndarray:
    """Deviations from the means of the strata, widened by √(n/(n − 1)) so that their products are unbiased."""
    keys = pl.DataFrame([release.series(column) for column in strata]).filter(pl.Series(complete))
    place = keys.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    count = np.bincount(place)
    means = np.column_stack([np.bincount(place, weights=part) / count for part in values.T])
    found: np.ndarray = (values - means[place]) * np.sqrt(count / np.maximum(count - 1, 1))[place][:, None]
    return found
