"""One notion of missing and one set of types on every engine, whatever the file or frame came with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw

__all__ = ["normalised"]


def normalised(frame: nw.LazyFrame[Any], missing_values: Sequence[str] = ()) -> nw.LazyFrame[Any]:
    """NaN, '' and the texts in ``missing_values`` as missing; categories as text, numbers in 64 bits.

    Nothing is computed yet on a lazy engine; O(n) per column of text or floats when it is.
    """
    changes: dict[str, nw.Expr] = {}
    for name, dtype in frame.collect_schema().items():
        column = nw.col(name)
        if dtype.is_float() or dtype.is_decimal():
            wide = column if dtype == nw.Float64 else column.cast(nw.Float64)
            changes[name] = nw.when(~wide.is_nan()).then(wide)
        elif dtype in (nw.String, nw.Categorical, nw.Enum):
            text = column if dtype == nw.String else column.cast(nw.String)
            changes[name] = nw.when(~text.is_in(["", *missing_values])).then(text)
        elif dtype.is_integer() and dtype != nw.Int64:
            changes[name] = column.cast(nw.Int64)
    return frame.with_columns(**changes) if changes else frame
