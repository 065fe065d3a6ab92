"""What a release needs of an engine: the same few operations everywhere, and what else the engine declares that it can do.

Nobody asks for the name of an engine. A method that needs more than every engine has asks for a capability, and refuses
by :meth:`Capabilities.require` where it is lacking. An engine is one module with ``from_native(frame) -> Table`` and one
line of :data:`tacit.release.engines.convert.ENGINES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

Capability: TypeAlias = Literal["in_memory", "can_read_columns", "can_take_rows", "can_map_rows", "can_rank_dates"]
REQUIREMENTS: Mapping[Capability, tuple[str, str]] = {
    "in_memory": ("the table in memory", "polars"),
    "can_read_columns": ("whole columns on one machine", "duckdb"),
    "can_take_rows": ("rows that can be picked by number", "duckdb"),
    "can_map_rows": ("a function of its own for each row", "duckdb"),
    "can_rank_dates": ("quantiles of dates", "duckdb"),
}
"""Capability → what it gives in words, and the engine to which data go where it is lacking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an engine can do beside the operations of every table; ``engine`` is its name and ``title`` how people write it.

    ``move`` says how data get from it to another engine, whose name takes the place of ``{engine}``. With ``in_memory`` all
    rows are at hand as arrays, and any algorithm may hold them at once; else the rows stay with the engine. A column comes
    as one array in row order with ``can_read_columns``, rows are picked by number with ``can_take_rows``, and a
    :class:`RowKernel` runs over them with ``can_map_rows``. A search over sets of columns looks at ``search_rows`` rows.

    >>> remote = Capabilities(engine="remote", title="Remote", move="export it, and read it with engine={engine!r}")
    >>> remote.why_lacking("can_take_rows", "records cannot be suppressed") is None
    True
    >>> print(remote.unsupported("in_memory", "records cannot be clustered"))
    records cannot be clustered on Remote: that needs the table in memory
      fix: export it, and read it with engine='polars'
    """

    engine: str
    title: str
    move: str
    in_memory: bool = False
    can_read_columns: bool = True
    can_take_rows: bool = True
    can_map_rows: bool = True
    can_rank_dates: bool = True
    search_rows: int | None = None

    def why_lacking(self, capability: Capability, refused: str) -> str | None:
        """Why the operation is refused, e.g. "records cannot be suppressed"; None where the engine can do it."""
        return (
            None
            if getattr(self, capability)
            else f"{refused} on {self.title}: that needs {REQUIREMENTS[capability][0]}"
        )

    def unsupported(
        self, capability: Capability, refused: str, *, column: str | None = None, instead: str | None = None
    ) -> TacitError:
        """The error of an operation that the engine cannot do; ``instead`` is a remedy beside going to another engine."""
        need, target = REQUIREMENTS[capability]
        move = self.move.format(engine=target)
        fix = move if instead is None else f"{instead}, or {move}"
        fields = {"engine": self.engine, "capability": capability}
        what = f"{refused} on {self.title}: that needs {need}"
        return TacitError(what, fix=fix, code="engine_lacks_capability", column=column, fields=fields)

    def require(
        self, capability: Capability, refused: str, *, column: str | None = None, instead: str | None = None
    ) -> None:
        """Refuse the operation where the engine cannot do it."""
        if not getattr(self, capability):
            raise self.unsupported(capability, refused, column=column, instead=instead)


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
    def capabilities(self) -> Capabilities:
        """What the engine can do beside the operations below."""

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

    def count_unique_rows(self, columns: Sequence[str]) -> int:
        """How many rows are alone with their values in these columns."""

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
        code="wrong_kind",
        column=column,
        fix="drop it or turn it into numbers, text, booleans or dates before the release is made",
    )


def few_rows(frame: nw.LazyFrame[Any]) -> list[tuple[Any, ...]]:
    """The rows of an aggregate, brought into memory: for handfuls of numbers, never for records."""
    return frame.collect(backend="pyarrow").rows()
