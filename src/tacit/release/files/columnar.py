"""Parquet and Arrow files: typed already, so only names and missing values are put right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from ...errors import names
from .connection import connected, scanned_path
from .header import check_names
from .missing import normalised
from .size import Engine, chosen
from .table import FileTable

__all__ = ["load_arrow", "load_parquet", "on_engine"]

PARQUET_GROWTH = 2
"""Bytes in memory per uncompressed byte in the file."""


def load_parquet(
    path: Path, *, engine: Engine, missing_values: Sequence[str], columns: Sequence[str] | None, lazy: bool = False
) -> FileTable:
    """Scan a Parquet file: only the columns asked for are read; in DuckDB, or when ``lazy``, nothing until it is needed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    schema = metadata.schema.to_arrow_schema()
    check_names(schema.names)
    wanted = list(schema.names if columns is None else names(columns, schema.names))
    size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    untyped = [name for name in wanted if pa.types.is_null(schema.field(name).type)]
    if chosen(engine, PARQUET_GROWTH * size) == "polars":
        scan: Any = nw.from_native(pl.scan_parquet(path, glob=False, hive_partitioning=False))
        ruled = _ruled(scan.select(wanted), untyped, missing_values)
        frame = ruled if lazy else ruled.collect(backend="polars")
        return FileTable(frame=frame.to_native(), source="parquet")
    connection = connected()
    relation = connection.sql(f"SELECT * FROM read_parquet({scanned_path(path)}, hive_partitioning=false)")
    related = _ruled(nw.from_native(relation).select(wanted), untyped, missing_values)
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
    frame = pl.DataFrame(table.select(names(table.column_names if columns is None else columns, table.column_names)))
    untyped = [name for name, dtype in frame.schema.items() if dtype == pl.Null]
    ruled = _ruled(nw.from_native(frame.lazy()), untyped, missing_values).collect(backend="polars")
    return on_engine(ruled.to_native(), engine=engine, source="arrow")


def on_engine(frame: pl.DataFrame, *, engine: Engine, source: str, **described: Any) -> FileTable:
    """A frame in memory as a table: in Polars, or in DuckDB when the user asked for it."""
    if engine != "duckdb":
        return FileTable(frame=frame, source=source, **described)
    connection = connected()
    return FileTable(frame=connection.from_arrow(frame.to_arrow()), source=source, connection=connection, **described)


def _ruled(frame: nw.LazyFrame[Any], untyped: Sequence[str], missing_values: Sequence[str]) -> nw.LazyFrame[Any]:
    """The frame under our rule of missing values; columns without a type, which hold nothing, are text."""
    texts = frame.with_columns(nw.col(name).cast(nw.String) for name in untyped) if untyped else frame
    return normalised(texts, missing_values)
