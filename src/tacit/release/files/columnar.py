"""Parquet and Arrow files, which hold every type of column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from ...errors import check_columns
from .connection import open_connection, scanned_path
from .engine_choice import choose_engine
from .formats import ReadOptions, WriteOptions
from .header import check_names
from .missing import normalise_missing
from .table import FileTable

if TYPE_CHECKING:
    import duckdb

PARQUET_GROWTH = 2
"""Bytes in memory per uncompressed byte in the file."""

BATCH_ROWS = 1 << 14


def load_parquet(path: Path, options: ReadOptions) -> FileTable:
    """Scan a Parquet file: only the columns asked for are read; in DuckDB, or with ``lazy``, nothing until it is needed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    schema = metadata.schema.to_arrow_schema()
    check_names(schema.names)
    wanted = list(schema.names if options.columns is None else check_columns(options.columns, schema.names))
    size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    untyped = [name for name in wanted if pa.types.is_null(schema.field(name).type)]
    if choose_engine(options.engine, PARQUET_GROWTH * size) == "polars":
        scan: Any = nw.from_native(pl.scan_parquet(path, glob=False, hive_partitioning=False))
        ruled = _apply_missing_rule(scan.select(wanted), untyped, options.missing_values)
        frame = ruled if options.lazy else ruled.collect(backend="polars")
        return FileTable(frame=frame.to_native(), source="parquet")
    connection = open_connection()
    relation = connection.sql(f"SELECT * FROM read_parquet({scanned_path(path)}, hive_partitioning=false)")
    related = _apply_missing_rule(nw.from_native(relation).select(wanted), untyped, options.missing_values)
    return FileTable(frame=related.to_native(), source="parquet", connection=connection)


def load_arrow(path: Path, options: ReadOptions) -> pl.DataFrame:
    """Read an Arrow file, of random access or a stream; copied, because a mapped file could change underneath."""
    import pyarrow as pa

    with pa.OSFile(str(path)) as file:
        try:
            table = pa.ipc.open_file(file).read_all()
        except pa.ArrowInvalid:
            file.seek(0)
            table = pa.ipc.open_stream(file).read_all()
    check_names(table.column_names)
    frame = pl.DataFrame(table.select(check_columns(options.columns or table.column_names, table.column_names)))
    untyped = [name for name, dtype in frame.schema.items() if dtype == pl.Null]
    ruled = _apply_missing_rule(nw.from_native(frame.lazy()), untyped, options.missing_values).collect(backend="polars")
    typed: pl.DataFrame = ruled.to_native()
    return typed


def save_parquet(frame: pl.DataFrame | duckdb.DuckDBPyRelation, path: Path, _: WriteOptions) -> None:
    """Write a Parquet file; DuckDB streams."""
    if isinstance(frame, pl.DataFrame):
        frame.write_parquet(path)
    else:
        frame.write_parquet(str(path), use_tmp_file=False)  # the draft has the mode that it needs


def save_arrow(frame: pl.DataFrame | duckdb.DuckDBPyRelation, path: Path, _: WriteOptions) -> None:
    """Write an Arrow file of random access; a DuckDB frame in batches."""
    import pyarrow as pa

    if isinstance(frame, pl.DataFrame):
        frame.write_ipc(path, compat_level=pl.CompatLevel.oldest())
        return
    reader = frame.to_arrow_reader(BATCH_ROWS)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _apply_missing_rule(
    frame: nw.LazyFrame[Any], untyped: Sequence[str], missing_values: Sequence[str]
) -> nw.LazyFrame[Any]:
    """The frame under our rule of missing values; columns without a type, which hold nothing, are text."""
    texts = frame.with_columns(nw.col(name).cast(nw.String) for name in untyped) if untyped else frame
    return normalise_missing(texts, missing_values)
