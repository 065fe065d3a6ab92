"""CSV files: grammar and types are decided by us, then Polars or DuckDB reads."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import narwhals as nw
import polars as pl

from ...errors import names
from ..scratch import make_scratch_folder, remove_private_folder
from .connection import connected, scanned_path, text_literal
from .size import Engine, chosen
from .table import FileTable
from .text import Text, described, transcoded
from .typing import ISO, TypeRule

if TYPE_CHECKING:
    import duckdb

__all__ = ["Dialect", "load_csv"]

TEXT_GROWTH = 3
"""Text cells, their typed columns and the work between them, in bytes per byte of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How the file is written; a separator of None is found in the header."""

    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str | None = None
    dates: str = ISO
    missing_values: tuple[str, ...] = ()
    as_written: tuple[str, ...] = ()


def load_csv(path: Path, *, engine: Engine, dialect: Dialect, columns: Sequence[str] | None) -> FileTable:
    """Read a CSV file; a pass for the grammar, one or two for the types, one for the values.

    In Polars O(bytes) memory; in DuckDB nothing is kept, and the frame is a scan of the file.
    """
    rule = TypeRule(
        missing_values=dialect.missing_values,
        decimal=dialect.decimal,
        thousands=dialect.thousands,
        dates=dialect.dates,
        as_written=dialect.as_written,
    )
    with ExitStack() as stack:
        folder = make_scratch_folder()
        stack.callback(remove_private_folder, folder)
        text = described(transcoded(path, dialect.encoding, folder), dialect.separator, dialect.decimal)
        wanted = list(text.names if columns is None else names(columns, text.names))
        if chosen(engine, TEXT_GROWTH * text.structure.size) == "polars":
            return FileTable(frame=_in_polars(text, wanted, rule), source="csv")
        connection = connected()
        # A copy in UTF-8 is scanned as long as the connection lives.
        weakref.finalize(connection, stack.pop_all().close)
        frame = _in_duckdb(text, wanted, rule, connection)
        return FileTable(frame=frame, source="csv", connection=connection, copied=text.path != path)


def _in_polars(text: Text, columns: list[str], rule: TypeRule) -> pl.DataFrame:
    scan = pl.scan_csv(
        text.path,
        separator=text.separator,
        infer_schema=False,
        new_columns=list(text.names),  # Polars leaves the doubled quotes in a name
        glob=False,
    )
    # Blank lines at the end are rows to Polars.
    strings = scan.head(text.structure.rows).select(columns).collect()
    assert strings.height == text.structure.rows, "Polars found other rows than the check of the grammar"
    lazy = nw.from_native(strings.lazy())
    frame: pl.DataFrame = rule.typed(lazy, rule.kinds(lazy, columns)).collect(backend="polars").to_native()
    return frame


def _in_duckdb(
    text: Text, columns: list[str], rule: TypeRule, connection: duckdb.DuckDBPyConnection
) -> duckdb.DuckDBPyRelation:
    strings = nw.from_native(connection.sql(f"SELECT * FROM {_scan(text)}"))
    rows = strings.select(nw.len()).collect(backend="polars").item()
    assert rows == text.structure.rows, "DuckDB found other rows than the check of the grammar"
    relation: duckdb.DuckDBPyRelation = rule.typed(strings, rule.kinds(strings, columns)).to_native()
    return relation


def _scan(text: Text) -> str:
    """The call that scans the file as text.

    DuckDB's parallel reader can lose its place among line ends in quotes (seen with 2.0), and its strict mode refuses
    files that mix LF and CRLF: both are switched off only where they matter.
    """
    types = ", ".join(f"{text_literal(name)}: 'VARCHAR'" for name in text.names)
    plain = not (text.structure.quoted_line_ends or text.structure.mixed_line_ends)
    options = {
        "auto_detect": "false",
        "header": "true",
        "delim": text_literal(text.separator),
        "quote": "'\"'",
        "escape": "'\"'",
        "columns": f"{{{types}}}",
        "compression": "'gzip'" if text.compressed else "'none'",
        "max_line_size": str(max(1 << 21, 2 * text.structure.longest_row)),
        "parallel": str(plain).lower(),
        "strict_mode": str(not text.structure.mixed_line_ends).lower(),
    }
    return f"read_csv({scanned_path(text.path)}, {', '.join(f'{name}={value}' for name, value in options.items())})"
