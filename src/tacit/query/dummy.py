"""Made-up data within the declared bounds, to try a question on: they know no more than the declaration says."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from ..seed import generator
from .column import EPOCH, Column, Schema

if TYPE_CHECKING:
    import polars as pl

__all__ = ["UNITS", "dummy_tables"]

UNITS = 1000
"""Units of a dummy data set whose size is not public."""

TEXTS = ("alpha", "beta", "gamma", "delta")
"""What stands in columns without a list."""

WIDEST = 1000
"""Keys of a joined table."""


def dummy_tables(schema: Schema, *, units: int = UNITS, rows: int, seed: int = 0) -> dict[str, pl.DataFrame]:
    """The data set (under ``""``) and the tables it is joined with: values uniform in their domains, drawn from a seed.

    Each unit has from one to ``rows`` rows. Nothing here depends on the data. O(units · rows).
    """
    import polars as pl

    rng = generator(seed)
    of_unit = np.repeat(np.arange(units), rng.integers(1, rows + 1, units))
    joined = tuple(f"{table}." for table in schema.joins)
    own = {name: column for name, column in schema.columns.items() if not name.startswith(joined)}
    tables, keys = {}, {}
    for table, key in schema.joins.items():
        keys[key] = _values(own.get(key), rng, None)
        theirs = {
            name.removeprefix(f"{table}."): one for name, one in schema.columns.items() if name.startswith(f"{table}.")
        }
        drawn = {name: _values(one, rng, len(keys[key])) for name, one in theirs.items() if name != key}
        tables[table] = pl.DataFrame({key: keys[key]} | drawn)
    main: dict[str, Any] = {name: _values(column, rng, len(of_unit)) for name, column in own.items()}
    main |= {key: [found[place] for place in rng.integers(0, len(found), len(of_unit))] for key, found in keys.items()}
    if schema.unit is not None:
        main[schema.unit] = of_unit
    return {"": pl.DataFrame(main)} | tables


def _values(column: Column | None, rng: np.random.Generator, number: int | None) -> list[Any]:
    """So many values of a column; or each of its first values once, for the key of a joined table."""
    if column is None or column.kind == "text":
        places = range(len(TEXTS)) if number is None else rng.integers(0, len(TEXTS), number)
        return [TEXTS[place] for place in places]
    low, high = column.bounds() if column.listed else (0, 99)
    codes = range(low, min(high, low + WIDEST - 1) + 1) if number is None else rng.integers(low, high + 1, number)
    if column.kind == "date":
        return [EPOCH + timedelta(days=int(code)) for code in codes]
    found = [column.shown(int(code)) for code in codes]
    return [float(value) for value in found] if column.kind == "number" else found
