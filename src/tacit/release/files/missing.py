"""One notion of missing and one set of types on every engine, whatever the file or frame came with."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import narwhals as nw

__all__ = ["normalised", "numbers_among"]


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


def normalised(frame: nw.LazyFrame[Any], missing_values: Sequence[str] = ()) -> nw.LazyFrame[Any]:
    """NaN, '' and the texts in ``missing_values`` as missing; categories as text, numbers in 64 bits.

    Nothing is computed yet on a lazy engine; O(n) per column of text or floats when it is.
    """
    changes: dict[str, nw.Expr] = {}
    numbers = numbers_among(missing_values)
    whole = [int(number) for number in numbers if number.is_integer()]
    for name, dtype in frame.collect_schema().items():
        column = nw.col(name)
        if dtype.is_float() or dtype.is_decimal():
            wide = column if dtype == nw.Float64 else column.cast(nw.Float64)
            known = ~wide.is_nan() & ~wide.is_in(numbers) if numbers else ~wide.is_nan()
            changes[name] = nw.when(known).then(wide)
        elif dtype in (nw.String, nw.Categorical, nw.Enum):
            text = column if dtype == nw.String else column.cast(nw.String)
            changes[name] = nw.when(~text.is_in(["", *missing_values])).then(text)
        elif dtype.is_integer() and (dtype != nw.Int64 or whole):
            wide = column if dtype == nw.Int64 else column.cast(nw.Int64)
            changes[name] = nw.when(~wide.is_in(whole)).then(wide) if whole else wide
    return frame.with_columns(**changes) if changes else frame
