"""Columns as numbers and back: whole numbers, amounts, dates and moments come back in their type and range."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ..errors import TacitError, format_value
from ..release.kinds import ORDERED

if TYPE_CHECKING:
    from ..release.release import Release


LARGEST = 1e100
"""Beyond this, squares of values overflow."""
EXACT = 2.0**53
"""Whole numbers up to here are exact as floating-point numbers."""
DAYS = (-719_162, 2_932_896)
"""The first day of the year 1 and the last of 9999, counted from 1970."""


def checked_numeric(release: Release, columns: Sequence[str], *, dates: bool = True) -> None:
    """Refuse columns that are no amounts: text, Booleans, codes; and dates where the method has no use for them."""
    for column in columns:
        kind = release.types[column]
        if kind not in ("integer", "number") and not (dates and kind in ("date", "datetime")):
            raise TacitError(
                f"holds {kind}, not numbers",
                code="not_numeric",
                column=column,
                fix="leave it out of the columns, or use a method for categories (pram, rank_swap, generalise)",
            )
        if release.kind(column) not in ORDERED:
            raise TacitError(
                f"is {release.kind(column)}: arithmetic on codes means nothing",
                code="not_an_amount",
                column=column,
                fix=f"leave it out, or say kinds={{{column!r}: 'continuous'}} if it is an amount",
            )


def masked_dtypes(release: Release, columns: Sequence[str]) -> dict[str, Any]:
    """The Polars types of the columns as they come back: those of the table, small whole numbers widened to 64 bits."""
    schema = release.scan().select(*columns).head(0).collect(backend="polars").to_native().schema
    return {name: pl.Int64() if schema[name].is_integer() else schema[name] for name in columns}


def numeric_matrix(release: Release, columns: Sequence[str]) -> np.ndarray:
    """The columns side by side as floats, missing as NaN; O(n · columns) time and memory."""
    return np.column_stack([as_numbers(release.series(column)) for column in columns])


def as_numbers(series: pl.Series, start: int = 0) -> np.ndarray:
    """A column as floats: dates in days, moments in seconds since 1970, missing as NaN; refuses what overflows.

    ``start`` is the number of the first row, for errors about a batch of a longer column.
    """
    values = _as_epoch(series).cast(pl.Float64).fill_null(float("nan")).to_numpy(writable=True)
    largest = EXACT if series.dtype.is_integer() else LARGEST
    with np.errstate(invalid="ignore"):
        beyond = np.abs(values) > largest
    if beyond.any():
        raise TacitError(
            f"has a number beyond ±{largest:g} in row {start + int(beyond.argmax()) + 1}",
            code="out_of_range",
            column=series.name,
            fix="correct it, remove the record, or leave the column out",
        )
    return values


def _as_epoch(series: pl.Series) -> pl.Series:
    if series.dtype == pl.Date:
        return series.to_physical()
    if isinstance(series.dtype, pl.Datetime):
        return series.dt.epoch("us").cast(pl.Float64) / 1e6
    return series


def from_numbers(
    values: np.ndarray, name: str, dtype: Any, bounds: tuple[float | str | None, float | str | None] = (None, None)
) -> pl.Series:
    """Floats as a column of the given type, NaN as missing: rounded to whole numbers or days, cut off at the bounds."""
    low, high = (bound_as_number(bound, name, dtype) for bound in bounds)
    if dtype.is_integer() or dtype == pl.Date:  # rounded afterwards, and not to beyond the bounds
        low, high = None if low is None else ceil(low), None if high is None else floor(high)
    with np.errstate(invalid="ignore"):
        kept = values if low is None and high is None else np.clip(values, low, high)
        if dtype.is_integer() and (np.abs(kept) > EXACT).any():
            raise TacitError(
                f"comes out beyond ±{EXACT:g}, which a column of whole numbers cannot hold exactly",
                code="not_whole_number",
                column=name,
                fix="mask it less, or give bounds",
            )
        _check_calendar(kept, name, dtype)
    column = pl.Series(name, kept).fill_nan(None)
    if dtype.is_integer() or dtype == pl.Date:
        return column.round(0).cast(pl.Int64).cast(pl.Int32 if dtype == pl.Date else dtype).cast(dtype)
    if isinstance(dtype, pl.Datetime):
        moments = (column * 1e6).round(0).cast(pl.Int64).cast(pl.Datetime("us")).dt.cast_time_unit(dtype.time_unit)
        return (
            moments
            if dtype.time_zone is None
            else moments.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
        )
    return column.cast(dtype)


def _check_calendar(values: np.ndarray, name: str, dtype: Any) -> None:
    """Refuse days and moments that the type or the calendar does not have."""
    if dtype != pl.Date and not isinstance(dtype, pl.Datetime):
        return
    first, last = DAYS
    if dtype != pl.Date:
        first, last = first * 86_400, (last + 1) * 86_400 - 1
        if dtype.time_unit == "ns":
            first, last = -(2**63) // 10**9 + 1, 2**63 // 10**9 - 1
    if ((values < first - 0.5) | (values > last + 0.5)).any():
        raise TacitError(
            "comes out beyond the dates that its type can hold",
            code="out_of_range",
            column=name,
            fix="mask it less, or give bounds",
        )


def bound_as_number(bound: float | str | None, name: str, dtype: Any) -> float | None:
    """A bound on the scale of the numbers."""
    timed = dtype == pl.Date or isinstance(dtype, pl.Datetime)
    if bound is None:
        return None
    if timed != isinstance(bound, str):
        raise TacitError(
            f"cannot be bounded by {format_value(bound)}",
            code="unsuitable_column",
            column=name,
            fix="bound numbers by numbers and dates by 'YYYY-MM-DD'",
        )
    if not isinstance(bound, str):
        return float(bound)
    try:
        moment = pl.Series(name, [datetime.fromisoformat(bound)])
    except ValueError:
        raise TacitError(
            f"cannot be bounded by {bound!r}, which is no date",
            code="wrong_type",
            column=name,
            fix="write it as YYYY-MM-DD",
        ) from None
    return float(as_numbers(moment.cast(pl.Date) if dtype == pl.Date else moment)[0])
