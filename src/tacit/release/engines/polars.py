"""Polars: the default engine, everything in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import polars.selectors as cs

from ...errors import TacitError
from ..codes import Codes, encode_column
from ..files.missing import normalise_missing
from .table import ROW, Capabilities, RowKernel, Type, helpers_of, own_columns, type_of

CAPABILITIES = Capabilities(
    engine="polars", title="Polars", move="read the file with engine={engine!r}", in_memory=True
)


@dataclass(frozen=True)
class PolarsTable:
    """A Polars frame, and the way back to the kind of frame that the user gave."""

    frame: pl.DataFrame
    way_back: Callable[[pl.DataFrame], Any] = lambda frame: frame
    capabilities: Capabilities = CAPABILITIES

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

    def count_unique_rows(self, columns: Sequence[str]) -> int:
        """How many rows are alone with their values in these columns."""
        return int(self.frame.select(columns).hash_rows().is_unique().sum())

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


def from_native(frame: Any) -> PolarsTable | None:
    """A table from a Polars, pandas or PyArrow frame, which comes back as the kind that it was; None for anything else."""
    if isinstance(frame, pl.DataFrame):
        return _make_table(frame, lambda new: new)
    if isinstance(frame, pl.LazyFrame):
        return _make_table(frame, lambda new: new.lazy())
    name = type(frame).__name__
    if name == "DataFrame":
        return _make_table(_convert_pandas(frame), lambda new: new.to_pandas())
    return _make_table(pl.from_arrow(frame), lambda new: new.to_arrow()) if name == "Table" else None


def _make_table(frame: Any, way_back: Callable[[pl.DataFrame], Any]) -> PolarsTable:
    """A table with each column in one piece, so that arrays are views of it."""
    typed = frame.lazy().with_columns(cs.by_dtype(pl.Null).cast(pl.String))
    try:
        ruled = normalise_missing(nw.from_native(typed)).collect(backend="polars")
        return PolarsTable(ruled.to_native().rechunk(), way_back)
    except pl.exceptions.PolarsError:
        wide = [name for name, dtype in typed.collect_schema().items() if dtype in (pl.UInt64, pl.Int128, pl.UInt128)]
        raise TacitError(
            "holds whole numbers beyond 64 bits" if wide else "the frame cannot be read",
            code="not_whole_number",
            column=wide[0] if wide else None,
            fix="turn it into text: such numbers are keys, not amounts",
        ) from None


def _convert_pandas(frame: Any) -> pl.DataFrame:
    if type(frame.index).__name__ != "RangeIndex" or frame.index.name is not None:
        raise TacitError(
            "the pandas frame has an index of its own",
            code="invalid_data",
            fix="call .reset_index() to keep it as a column, or .reset_index(drop=True)",
        )
    try:
        return pl.from_pandas(frame)
    except Exception:
        mixed = next((c for c in frame.columns if frame[c].dtype == object and frame[c].map(type).nunique() > 1), None)
        raise TacitError(
            "holds values of several types",
            code="wrong_kind",
            column=mixed,
            fix="convert it to one type, e.g. frame[c].astype('string')",
        ) from None
