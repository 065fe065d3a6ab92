"""Values by declaration: what a column of a differentially private method is, and each cell by a rule about that cell alone.

The type of a column follows from what was declared: categories have the type of their values, whole bounds make whole numbers,
other numbers decimals, bounds ``'YYYY-MM-DD'`` days, bounds with a time of day moments. A cell is then read by itself. A cell that
the rule does not read is missing: it neither fails nor changes how another cell is read, whatever the column holds besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from .._numbers import as_numbers

NUMBER = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$"
MOMENTS = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d")
LARGEST = 2.0**53
"""Whole numbers beyond are cut off here: they lie beyond any bounds that can be declared."""
DAY = len("YYYY-MM-DD")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFormats:
    """How texts write numbers and days; as the [data] section of a plan says."""

    decimal: str = "."
    thousands: str | None = None
    dates: str = "YYYY-MM-DD"


def declared_types(
    categories: Mapping[str, Sequence[Any]] | None = None, bounds: Mapping[str, tuple[Any, Any]] | None = None
) -> dict[str, pl.DataType]:
    """The type of every declared column, from its declaration alone.

    >>> declared_types({"sex": ["F", "M"]}, {"age": (0, 110), "pay": (0, 9e4), "born": ("1900-01-01", "2020-12-31")})
    {'sex': String, 'age': Int64, 'pay': Float64, 'born': Date}
    """
    found: dict[str, pl.DataType] = {}
    for column, listed in (categories or {}).items():
        by_type: dict[type, pl.DataType] = {bool: pl.Boolean(), int: pl.Int64(), str: pl.String()}
        found[column] = by_type[type(listed[0])]
    for column, ends in (bounds or {}).items():
        if all(isinstance(end, str) for end in ends):
            found[column] = pl.Date() if all(len(end) == DAY for end in ends) else pl.Datetime("us")
        else:
            found[column] = pl.Int64() if all(isinstance(end, int) for end in ends) else pl.Float64()
    return found


def parse_declared(series: pl.Series, dtype: pl.DataType, written: TextFormats | None = None) -> pl.Series:
    """The column in its declared type, value by value; missing where a value is none of that type. O(n).

    >>> parse_declared(pl.Series(["23", "37.5", "unknown", "", "inf", "1e9", None]), pl.Float64()).to_list()
    [23.0, 37.5, None, None, None, 1000000000.0, None]
    >>> (
    ...     parse_declared(pl.Series([1, 2]), pl.String()).to_list(),
    ...     parse_declared(pl.Series(["true", "no"]), pl.Boolean()).to_list(),
    ... )
    (['1', '2'], [True, None])
    """
    written = written or TextFormats()
    if dtype == pl.String:
        return _as_texts(series)
    if dtype == pl.Boolean:
        if series.dtype == pl.Boolean:
            return series
        return _as_texts(series).replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    if dtype.is_numeric():
        return _parse_numbers(series, dtype, written)
    return _parse_datetimes(series, dtype, written)


def within_bounds(series: pl.Series, low: float, high: float) -> tuple[np.ndarray, int]:
    """Numbers cut off at the bounds, the missing ones in the middle between them; and how many were missing, for internal eyes."""
    cut = series.clip(low, high) if series.dtype.is_numeric() else series
    values = np.clip(as_numbers(cut), low, high)
    absent = np.isnan(values)
    return np.where(absent, (low + high) / 2, values), int(absent.sum())


def _as_texts(series: pl.Series) -> pl.Series:
    """Values as a file writes them; a number without decimals is written without a point, whatever the others are."""
    if series.dtype.is_float():
        whole = series.round(0).cast(pl.Int64, strict=False)
        return pl.select(
            pl.when(series == whole.cast(pl.Float64)).then(whole.cast(pl.String)).otherwise(series.cast(pl.String))
        ).to_series()
    return series.cast(pl.String, strict=False)


def _parse_numbers(series: pl.Series, dtype: pl.DataType, written: TextFormats) -> pl.Series:
    if series.dtype.is_numeric():
        found = series.cast(pl.Float64)
    elif series.dtype in (pl.String, pl.Categorical, pl.Enum):
        cell = series.cast(pl.String).str.strip_chars()
        if written.thousands is not None:
            cell = cell.str.replace_all(written.thousands, "", literal=True)
        if written.decimal != ".":
            cell = cell.str.replace_all(".", "?", literal=True).str.replace_all(written.decimal, ".", literal=True)
        found = cell.set(~cell.str.contains(NUMBER), None).cast(pl.Float64, strict=False)
        found = found.set(found.is_infinite(), None)
    else:
        found = pl.Series(series.name, [None] * len(series), dtype=pl.Float64)
    found = found.fill_nan(None)
    return found.clip(-LARGEST, LARGEST).round(0).cast(pl.Int64) if dtype.is_integer() else found


def _parse_datetimes(series: pl.Series, dtype: pl.DataType, written: TextFormats) -> pl.Series:
    if series.dtype == pl.Date or isinstance(series.dtype, pl.Datetime):
        if isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone is not None:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return series.cast(dtype)
    if series.dtype != pl.String:
        return pl.Series(series.name, [None] * len(series), dtype=dtype)
    cell = series.str.strip_chars()
    form = written.dates.replace("YYYY", "%Y").replace("MM", "%m").replace("DD", "%d")
    forms = (form,) if dtype == pl.Date else (*MOMENTS, form)
    # One format at a time, so that none is guessed from the first rows.
    tried = [cell.str.to_datetime(one, strict=False, time_unit="us") for one in forms]
    return pl.select(pl.coalesce(tried)).to_series().cast(dtype).alias(series.name)
