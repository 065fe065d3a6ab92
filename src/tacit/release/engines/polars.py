"""Polars: the default engine, everything in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from ..codes import Codes, encode_column
from .table import ROW, RowKernel, Type, helpers_of, own_columns, type_of


@dataclass(frozen=True)
class PolarsTable:
    """A Polars frame, and the way back to the kind of frame that the user gave."""

    frame: pl.DataFrame
    way_back: Callable[[pl.DataFrame], Any] = lambda frame: frame
    engine: str = "polars"
    lazy: bool = False

    @cached_property
    def types(self) -> Mapping[str, Type]:
        """Column → type, helper columns left out."""
        schema = nw.from_native(self.frame).schema
        return {name: type_of(name, schema[name]) for name in own_columns(self.frame.columns)}

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.frame.height

    def scan(self, *, numbered: bool = False) -> nw.LazyFrame[Any]:
        """A lazy frame of all columns, with the row number under ``ROW`` when asked for."""
        frame = self.frame.lazy()
        return nw.from_native(frame.with_row_index(ROW) if numbered else frame)

    def series(self, column: str) -> pl.Series:
        """One column, in row order."""
        return self.frame[column]

    def codes(self, column: str) -> Codes:
        """The codes of a column."""
        return encode_column(self.series(column))

    def with_columns(self, columns: Mapping[str, pl.Series | nw.Expr]) -> PolarsTable:
        """A table with columns changed or added."""
        expressions = {name: change for name, change in columns.items() if not isinstance(change, pl.Series)}
        changed = nw.from_native(self.frame).with_columns(**expressions).to_native() if expressions else self.frame
        arrays = [change.alias(name) for name, change in columns.items() if isinstance(change, pl.Series)]
        return replace(self, frame=changed.with_columns(arrays))

    def map_batches(self, read: Sequence[str], kernel: RowKernel, types: Mapping[str, Any]) -> PolarsTable:
        """A table with columns made by a kernel, in one batch."""
        made = kernel(self.frame.select(read), 0)
        return replace(self, frame=self.frame.with_columns(made[name].cast(types[name]) for name in types))

    def select(self, columns: Sequence[str]) -> PolarsTable:
        """A table with these columns only, and their helpers."""
        helpers = helpers_of(columns, self.frame.columns)
        return replace(self, frame=self.frame.select([*columns, *helpers]))

    def take(self, rows: np.ndarray) -> PolarsTable:
        """A table of the given rows, in the given order."""
        return replace(self, frame=self.frame[pl.Series(rows, dtype=pl.Int64)])

    def append(self, rows: pl.DataFrame) -> PolarsTable:
        """A table with rows added at the end."""
        return replace(
            self, frame=pl.concat([self.frame, rows.cast(self.frame.select(rows.columns).schema)], how="diagonal")
        )

    def to_native(self) -> Any:
        """The frame as the user gave it, without helper columns."""
        return self.way_back(self.frame.select(own_columns(self.frame.columns)))


def make_polars_table(
    frame: nw.LazyFrame[Any], way_back: Callable[[pl.DataFrame], Any] = lambda frame: frame
) -> PolarsTable:
    """A table from a normalised Narwhals frame over Polars, each column in one piece, so that arrays are views of it."""
    return PolarsTable(frame.collect(backend="polars").to_native().rechunk(), way_back)
