"""What two models are to say of each record: a column, or labels that stand in none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, unknown_column
from ...release.codes import encoded
from ...release.release import Release
from ..columns import as_numbers
from ..values.target import target_of, true_values

__all__ = ["Sought", "sought"]


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """What is to be learnt, in both files, in one coding: numbers with NaN, or codes with −1, where unknown."""

    name: str | None
    true: np.ndarray
    masked: np.ndarray

    @property
    def numbers(self) -> bool:
        """Whether it is a number."""
        return self.true.dtype.kind == "f"

    def known(self) -> np.ndarray:
        """Which original records have a value."""
        return ~np.isnan(self.true) if self.numbers else self.true >= 0


def sought(release: Release, people: Release, column: str | None, labels: Any, made_from: np.ndarray) -> Sought:
    """A column of both files, a column of the original alone, or labels from outside; ``made_from`` is the lineage."""
    if (column is None) == (labels is None):
        raise TacitError("name one thing to predict", fix="column='diagnosis', or labels=[…] for what is in no column")
    if column is not None and column not in people.columns:
        raise unknown_column(column, people.columns)
    if column is not None and column in release.columns:
        target = target_of(release, column)
        masked = target.codes if target.codes is not None else target.numbers
        assert masked is not None
        return Sought(column, true_values(release, people, column), masked)
    given = people.series(column) if column is not None else _labels(labels, people.size)
    if given.dtype.is_float() or given.dtype.is_temporal() or (column and people.kinds.get(column) == "continuous"):
        true = as_numbers(given, column or "labels")
        return Sought(column, true, np.append(true, np.nan)[made_from])
    coded = encoded(given)
    codes = np.where(coded.codes == len(coded.dictionary), -1, coded.codes).astype(np.int64)
    return Sought(column, codes, np.append(codes, -1)[made_from])


def _labels(labels: Any, size: int) -> pl.Series:
    try:
        found = pl.Series(labels, nan_to_null=True)
    except Exception as problem:
        raise TacitError(
            f"the labels are no column ({type(problem).__name__})", fix="give one value of one type for each row"
        ) from None
    if len(found) != size:
        raise TacitError(
            f"there are {len(found):,} labels for the {size:,} records of the original",
            fix="give one for each of its rows, None where it is unknown",
        )
    return found
