"""Dictionary codes: each column as small integers, so that grouping and comparing are integer arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

__all__ = ["Codes", "encoded"]


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """A column as integers in [0, count): code i stands for ``dictionary[i]``, in sorted order.

    Missing, where there is any, has the last code, beyond the dictionary.
    """

    codes: np.ndarray
    dictionary: pl.Series
    has_missing: bool

    @property
    def count(self) -> int:
        """How many codes there are, that of missing included."""
        return len(self.dictionary) + self.has_missing

    @property
    def missing(self) -> int | None:
        """The code of missing, if any cell is."""
        return len(self.dictionary) if self.has_missing else None


def encoded(column: pl.Series) -> Codes:
    """The codes of a column; O(n) for whole numbers of moderate range, dates and text, O(n log n) for other numbers."""
    if column.dtype in (pl.Date, pl.Boolean) or column.dtype.is_integer():
        whole = column.to_physical().cast(pl.Int64)
        low, high = whole.min(), whole.max()
        if low is None or int(high) - int(low) <= max(4 * len(column), 1 << 16):  # type: ignore[call-overload]
            return _by_offset(column, whole, int(low or 0), int(high or 0))  # type: ignore[call-overload]
    if column.dtype == pl.String:
        return _by_dictionary(column)
    return _by_rank(column)


def _by_offset(column: pl.Series, whole: pl.Series, low: int, high: int) -> Codes:
    span = high - low + 1
    missing = column.null_count() > 0
    offsets = (whole - low).cast(pl.Int32).fill_null(span).to_numpy()
    present = np.zeros(span + 1, dtype=bool)
    present[offsets] = True
    dense = np.cumsum(present, dtype=np.int32) - 1
    values = pl.Series(np.flatnonzero(present[:span]) + low).cast(column.dtype)
    return Codes(offsets if present[:span].all() else dense[offsets], values, missing)


def _by_dictionary(column: pl.Series) -> Codes:
    import pyarrow as pa
    import pyarrow.compute as pc

    arrow = column.rechunk().to_arrow().cast(pa.large_string()).dictionary_encode()
    dictionary = pl.Series(arrow.dictionary, dtype=pl.String)
    order = dictionary.arg_sort().to_numpy()
    place = np.empty(len(order) + 1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    place[-1] = len(order)
    missing = column.null_count() > 0
    codes = pc.fill_null(arrow.indices, len(order)) if missing else arrow.indices
    return Codes(place[codes.to_numpy(zero_copy_only=False)], dictionary[order], missing)


def _by_rank(column: pl.Series) -> Codes:
    dictionary = column.drop_nulls().unique().sort()
    ranks = column.rank("dense").cast(pl.Int32) - 1
    missing = column.null_count() > 0
    return Codes(ranks.fill_null(len(dictionary)).to_numpy(), dictionary, missing)
