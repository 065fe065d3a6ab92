"""The numbers of both files as matrices, in units of the original's standard deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...release.masked import release_of
from ...release.pairs import numeric_columns, pair_records

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


FAR = 1e60
"""Standard deviations; what lies farther out counts as this far, so that sums of fourth powers stay finite."""
ROUNDING = 1e-12
"""Sums in another order differ by this much; no change."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """One column per column of numbers that vary in the original, one row per record, NaN where a value is missing.

    ``before`` and ``after`` are standardised alike: the original's mean is 0 and its standard deviation 1. A column that
    the masked file no longer has, or has as labels, is NaN throughout, so that dropping it never looks better.
    """

    columns: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray

    def complete_records(self) -> Numbers:
        """Only the records that have every value in both files; row i of both must be the same record.

        A column without any value in the masked file tells nobody apart: all have the original's mean there.
        """
        emptied = ~np.isfinite(self.after).any(axis=0)
        after = np.where(emptied, 0.0, self.after)
        known = np.isfinite(self.before).all(axis=1) & np.isfinite(after).all(axis=1)
        if emptied.all() or not known.any():
            raise TacitError(
                "no record has all its numbers in both files",
                code="too_few_records",
                fix="drop the columns that are mostly missing, or measure il1, which takes each column by itself",
            )
        return Numbers(self.columns, self.before[known], after[known])


def numbers_apart(release: Release | Masked, original: Release) -> Numbers:
    """The numbers of each file by itself; the files may have different numbers of records."""
    masked, original = release_of(release), release_of(original)
    return _standardise_files(masked, original, np.arange(masked.size), np.arange(original.size))


def numbers_beside(release: Release | Masked, original: Release, lineage: np.ndarray | None) -> Numbers:
    """The numbers of each record in both files side by side, in the order of the original."""
    pairs = pair_records(release, original, lineage)
    order = np.argsort(pairs.of_original, kind="stable")
    return _standardise_files(pairs.masked, pairs.original, pairs.of_masked[order], pairs.of_original[order])


def _standardise_files(masked: Release, original: Release, of_masked: np.ndarray, of_original: np.ndarray) -> Numbers:
    columns, before, after = [], [], []
    both = numeric_columns(masked, original)
    for column in numeric_columns(original, original):
        if column not in both and masked.types.get(column) in ("integer", "number"):
            continue
        values = original.floats(column)
        known = values[np.isfinite(values)]
        if not len(known) or known.min() == known.max():
            continue
        # Divided by the largest first: squares of very large and very small values are out of reach.
        scale = np.abs(known).max()
        mean, deviation = (known / scale).mean(), (known / scale).std(ddof=1)
        columns.append(column)
        before.append(_standardise_values(values[of_original], scale, mean, deviation))
        kept = masked.floats(column)[of_masked] if column in both else np.full(len(of_masked), np.nan)
        after.append(_standardise_values(kept, scale, mean, deviation))
    if not any(column in both for column in columns):
        raise TacitError(
            "no column holds varying numbers in both files",
            code="no_usable_column",
            fix="measure generalisation or suppressed cells instead",
        )
    return Numbers(tuple(columns), np.column_stack(before), np.column_stack(after))


def _standardise_values(values: np.ndarray, scale: float, mean: float, deviation: float) -> np.ndarray:
    finite = np.where(np.isfinite(values), values, np.nan)
    with np.errstate(over="ignore"):
        return np.clip((finite / scale - mean) / deviation, -FAR, FAR)


def pairwise_covariance(numbers: np.ndarray) -> np.ndarray:
    """The covariance matrix, each entry over the records that have both values; 0 where fewer than two have.

    O(n · m²) time and O(n · m) memory for m columns.

    >>> pairwise_covariance(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, np.nan]])).tolist()
    [[4.0, 2.0], [2.0, 2.0]]
    """
    known = np.isfinite(numbers)
    present = known.astype(float)
    filled = np.where(known, numbers, 0.0)
    filled = (filled - filled.sum(axis=0) / np.maximum(present.sum(axis=0), 1.0)) * present
    counts, sums = present.T @ present, filled.T @ present
    product = filled.T @ filled - sums * sums.T / np.maximum(counts, 1.0)
    return np.where(counts > 1, product / np.maximum(counts - 1.0, 1.0), 0.0)


def drop_rounding(change: float) -> float:
    """A change without what is only rounding."""
    return float(change) if change > ROUNDING else 0.0
