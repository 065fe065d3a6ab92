"""Averaged columns of both files as numbers, and by how much a released value may differ from the mean it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...release.codes import encode_column
from .scales import as_is, numeric_pair

if TYPE_CHECKING:
    from ...release.release import Release


PRECISE = 1e-11
"""By so much of the largest number sums of floating-point numbers may be off …"""
SINGLE = 1e-6
"""… and where the release keeps single precision."""


@dataclass(frozen=True, slots=True, eq=False)
class AveragedColumn:
    """A column as numbers, NaN where missing: released values, the intruder's, and what is known of their difference.

    ``error`` is what arithmetic may have changed, ``rounding`` that and what the type of the column takes away (half a
    whole number). ``mean`` says that the released values are means, not medians or modes.
    """

    name: str
    release: np.ndarray
    intruder: np.ndarray
    error: float
    rounding: float
    mean: bool


def average_column(release: Release, file: Release, column: str, *, aggregate: str | None) -> AveragedColumn | None:
    """The column in both files; None where its values have no order, or not the same in both.

    ``aggregate`` is what groups show; None: what fits the kind, the mean of amounts and the median of ordinal values.
    """
    kind = release.select(column).kinds.get(column, "continuous")
    theirs, mine = release.series(column), file.series(column)
    if kind == "ordinal" and theirs.dtype == mine.dtype == pl.String and as_is(release, file, column):
        both = encode_column(pl.concat([theirs, mine]))
        numbers = np.where(both.codes == len(both.dictionary), np.nan, both.codes.astype(float))
        return AveragedColumn(
            column, numbers[: len(theirs)], numbers[len(theirs) :], error=0.0, rounding=0.0, mean=False
        )
    pair = numeric_pair(release, file, column)
    if kind not in ("continuous", "ordinal", "date") or pair is None:
        return None
    largest = max(float(np.fmax.reduce(np.abs(side), initial=0.0)) for side in (pair.theirs, pair.mine))
    error = (SINGLE if theirs.dtype == pl.Float32 else PRECISE) * largest
    half = 1e-6 if isinstance(theirs.dtype, pl.Datetime) else pair.rounding_error
    mean = aggregate == "mean" or (aggregate is None and kind != "ordinal")
    return AveragedColumn(column, pair.theirs, pair.mine, error=error, rounding=error + half, mean=mean)
