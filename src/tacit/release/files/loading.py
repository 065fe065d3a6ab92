"""Reading any known file as a plain table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from ...errors import TacitError, check_columns
from ...files import check_source_path
from .connection import open_connection, scanned_path
from .delimited import Dialect, load_csv
from .engine_choice import Engine, check_engine, choose_engine
from .excel import load_excel
from .formats import Format, format_of
from .header import check_names
from .library_errors import translate_read_errors
from .missing import normalise_missing
from .statistical import load_statistical
from .table import FileTable
from .typing import ISO

UTF_8 = "utf-8"

PARQUET_GROWTH = 2
"""Bytes in memory per uncompressed byte in the file."""


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
    file = check_source_path(path)
    form = format_of(file)
    check_engine(engine)
    if columns is not None and not check_columns(columns):
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
        as_written=check_columns(as_written),
    )
    try:
        with translate_read_errors(file, form):
            if form.name == "parquet":
                return load_parquet(file, engine=engine, missing_values=missing, columns=columns, lazy=lazy)
            return _load_format(file, form, engine=engine, dialect=dialect, sheet=sheet, columns=columns)
    except TacitError as problem:
        if problem.where:
            raise
        raise problem.with_location(str(file)) from None


def _load_format(
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


def load_parquet(
    path: Path, *, engine: Engine, missing_values: Sequence[str], columns: Sequence[str] | None, lazy: bool = False
) -> FileTable:
    """Scan a Parquet file: only the columns asked for are read; in DuckDB, or when ``lazy``, nothing until it is needed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    schema = metadata.schema.to_arrow_schema()
    check_names(schema.names)
    wanted = list(schema.names if columns is None else check_columns(columns, schema.names))
    size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    untyped = [name for name in wanted if pa.types.is_null(schema.field(name).type)]
    if choose_engine(engine, PARQUET_GROWTH * size) == "polars":
        scan: Any = nw.from_native(pl.scan_parquet(path, glob=False, hive_partitioning=False))
        ruled = _apply_missing_rule(scan.select(wanted), untyped, missing_values)
        frame = ruled if lazy else ruled.collect(backend="polars")
        return FileTable(frame=frame.to_native(), source="parquet")
    connection = open_connection()
    relation = connection.sql(f"SELECT * FROM read_parquet({scanned_path(path)}, hive_partitioning=false)")
    related = _apply_missing_rule(nw.from_native(relation).select(wanted), untyped, missing_values)
    return FileTable(frame=related.to_native(), source="parquet", connection=connection)


def load_arrow(
    path: Path, *, engine: Engine, missing_values: Sequence[str], columns: Sequence[str] | None
) -> FileTable:
    """Read an Arrow file, of random access or a stream; copied, because a mapped file could change underneath."""
    import pyarrow as pa

    with pa.OSFile(str(path)) as file:
        try:
            table = pa.ipc.open_file(file).read_all()
        except pa.ArrowInvalid:
            file.seek(0)
            table = pa.ipc.open_stream(file).read_all()
    check_names(table.column_names)
    frame = pl.DataFrame(
        table.select(check_columns(table.column_names if columns is None else columns, table.column_names))
    )
    untyped = [name for name, dtype in frame.schema.items() if dtype == pl.Null]
    ruled = _apply_missing_rule(nw.from_native(frame.lazy()), untyped, missing_values).collect(backend="polars")
    return on_engine(ruled.to_native(), engine=engine, source="arrow")


def on_engine(frame: pl.DataFrame, *, engine: Engine, source: str, **described: Any) -> FileTable:
    """A frame in memory as a table: in Polars, or in DuckDB when the user asked for it."""
    if engine != "duckdb":
        return FileTable(frame=frame, source=source, **described)
    connection = open_connection()
    return FileTable(frame=connection.from_arrow(frame.to_arrow()), source=source, connection=connection, **described)


def _apply_missing_rule(
    frame: nw.LazyFrame[Any], untyped: Sequence[str], missing_values: Sequence[str]
) -> nw.LazyFrame[Any]:
    """The frame under our rule of missing values; columns without a type, which hold nothing, are text."""
    texts = frame.with_columns(nw.col(name).cast(nw.String) for name in untyped) if untyped else frame
    return normalise_missing(texts, missing_values)
