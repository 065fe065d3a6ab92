"""Formats that know only one kind of number: whole columns become integers, midnight-only columns become dates."""

from __future__ import annotations

import polars as pl
import polars.selectors as cs

EXACT = 2**53
"""Whole numbers are exact in a double up to here."""


def simplify_types(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with the simplest type that holds every value of a column; O(n) per column.

    >>> simplify_types(pl.DataFrame({"age": [41.0, None], "income": [1.5, 2.0]})).dtypes
    [Int64, Float64]
    """
    floats, times = frame.select(cs.float()), frame.select(cs.datetime())
    whole = floats.select((pl.all().is_not_null().any()) & ((pl.all() % 1 == 0) & (pl.all().abs() <= EXACT)).all())
    midnight = times.select(pl.all().is_not_null().any() & (pl.all().dt.time() == pl.time(0, 0)).all())
    return frame.with_columns(
        *(pl.col(name).cast(pl.Int64) for name in _true_flags(whole)),
        *(pl.col(name).dt.date() for name in _true_flags(midnight)),
    )


def _true_flags(flags: pl.DataFrame) -> list[str]:
    return [name for name, flag in flags.to_dicts()[0].items() if flag] if flags.width else []
