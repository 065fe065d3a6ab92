"""Columns as numbers and back: whole numbers, amounts, dates and moments come back in their type and range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ..errors import TacitError, typed
from ..frozen import FrozenDict
from ..release.kinds import ORDERED
from .parameters import number

if TYPE_CHECKING:
    from ..release.release import Release

__all__ = ["LARGEST", "Bounds", "as_numbers", "checked_bounds", "checked_numeric", "dtypes", "from_numbers", "numbers"]

LARGEST = 1e100
"""Beyond this, squares of values overflow."""
EXACT = 2.0**53
"""Whole numbers up to here are exact as floating-point numbers."""

Bounds = Mapping[str, tuple[float | str | None, float | str | None]]


def checked_bounds(given: object) -> FrozenDict[str, tuple[float | str | None, float | str | None]]:
    """The lowest and highest value that a column may get, as typed: ``{"age": [0, 120], "pay": [0, None]}``."""
    if not isinstance(given, Mapping):
        raise TacitError(f"bounds={typed(given)} are not given by column", fix="e.g. bounds={'age': [0, 120]}")
    found: dict[str, tuple[float | str | None, float | str | None]] = {}
    for column, pair in given.items():
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(_bound(one) for one in pair):
            raise TacitError(
                f"is bounded by {typed(pair)}",
                column=str(column),
                fix="give the lowest and the highest value, None where there is none: [0, 120] or [0, None]; dates as 'YYYY-MM-DD'",
            )
        low, high = (one.isoformat() if isinstance(one, date) else one for one in pair)
        if low is not None and high is not None and (isinstance(low, str) != isinstance(high, str) or not low < high):
            raise TacitError(
                f"has the bounds {typed(low)} and {typed(high)}, of which the first is not the lower",
                column=str(column),
                fix="swap the two",
            )
        found[str(column)] = (low, high)
    return FrozenDict(found)


def _bound(one: object) -> bool:
    return one is None or number(one) or isinstance(one, date | str)


def checked_numeric(release: Release, columns: Sequence[str], *, dates: bool = True) -> None:
    """Refuse columns that are no amounts: text, Booleans, codes; and dates where the method has no use for them."""
    for column in columns:
        kind = release.types[column]
        if kind not in ("integer", "number") and not (dates and kind in ("date", "datetime")):
            raise TacitError(
                f"holds {kind}, not numbers",
                column=column,
                fix="leave it out of the columns, or use a method for categories (pram, rank_swap, generalise)",
            )
        if release.kind(column) not in ORDERED:
            raise TacitError(
                f"is {release.kind(column)}: arithmetic on codes means nothing",
                column=column,
                fix=f"leave it out, or say kinds={{{column!r}: 'continuous'}} if it is an amount",
            )


def dtypes(release: Release, columns: Sequence[str]) -> dict[str, Any]:
    """The Polars types of the columns as they come back: those of the table, small whole numbers widened to 64 bits."""
    schema = release.scan().select(*columns).head(0).collect(backend="polars").to_native().schema
    return {name: pl.Int64() if schema[name].is_integer() else schema[name] for name in columns}


def numbers(release: Release, columns: Sequence[str]) -> np.ndarray:
    """The columns side by side as floats, missing as NaN; O(n · columns) time and memory."""
    return np.column_stack([as_numbers(release.series(column)) for column in columns])


def as_numbers(series: pl.Series, start: int = 0) -> np.ndarray:
    """A column as floats: dates in days, moments in seconds since 1970, missing as NaN; refuses what overflows.

    ``start`` is the number of the first row, for errors about a batch of a longer column.
    """
    values = _counted(series).cast(pl.Float64).fill_null(float("nan")).to_numpy(writable=True)
    largest = EXACT if series.dtype.is_integer() else LARGEST
    with np.errstate(invalid="ignore"):
        beyond = np.abs(values) > largest
    if beyond.any():
        raise TacitError(
            f"has a number beyond ±{largest:g} in row {start + int(beyond.argmax()) + 1}",
            column=series.name,
            fix="correct it, remove the record, or leave the column out",
        )
    return values


def _counted(series: pl.Series) -> pl.Series:
    if series.dtype == pl.Date:
        return series.to_physical()
    if isinstance(series.dtype, pl.Datetime):
        return series.dt.epoch("us").cast(pl.Float64) / 1e6
    return series


def from_numbers(
    values: np.ndarray, name: str, dtype: Any, bounds: tuple[float | str | None, float | str | None] = (None, None)
) -> pl.Series:
    """Floats as a column of the given type, NaN as missing: rounded to whole numbers or days, cut off at the bounds."""
    low, high = (_placed(bound, name, dtype) for bound in bounds)
    with np.errstate(invalid="ignore"):
        kept = values if low is None and high is None else np.clip(values, low, high)
        if dtype.is_integer() and (np.abs(kept) > EXACT).any():
            raise TacitError(
                f"comes out beyond ±{EXACT:g}, which a column of whole numbers cannot hold exactly",
                column=name,
                fix="mask it less, or give bounds",
            )
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


def _placed(bound: float | str | None, name: str, dtype: Any) -> float | None:
    """A bound on the scale of the numbers."""
    timed = dtype == pl.Date or isinstance(dtype, pl.Datetime)
    if bound is None:
        return None
    if timed != isinstance(bound, str):
        raise TacitError(
            f"cannot be bounded by {typed(bound)}",
            column=name,
            fix="bound numbers by numbers and dates by 'YYYY-MM-DD'",
        )
    if not isinstance(bound, str):
        return float(bound)
    try:
        moment = pl.Series(name, [datetime.fromisoformat(bound)])
    except ValueError:
        raise TacitError(
            f"cannot be bounded by {bound!r}, which is no date", column=name, fix="write it as YYYY-MM-DD"
        ) from None
    return float(as_numbers(moment.cast(pl.Date) if dtype == pl.Date else moment)[0])
