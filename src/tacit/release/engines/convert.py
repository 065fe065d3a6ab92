"""Frames come in here: each becomes a table on the engine of its library, by one set of rules.

NaN and the empty text become missing on every engine, so that the same data give the same numbers everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ...errors import TacitError
from ..files.header import check_names
from .table import Table

ENGINES = {
    "polars": ".polars",
    "pandas": ".polars",
    "pyarrow": ".polars",
    "duckdb": ".duckdb",
    "pyspark": ".spark",
}
"""Library of a frame → the module of its engine, which has ``from_native(frame) -> Table | None``.

pandas, PyArrow and lazy Polars frames become Polars; DuckDB relations and PySpark frames stay where they are.
"""


def from_frame(frame: Any) -> Table:
    """The table behind any supported frame; O(1) for Polars, a copy for the others."""
    if hasattr(frame, "__narwhals_dataframe__") or hasattr(frame, "__narwhals_lazyframe__"):
        frame = frame.to_native()
    module = ENGINES.get(type(frame).__module__.partition(".")[0].removeprefix("_"))
    if module is not None:
        check_names(_check_text_names(_frame_names(frame)))
        table: Table | None = import_module(module, __package__).from_native(frame)
        if table is not None:
            return table
    raise TacitError(
        f"a release cannot be made from {type(frame).__module__}.{type(frame).__name__}",
        code="cannot_write",
        fix="give a pandas, Polars, PyArrow, DuckDB or PySpark frame, or read a file with tacit.read('file.csv', …)",
    )


def _check_text_names(names: Sequence[Any]) -> Sequence[str]:
    for place, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise TacitError(
                f"column number {place} has a name of type {type(name).__name__}",
                code="invalid_data",
                fix="rename it to text",
            )
    return names


def _frame_names(frame: Any) -> Sequence[Any]:
    if hasattr(frame, "collect_schema"):
        return list(frame.collect_schema().names())
    return list(frame.column_names if hasattr(frame, "column_names") else getattr(frame, "columns", []))
