"""Dictionary codes: each column as small integers, so that grouping and comparing are integer arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

LARGEST = 2**63 - 1
"""The largest whole number: there is none above it to stand for missing."""
FEW = 1000
"""So many texts are sorted, and so many gaps filled, before a query of Polars would have begun."""


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


def encode_column(column: pl.Series) -> Codes:
    """The codes of a column; O(n) for whole numbers of moderate range, dates and text, O(n log n) for other numbers."""
    if column.dtype in (pl.Date, pl.Boolean) or column.dtype.is_integer():
        whole = column.to_physical().cast(pl.Int64)
        low, high = (int(end) if isinstance(end, int) else 0 for end in (whole.min(), whole.max()))
        if high - low <= max(4 * len(column), 1 << 16) and high < LARGEST:
            return _by_offset(column, whole, low, high)
    if column.dtype == pl.String:
        return _by_dictionary(column)
    return _by_rank(column)


def _by_offset(column: pl.Series, whole: pl.Series, low: int, high: int) -> Codes:
    from ..kernels.groups import offset_codes

    missing = column.null_count() > 0
    filled = whole.fill_null(high + 1) if missing else whole
    codes, present = offset_codes(filled.to_numpy(), low, high - low + 2)
    values = pl.Series(np.flatnonzero(present[:-1]) + low, dtype=pl.Int64).cast(column.dtype)
    return Codes(renumber_codes(codes, present), values, missing)


def renumber_codes(codes: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Codes renumbered so that only those present have a number; the last one is that of missing."""
    if present[:-1].all():
        return codes
    numbers: np.ndarray = np.cumsum(present, dtype=np.int32) - 1
    renumbered: np.ndarray = numbers[codes]
    return renumbered


def _by_dictionary(column: pl.Series) -> Codes:
    import pyarrow as pa

    missing = column.null_count() > 0
    arrow = column.rechunk().to_arrow().cast(pa.large_string()).dictionary_encode()
    order, dictionary = _sort_texts(pl.Series(arrow.dictionary, dtype=pl.String))
    place = np.empty(len(order) + 1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    place[-1] = len(order)
    indices = pl.Series(arrow.indices)  # by way of PyArrow's own, pandas would be loaded
    codes = (indices.fill_null(len(order)) if missing and len(indices) > FEW else indices).to_numpy()
    if codes.dtype.kind == "f":  # a short column, whose gaps came out as NaN
        codes = np.where(np.isnan(codes), len(order), codes).astype(np.int64)
    return Codes(place[codes], dictionary, missing)


def _sort_texts(texts: pl.Series) -> tuple[np.ndarray, pl.Series]:
    """The places of the texts in order, and the texts so; both orders are that of the letters' numbers."""
    if len(texts) > FEW:
        order = texts.arg_sort().to_numpy()
        return order, texts[order]
    known = texts.to_list()
    order = np.array(sorted(range(len(known)), key=known.__getitem__), dtype=np.int64)
    return order, pl.Series([known[place] for place in order], dtype=pl.String)


def _by_rank(column: pl.Series) -> Codes:
    dictionary = column.drop_nulls().unique().sort()
    ranks = column.rank("dense").cast(pl.Int32) - 1
    missing = column.null_count() > 0
    return Codes(ranks.fill_null(len(dictionary)).to_numpy(), dictionary, missing)
