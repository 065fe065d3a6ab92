"""The door: whatever frame the user has becomes a table on one of three engines, by one set of rules.

pandas, PyArrow and lazy Polars frames become Polars; DuckDB relations and PySpark frames stay where they are.
NaN and the empty text become missing on every engine, so that the same data give the same numbers everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw

from ...errors import TacitError
from ..files.header import check_names
from ..files.missing import normalise_missing
from . import polars as polars_engine
from .table import Table


def from_frame(frame: Any) -> Table:
    """The table behind any supported frame; O(1) for Polars, a copy for the others."""
    if hasattr(frame, "__narwhals_dataframe__") or hasattr(frame, "__narwhals_lazyframe__"):
        frame = frame.to_native()
    library = type(frame).__module__.split(".")[0]
    name = type(frame).__name__
    if library == "pandas" and name == "DataFrame":
        return _from_pandas(frame)
    check_names(_check_text_names(_frame_names(frame)))
    if library == "polars" and name in ("DataFrame", "LazyFrame"):
        back = (lambda new: new) if name == "DataFrame" else (lambda new: new.lazy())
        return _into_polars(frame, back)
    if library == "pyarrow" and name == "Table":
        import polars as pl

        return _into_polars(pl.from_arrow(frame), lambda new: new.to_arrow())
    if name == "DuckDBPyRelation":
        from . import duckdb

        return duckdb.make_duck_table(normalise_missing(nw.from_native(frame)).to_native())
    if library == "pyspark":
        from . import spark

        return spark.make_spark_table(normalise_missing(nw.from_native(frame)).to_native())
    raise TacitError(
        f"a release cannot be made from {type(frame).__module__}.{name}",
        fix="give a pandas, Polars, PyArrow, DuckDB or PySpark frame, or read a file with tacit.read('file.csv', …)",
    )


def _into_polars(frame: Any, way_back: Callable[[Any], Any]) -> Table:
    import polars as pl
    import polars.selectors as cs

    typed = frame.lazy().with_columns(cs.by_dtype(pl.Null).cast(pl.String))
    try:
        return polars_engine.make_polars_table(normalise_missing(nw.from_native(typed)), way_back)
    except pl.exceptions.PolarsError:
        wide = [name for name, dtype in typed.collect_schema().items() if dtype in (pl.UInt64, pl.Int128, pl.UInt128)]
        raise TacitError(
            "holds whole numbers beyond 64 bits" if wide else "the frame cannot be read",
            column=wide[0] if wide else None,
            fix="turn it into text: such numbers are keys, not amounts",
        ) from None


def _check_text_names(names: Sequence[Any]) -> Sequence[str]:
    for place, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise TacitError(f"column number {place} has a name of type {type(name).__name__}", fix="rename it to text")
    return names


def _frame_names(frame: Any) -> Sequence[Any]:
    if hasattr(frame, "collect_schema"):
        return list(frame.collect_schema().names())
    return list(frame.column_names if hasattr(frame, "column_names") else getattr(frame, "columns", []))


def _from_pandas(frame: Any) -> Table:
    import polars as pl

    check_names(_check_text_names(list(frame.columns)))
    if type(frame.index).__name__ != "RangeIndex" or frame.index.name is not None:
        raise TacitError(
            "the pandas frame has an index of its own",
            fix="call .reset_index() to keep it as a column, or .reset_index(drop=True)",
        )
    try:
        converted = pl.from_pandas(frame)
    except Exception:
        mixed = next((c for c in frame.columns if frame[c].dtype == object and frame[c].map(type).nunique() > 1), None)
        raise TacitError(
            "holds values of several types", column=mixed, fix="convert it to one type, e.g. frame[c].astype('string')"
        ) from None
    return _into_polars(converted, lambda new: new.to_pandas())
