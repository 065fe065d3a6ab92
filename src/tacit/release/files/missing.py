"""One notion of missing and one set of types on every engine, whatever the file or frame came with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import narwhals as nw
import polars as pl


def numbers_among(texts: Sequence[str]) -> list[float]:
    """The texts that are numbers, as numbers: "-9" means missing in a column of numbers too.

    >>> numbers_among(["NA", "-9", "1e3"])
    [-9.0, 1000.0]
    """
    found = []
    for text in texts:
        try:
            number = float(text)
        except ValueError:
            continue
        if isfinite(number):
            found.append(number)
    return found


def normalise_missing(frame: nw.LazyFrame[Any], missing_values: Sequence[str] = ()) -> nw.LazyFrame[Any]:
    """NaN, '' and the texts in ``missing_values`` as missing; categories as text, numbers in 64 bits.

    Nothing is computed yet on a lazy engine; O(n) per column of text or floats when it is.
    """
    native = frame.to_native()
    if isinstance(native, pl.LazyFrame):  # its own expressions, which are made in a tenth of the time
        changes = _column_changes(pl, native.collect_schema(), missing_values)
        return nw.from_native(native.with_columns(**changes)) if changes else frame
    changes = _column_changes(nw, frame.collect_schema(), missing_values)
    return frame.with_columns(**changes) if changes else frame


def _column_changes(library: Any, schema: Mapping[str, Any], missing_values: Sequence[str]) -> dict[str, Any]:
    """The columns that are not yet as they should be, as expressions of Polars or of narwhals, which have the same names."""
    changes: dict[str, Any] = {}
    numbers = numbers_among(missing_values)
    whole = [int(number) for number in numbers if number.is_integer()]
    for name, dtype in schema.items():
        column = library.col(name)
        if dtype.is_float() or dtype.is_decimal():
            wide = column if dtype == library.Float64 else column.cast(library.Float64)
            known = ~wide.is_nan() & ~wide.is_in(numbers) if numbers else ~wide.is_nan()
            changes[name] = library.when(known).then(wide)
        elif dtype in (library.String, library.Categorical, library.Enum):
            text = column if dtype == library.String else column.cast(library.String)
            changes[name] = library.when(~text.is_in(["", *missing_values])).then(text)
        elif dtype.is_integer() and (dtype != library.Int64 or whole):
            wide = column if dtype == library.Int64 else column.cast(library.Int64)
            changes[name] = library.when(~wide.is_in(whole)).then(wide) if whole else wide
    return changes
