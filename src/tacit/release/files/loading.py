"""Reading any known file as a plain table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ...errors import TacitError, names
from .columnar import load_arrow, load_parquet, on_engine
from .delimited import Dialect, load_csv
from .excel import load_excel
from .foreign import reading
from .formats import Format, format_of
from .place import source
from .size import Engine, check_engine
from .statistical import load_statistical
from .table import FileTable
from .typing import ISO

__all__ = ["load"]

UTF_8 = "utf-8"


def load(
    path: str | os.PathLike[str],
    *,
    engine: Engine = "auto",
    separator: str | None = None,
    encoding: str = UTF_8,
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
    ``dates`` and ``encoding`` tell how a CSV is written and which columns of it stay text ``as_written``, ``sheet`` which sheet of a workbook; ``missing_values`` are texts that mean missing, beside
    '' and NaN. A file with a header and no rows is an empty table. With ``lazy`` a Parquet file that Polars would read
    is only scanned.

    Time and memory O(cells), but for DuckDB: there a pass or two over the file, constant memory.
    """
    file = source(path)
    form = format_of(file)
    check_engine(engine)
    if columns is not None and not names(columns):
        raise TacitError("columns= names no column", where=str(file), fix="name one, or leave columns= out")
    _check_options(form, file, separator=separator, sheet=sheet)
    missing = (missing_values,) if isinstance(missing_values, str) else tuple(missing_values)
    dialect = Dialect(
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        missing_values=missing,
        as_written=names(as_written),
    )
    try:
        with reading(file, form):
            if form.name == "parquet":
                return load_parquet(file, engine=engine, missing_values=missing, columns=columns, lazy=lazy)
            return _loaded(file, form, engine=engine, dialect=dialect, sheet=sheet, columns=columns)
    except TacitError as problem:
        if problem.where:
            raise
        raise problem.at(str(file)) from None


def _loaded(
    file: Path, form: Format, *, engine: Engine, dialect: Dialect, sheet: str | None, columns: Sequence[str] | None
) -> FileTable:
    missing = dialect.missing_values
    if form.name == "csv":
        return load_csv(file, engine=engine, dialect=dialect, columns=columns)
    if form.name == "arrow":
        return load_arrow(file, engine=engine, missing_values=missing, columns=columns)
    if form.name == "xlsx":
        frame = load_excel(file, sheet=sheet, missing_values=missing, columns=columns)
        return on_engine(frame, engine=engine, source=form.name)
    encoding = None if dialect.encoding == UTF_8 else dialect.encoding
    frame, found = load_statistical(file, form, encoding=encoding, missing_values=missing, columns=columns)
    return on_engine(frame, engine=engine, source=form.name, **found)


def _check_options(form: Format, file: Path, *, separator: str | None, sheet: str | None) -> None:
    """Refuse options that the format has no use for: the user expects an effect."""
    if separator is not None and form.name != "csv":
        raise TacitError(f"{form.title} files have no separator", where=str(file), fix="leave separator= out")
    if sheet is not None and form.name != "xlsx":
        raise TacitError(f"{form.title} files have no sheets", where=str(file), fix="leave sheet= out")
