"""A file as a plain table: the frame and what the format says about its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileTable:
    """A frame with the labels and missing codes of its columns.

    ``connection`` is that of a DuckDB frame: hold it as long as the frame is used, because the temporary files behind
    the frame go with it. ``copied`` says that a copy of the file is among them.
    """

    frame: pl.DataFrame | pl.LazyFrame | duckdb.DuckDBPyRelation
    source: str
    labels: Mapping[str, str] = field(default_factory=dict)
    value_labels: Mapping[str, Mapping[object, str]] = field(default_factory=dict)
    missing_codes: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    connection: duckdb.DuckDBPyConnection | None = None
    copied: bool = False

    def __repr__(self) -> str:
        return f"<FileTable from {self.source}>"
