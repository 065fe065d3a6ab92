"""From a file to a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from .engines.table import Table
from .files import FileTable, load
from .release import Release

Names: TypeAlias = str | Iterable[str] | None


def read(
    path: str | Path,
    *,
    quasi: Names = None,
    confidential: Names = None,
    identifier: Names = None,
    weight: str | None = None,
    household: str | None = None,
    unrestricted: Names = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    missing: str | None = None,
    engine: Literal["auto", "polars", "duckdb"] = "auto",
    memory: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    thousands: str | None = None,
    dates: str = "YYYY-MM-DD",
    missing_values: Sequence[str] = (),
    as_written: Sequence[str] = (),
    sheet: str | None = None,
) -> Release:
    """A release from a file: CSV, Parquet, Arrow, Excel, Stata, SPSS or SAS.

    Roles and the rest are those of :class:`Release`. Column types of a CSV are decided by one rule over all rows: a
    leading zero keeps a column text; the empty cell, and every text in ``missing_values``, is missing; days are written
    as ``dates`` says, e.g. DD.MM.YYYY; ``thousands`` is the sign in 1,299,577. Columns in ``as_written`` stay text, as
    codes such as 10.20 have to. With ``engine="auto"`` a file that would fill more than a quarter of the memory
    stays on disk, in DuckDB; ``memory`` limits what DuckDB may use, e.g. ``"2GB"``.
    """
    file = load(
        path,
        engine=engine,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        missing_values=missing_values,
        as_written=as_written,
        sheet=sheet,
        lazy=True,
    )
    release = Release(
        _table_from_file(file, path=Path(path), memory=memory, missing_values=missing_values),
        quasi=quasi,
        confidential=confidential,
        identifier=identifier,
        weight=weight,
        household=household,
        unrestricted=unrestricted,
        kinds=kinds,
        hierarchies=hierarchies,
        labels=file.labels,
        value_labels=file.value_labels,
        missing=missing,
    )
    return release.with_metadata(missing_codes=file.missing_codes)


def _table_from_file(
    file: FileTable, *, path: Path, memory: str | None = None, missing_values: Sequence[str] = ()
) -> Table:
    """The file's frame on its engine; Parquet is scanned where it lies, other big files from a copy in Parquet."""
    import polars as pl

    from .engines.parquet import ParquetTable
    from .engines.polars import PolarsTable

    if isinstance(file.frame, pl.DataFrame):
        return PolarsTable(file.frame)
    if isinstance(file.frame, pl.LazyFrame):
        return ParquetTable(path, file.frame, missing_values)
    from .engines import duckdb

    # A copy in another encoding goes with its connection, and the table needs it no longer.
    connection = None if file.copied else file.connection
    if file.source == "parquet":
        return duckdb.parquet_table(path, memory=memory, missing_values=missing_values, connection=connection)
    return duckdb.make_duck_table(file.frame, memory=memory, connection=connection)
