"""A column as places of a finite axis, and the way back: categories as they are, numbers and dates drawn within their bin.

Missing is a place of its own, the last one, where an axis has it. A value without a place has −1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ..._numbers import as_numbers, from_numbers


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalAxis:
    """A column of categories: place i is ``values[i]``."""

    column: str
    values: pl.Series
    missing: bool

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.values) + self.missing

    def encode_values(self, series: pl.Series) -> np.ndarray:
        """The place of every value. O(n)."""
        numbers = pl.Series(range(len(self.values)), dtype=pl.Int64)
        found = series.replace_strict(self.values, numbers, default=-1, return_dtype=pl.Int64).fill_null(-1).to_numpy()
        return np.where(found < 0, len(self.values), found) if self.missing else found

    def draw_values(self, places: np.ndarray, rng: np.random.Generator) -> pl.Series:  # noqa: ARG002 - a category is what it is
        """The category of every place."""
        known = pl.Series(np.where(places < len(self.values), places, -1))
        return self.values.gather(known.set(known < 0, None)).rename(self.column)


@dataclass(frozen=True, slots=True, eq=False)
class BinnedAxis:
    """A column of numbers or dates: place i is what lies from ``lows[i]`` on and below ``lows[i + 1]``.

    A value is drawn evenly from ``lows[i]`` to ``highs[i]``, both included where numbers are ``whole``; values beyond the
    first and the last bin belong to these.
    """

    column: str
    lows: np.ndarray
    highs: np.ndarray
    dtype: Any
    missing: bool

    @property
    def is_whole(self) -> bool:
        """Whether values are whole numbers or days."""
        return bool(self.dtype.is_integer() or self.dtype == pl.Date)

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.lows) + self.missing

    def encode_values(self, series: pl.Series) -> np.ndarray:
        """The place of every value. O(n log bins)."""
        known = series.cast(pl.Float64).clip(self.lows[0], self.highs[-1]) if series.dtype.is_numeric() else series
        numbers = as_numbers(known)  # cut off before: whether a value is too large to count with is nobody's business
        found = np.clip(np.searchsorted(self.lows, numbers, side="right") - 1, 0, len(self.lows) - 1)
        return np.where(np.isnan(numbers), len(self.lows) if self.missing else -1, found)

    def draw_values(self, places: np.ndarray, rng: np.random.Generator) -> pl.Series:
        """A value from the bin of every place, missing where that is the place."""
        known = places < len(self.lows)
        at = np.where(known, places, 0)
        low, high = self.lows[at], self.highs[at]
        share = rng.random(len(places))
        made = low + np.floor(share * (high - low + 1)) if self.is_whole else low + share * (high - low)
        return from_numbers(np.where(known, made, np.nan), self.column, self.dtype)


Axis = CategoricalAxis | BinnedAxis
"""How a column becomes whole numbers, and comes back."""


def equal_bins(column: str, low: float, high: float, bins: int, dtype: Any, *, missing: bool) -> BinnedAxis:
    """``bins`` bins of equal width from ``low`` to ``high``; of whole numbers no more than there are of them.

    >>> equal_bins("age", 0, 9, 3, pl.Int64(), missing=False).lows.tolist()
    [0.0, 4.0, 7.0]
    """
    if dtype.is_integer() or dtype == pl.Date:
        low, high = float(np.ceil(low)), float(np.floor(high))
        count = int(min(bins, high - low + 1))
        edges = np.ceil(low + np.arange(count + 1) * ((high - low + 1) / count))
        return BinnedAxis(column, edges[:-1], edges[1:] - 1, dtype, missing)
    edges = np.linspace(low, high, bins + 1)
    return BinnedAxis(column, edges[:-1], edges[1:], dtype, missing)


def quantile_bins(series: pl.Series, bins: int, dtype: Any) -> BinnedAxis:
    """Bins of about as many records each, from the lowest to the highest value in them.

    A value of 1/bins of the records or more (a zero, a retirement age) is a bin of its own, which comes back as it is.
    O(n log n).

    >>> found = quantile_bins(pl.Series("pay", [0.0, 0, 0, 0, 1, 2, 3, 4]), 4, pl.Float64())
    >>> found.lows.tolist(), found.highs.tolist()
    ([0.0, 1.0, 3.0], [0.0, 2.0, 4.0])
    """
    numbers = as_numbers(series)
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    share = counts.sum() / bins
    part = np.floor((np.cumsum(counts) - counts / 2) / share)
    heavy = counts >= share
    begins = np.diff(part, prepend=-1.0) > 0
    begins |= heavy
    begins[1:] |= heavy[:-1]
    first = np.flatnonzero(begins)
    last = np.append(first[1:] - 1, len(values) - 1)
    return BinnedAxis(series.name, values[first], values[last], dtype, series.null_count() > 0)


def learn_axis(series: pl.Series, *, amount: bool, bins: int) -> Axis:
    """The axis of a column: its values as they are, or for amounts with more than ``bins`` of them bins by quantiles."""
    values = series.drop_nulls().unique().sort()
    if amount and len(values) > bins:
        return quantile_bins(series, bins, pl.Int64() if series.dtype.is_integer() else series.dtype)
    return CategoricalAxis(series.name, values, series.null_count() > 0)
