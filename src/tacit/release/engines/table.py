"""What a release needs of an engine: the same few operations on Polars, DuckDB and Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import narwhals as nw

from ...errors import TacitError
from ..files.header import PRIVATE

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from ..codes import Codes


ROW = PRIVATE + "row"
"""The private row number of a lazy frame."""

Type: TypeAlias = Literal["integer", "number", "text", "date", "datetime", "boolean"]


class RowKernel(Protocol):
    """A function of consecutive rows: a batch of columns, of which the first row has the number ``start``.

    It gives a frame of the same height with the columns that it makes. On Spark it travels to the workers, so it must be
    picklable: a frozen dataclass with ``__call__``.
    """

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        """The new columns of the batch."""


class Table(Protocol):
    """A table on one engine; immutable, every change gives a new one."""

    @property
    def engine(self) -> str:
        """polars, duckdb or spark."""

    @property
    def lazy(self) -> bool:
        """Whether the rows stay with the engine."""

    @property
    def types(self) -> Mapping[str, Type]:
        """Column → type, helper columns left out."""

    @property
    def size(self) -> int:
        """Number of rows."""

    def scan(self, *, numbered: bool = False) -> nw.LazyFrame[Any]:
        """A lazy frame of all columns, with the row number under ``ROW`` when asked for."""

    def series(self, column: str) -> pl.Series:
        """One column in memory, in row order."""

    def codes(self, column: str) -> Codes:
        """One column as dictionary codes, in row order."""

    def with_columns(self, columns: Mapping[str, pl.Series | nw.Expr]) -> Table:
        """A table with columns changed or added: expressions on any engine, arrays where rows have an order."""

    def map_batches(self, read: Sequence[str], kernel: RowKernel, types: Mapping[str, Any]) -> Table:
        """A table with columns made by a kernel from the columns it reads; ``types`` are their Polars types."""

    def select(self, columns: Sequence[str]) -> Table:
        """A table with these columns only (and their helpers)."""

    def take(self, rows: np.ndarray) -> Table:
        """A table of the given rows, in the given order."""

    def append(self, rows: pl.DataFrame) -> Table:
        """A table with rows added at the end."""

    def to_native(self) -> Any:
        """The frame as the user gave it: pandas for pandas, a relation for a relation."""


def own_columns(names: Sequence[str]) -> list[str]:
    """The columns that are not our helpers."""
    return [name for name in names if not name.startswith(PRIVATE)]


def helpers_of(columns: Sequence[str], present: Sequence[str]) -> list[str]:
    """Our helper columns that belong to the given columns, named ``__tacit_<what>:<column>``."""
    return [name for name in present if name.startswith(PRIVATE) and name.partition(":")[2] in columns]


def type_of(column: str, dtype: Any) -> Type:
    """Our six types from Narwhals' many; nested and binary ones are refused."""
    if dtype.is_integer():
        return "integer"
    if dtype.is_numeric():
        return "number"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "text"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype == nw.Date:
        return "date"
    if dtype == nw.Datetime:
        return "datetime"
    raise TacitError(
        f"holds values of type {str(dtype).split('(')[0].lower()}",
        column=column,
        fix="drop it or turn it into numbers, text, booleans or dates before the release is made",
    )


def few_rows(frame: nw.LazyFrame[Any]) -> list[tuple[Any, ...]]:
    """The rows of an aggregate, brought into memory: for handfuls of numbers, never for records."""
    return frame.collect(backend="pyarrow").rows()
