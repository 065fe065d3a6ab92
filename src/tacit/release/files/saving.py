"""Writing a table to any file that can be written: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from ...errors import TacitError
from ...files import atomic_write, check_target_path
from .formats import Format, WriteOptions, writable_format
from .library_errors import translate_write_errors
from .simplify import EXACT

if TYPE_CHECKING:
    import duckdb


PLAIN = (nw.String, nw.Categorical, nw.Enum, nw.Boolean, nw.Date, nw.Datetime, nw.Time)


def save(
    frame: pl.DataFrame | duckdb.DuckDBPyRelation,
    path: str | os.PathLike[str],
    *,
    labels: Mapping[str, str] | None = None,
    value_labels: Mapping[str, Mapping[object, str]] | None = None,
    replace: bool = True,
) -> None:
    """Write the table in the format that the suffix names, whole or not at all; with ``replace`` over a file that exists.

    CSV is UTF-8 with a header, '' for missing, ISO dates, and floats with as many digits as give them back; DuckDB
    frames are streamed to CSV, Parquet and Arrow. Stata and SPSS keep ``labels`` and ``value_labels``; the other
    formats have no place for them. Excel keeps 16 digits, and forgets rows at the end that are missing throughout.
    """
    file = check_target_path(path, replace=replace)
    form = writable_format(file)
    options = WriteOptions(labels=labels or {}, value_labels=value_labels or {})
    try:
        with translate_write_errors(file, form), atomic_write(file, replace=replace) as draft:
            form.writer(_prepare_frame(frame, form), draft, options)
    except TacitError as problem:
        raise problem if problem.where else problem.with_location(str(file)) from None


def _prepare_frame(frame: Any, form: Format) -> Any:
    """The table as the format takes it; refuses values that its files cannot hold."""
    if form.values != "any":
        _check_types(frame, form)
    if form.streams:
        return frame
    held = frame if isinstance(frame, pl.DataFrame) else frame.pl()
    if form.values != "doubles":
        return held
    _check_exact(held, form)
    return held.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String), pl.col(pl.Decimal).cast(pl.Float64))


def _check_types(frame: Any, form: Format) -> None:
    """Refuse lists, records, bytes and durations, which these formats would turn into unreadable text."""
    for name, dtype in nw.from_native(frame).collect_schema().items():
        if not (dtype.is_numeric() or dtype in PLAIN):
            what = f"holds {type(dtype).__name__.lower()} values, which {form.title} has no place for"
            raise TacitError(
                what, code="wrong_kind", column=name, fix="drop the column, or write the table as .parquet"
            )


def _check_exact(frame: pl.DataFrame, form: Format) -> None:
    """Refuse whole numbers that a format of doubles would round: keys would become equal."""
    for name in frame.select(pl.col(pl.Int64, pl.UInt64, pl.Int128)).columns:
        top = frame.select(pl.max_horizontal(pl.col(name).max(), -pl.col(name).min())).item()
        if top is not None and top > EXACT:
            what = f"holds whole numbers above 2^53, which {form.title} would round"
            raise TacitError(
                what,
                code="not_whole_number",
                column=name,
                fix="turn it into text, or write the table as .parquet or .csv",
            )
