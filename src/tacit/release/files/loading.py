"""Reading any known file as a plain table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from ...errors import TacitError, check_columns
from ...files import check_source_path
from .connection import open_connection
from .engine_choice import Engine, check_engine
from .formats import Dialect, Format, ReadOptions, format_of
from .library_errors import translate_read_errors
from .table import FileTable
from .typing import ISO


def load(
    path: str | os.PathLike[str],
    *,
    engine: Engine = "auto",
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    thousands: str | None = None,
    dates: str = ISO,
    missing_values: Sequence[str] = (),
    as_written: Sequence[str] = (),
    sheet: str | None = None,
    columns: Sequence[str] | None = None,
    lazy: bool = False,
) -> FileTable:
    """Read a file as a table; its suffix names the format.

    ``engine="auto"`` is Polars, or DuckDB for CSV and Parquet files that would take more than a quarter of the memory
    (three times the text of a CSV, twice the uncompressed Parquet). ``separator``, ``decimal``, ``thousands``,
    ``dates`` and ``encoding`` tell how a CSV is written and which columns of it stay text ``as_written``, ``sheet``
    which sheet of a workbook; ``missing_values`` are texts that mean missing, beside '' and NaN. A file with a header and no rows is an empty table. With ``lazy`` a Parquet file that Polars would read
    is only scanned.

    Time and memory O(cells), but for DuckDB: there a pass or two over the file, constant memory.
    """
    file = check_source_path(path)
    form = format_of(file)
    check_engine(engine)
    if columns is not None and not check_columns(columns):
        raise TacitError(
            "columns= names no column",
            code="no_usable_column",
            parameter="columns",
            where=str(file),
            fix="name one, or leave columns= out",
        )
    _check_options(form, file, separator=separator, sheet=sheet)
    missing = (missing_values,) if isinstance(missing_values, str) else tuple(missing_values)
    dialect = Dialect(
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        missing_values=missing,
        as_written=check_columns(as_written),
    )
    options = ReadOptions(engine=engine, dialect=dialect, sheet=sheet, columns=columns, lazy=lazy)
    try:
        with translate_read_errors(file, form):
            loaded = form.reader(file, options)
            table = loaded if isinstance(loaded, FileTable) else FileTable(frame=loaded, source=form.name)
            return _on_engine(table, engine)
    except TacitError as problem:
        if problem.where:
            raise
        raise problem.with_location(str(file)) from None


def _check_options(form: Format, file: Path, *, separator: str | None, sheet: str | None) -> None:
    """Refuse options that the format has no use for: the user expects an effect."""
    if separator is not None and "separator" not in form.options:
        raise TacitError(
            f"{form.title} files have no separator", code="invalid_data", where=str(file), fix="leave separator= out"
        )
    if sheet is not None and "sheet" not in form.options:
        raise TacitError(
            f"{form.title} files have no sheets", code="invalid_data", where=str(file), fix="leave sheet= out"
        )


def _on_engine(table: FileTable, engine: Engine) -> FileTable:
    """A table in memory where the user wants it: in Polars, or in DuckDB when that was asked for."""
    if engine != "duckdb" or not isinstance(table.frame, pl.DataFrame):
        return table
    connection = open_connection()
    return replace(table, frame=connection.from_arrow(table.frame.to_arrow()), connection=connection)
