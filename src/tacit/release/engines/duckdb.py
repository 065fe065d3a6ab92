"""DuckDB: for files larger than memory and for SQL sources; nothing is collected but aggregates.

Every table is a scan of Parquet whose row number comes with the file, so that the order is stable and nobody can
change the data underneath. A relation of the user's is first written to a temporary Parquet file; each change by
arrays or rows writes the next one (streamed; the files go with the last table of the chain).
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import polars as pl

from ...sql_text import quote_identifier, text_literal
from ..codes import Codes, encode_column
from ..files.missing import normalise_missing
from ..scratch import make_private_file, make_scratch_folder, remove_private_folder
from .stream import OutOfOrder, write_mapped
from .table import ROW, Capabilities, RowKernel, Type, few_rows, helpers_of, own_columns, type_of

CAPABILITIES = Capabilities(
    engine="duckdb", title="DuckDB", move="read the file with engine={engine!r}", search_rows=100_000
)
LENT: set[Store] = set()
"""Stores behind relations that were given to the user: their files stay until the process ends."""


class Store:
    """A private in-process database and a folder for its temporary files; both go when the last table of them goes.

    The database may be the one that a file was read in: opening another takes longer than reading a small file.
    """

    def __init__(self, memory: str | None, connection: duckdb.DuckDBPyConnection | None = None) -> None:
        self.folder = make_scratch_folder()
        weakref.finalize(self, remove_private_folder, self.folder)
        self.connection = connection or duckdb.connect(":memory:", config={"temp_directory": str(self.folder)})
        if memory is not None:
            self.connection.execute("SET memory_limit = ?", [memory])
        # a bar on the standard output would end up in what a command prints
        self.connection.execute("SET enable_progress_bar = false")

    def new_file(self) -> Path:
        """A new empty file in the folder, which only its owner can read."""
        return make_private_file(self.folder / f"{len(list(self.folder.glob('*.parquet')))}.parquet")

    def scan_file(self, path: Path) -> duckdb.DuckDBPyRelation:
        """The file with its row numbers."""
        return self.connection.sql(
            f"SELECT * EXCLUDE (file_row_number), file_row_number AS {ROW} FROM read_parquet({text_literal(str(path))}, file_row_number=true)"
        )

    def save_query(self, query: str, **tables: Any) -> duckdb.DuckDBPyRelation:
        """The rows of a query, in its order, as the next file."""
        path = self.new_file()
        for name, given in tables.items():
            self.connection.register(name, given)
        self.connection.execute(f"COPY ({query}) TO {text_literal(str(path))} (FORMAT parquet, USE_TMP_FILE false)")
        for name in tables:
            self.connection.unregister(name)
        return self.scan_file(path)


@dataclass(frozen=True, eq=False)
class DuckTable:
    """A relation over Parquet with a private row number."""

    relation: Any
    store: Store
    capabilities: Capabilities = field(default=CAPABILITIES, kw_only=True)

    @cached_property
    def types(self) -> Mapping[str, Type]:
        """Column → type, helper columns left out."""
        schema = self.scan().collect_schema()
        return {name: type_of(name, schema[name]) for name in own_columns(schema.names())}

    @cached_property
    def size(self) -> int:
        """Number of rows, counted once."""
        return int(few_rows(self.scan().select(nw.len()))[0][0])

    def scan(self, *, numbered: bool = False) -> nw.LazyFrame[Any]:
        """A lazy frame of all columns, with the row number under ``ROW`` when asked for."""
        frame: nw.LazyFrame[Any] = nw.from_native(self.relation)
        return frame if numbered else frame.drop(ROW)

    def series(self, column: str) -> pl.Series:
        """One column in memory, in row order."""
        collected: pl.DataFrame = (
            self.scan(numbered=True).select(ROW, column).sort(ROW).collect(backend="polars").to_native()
        )
        return collected[column]

    def codes(self, column: str) -> Codes:
        """The codes of a column."""
        return encode_column(self.series(column))

    def count_unique_rows(self, columns: Sequence[str]) -> int:
        """How many rows are alone with their values in these columns, counted by hashes of the rows."""
        quoted = ", ".join(map(quote_identifier, columns))
        hashes = self.relation.aggregate(f"hash({quoted}) AS row_hash, count(*) AS size", f"hash({quoted})")
        return int(hashes.filter("size = 1").aggregate("count(*)").fetchall()[0][0])

    def with_columns(self, columns: Mapping[str, pl.Series | nw.Expr]) -> DuckTable:
        """A table with columns changed or added; arrays are joined by position and written to the next file."""
        expressions = {name: change for name, change in columns.items() if not isinstance(change, pl.Series)}
        arrays = {name: change for name, change in columns.items() if isinstance(change, pl.Series)}
        changed = self.scan(numbered=True).with_columns(**expressions).to_native() if expressions else self.relation
        if not arrays:
            return replace(self, relation=changed)
        kept = ", ".join(
            f"r.{quote_identifier(name)}" for name in changed.columns if name not in arrays and name != ROW
        )
        new = pl.DataFrame(arrays).to_arrow()
        ordered = (
            f"SELECT {kept + ', ' if kept else ''}a.* FROM (SELECT * FROM old ORDER BY {ROW}) r POSITIONAL JOIN new a"
        )
        order = ", ".join(
            quote_identifier(name)
            for name in [*(n for n in changed.columns if n != ROW), *(n for n in arrays if n not in changed.columns)]
        )
        changed.create_view("old", replace=True)
        return replace(self, relation=self.store.save_query(f"SELECT {order} FROM ({ordered})", new=new))

    def map_batches(self, read: Sequence[str], kernel: RowKernel, types: Mapping[str, Any]) -> DuckTable:
        """A table with columns made by a kernel, streamed into the next file."""
        path = self.store.new_file()
        try:
            write_mapped(self.relation, path, read, kernel, types)
        except OutOfOrder:
            write_mapped(self.relation.order(ROW), path, read, kernel, types)
        return replace(self, relation=self.store.scan_file(path))

    def select(self, columns: Sequence[str]) -> DuckTable:
        """A table with these columns only, and their helpers."""
        helpers = helpers_of(columns, self.relation.columns)
        return replace(self, relation=self.scan(numbered=True).select(*columns, *helpers, ROW).to_native())

    def take(self, rows: np.ndarray) -> DuckTable:
        """A table of the given rows, in the given order."""
        wanted = pl.DataFrame({"source": pl.Series(rows, dtype=pl.Int64), "place": range(len(rows))}).to_arrow()
        self.relation.create_view("old", replace=True)
        query = f"SELECT old.* EXCLUDE ({ROW}) FROM old JOIN wanted ON old.{ROW} = wanted.source ORDER BY wanted.place"
        return replace(self, relation=self.store.save_query(query, wanted=wanted))

    def append(self, rows: pl.DataFrame) -> DuckTable:
        """A table with rows added at the end."""
        self.relation.create_view("old", replace=True)
        query = f"SELECT * EXCLUDE ({ROW}) FROM (SELECT * FROM old ORDER BY {ROW}) UNION ALL BY NAME SELECT * FROM more"
        return replace(self, relation=self.store.save_query(query, more=rows.to_arrow()))

    def to_native(self) -> Any:
        """The relation without helper columns, in row order."""
        LENT.add(self.store)
        names = ", ".join(quote_identifier(name) for name in own_columns(self.relation.columns))
        return self.relation.order(ROW).project(names)


def from_native(frame: Any) -> DuckTable | None:
    """A table from a relation of the user's; None for anything else."""
    if type(frame).__name__ != "DuckDBPyRelation":
        return None
    return make_duck_table(normalise_missing(nw.from_native(frame)).to_native())


def make_duck_table(
    relation: Any, *, memory: str | None = None, connection: duckdb.DuckDBPyConnection | None = None
) -> DuckTable:
    """A table from a normalised relation, copied to a temporary Parquet file so that it stays as it is."""
    store = Store(memory, connection)
    path = store.new_file()
    relation.write_parquet(str(path))
    path.chmod(0o600)  # DuckDB puts a new file into the place of the private one
    return DuckTable(store.scan_file(path), store)


def parquet_table(
    path: Path,
    *,
    memory: str | None = None,
    missing_values: Sequence[str] = (),
    connection: duckdb.DuckDBPyConnection | None = None,
) -> DuckTable:
    """A table that scans a Parquet file where it lies."""
    store = Store(memory, connection)
    scanned = nw.from_native(store.scan_file(path))
    return DuckTable(normalise_missing(scanned, missing_values).to_native(), store)
