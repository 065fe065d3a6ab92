"""Parquet in memory, column by column: what a measure does not ask for is never read.

Text columns keep the dictionary that Parquet stores them with, so their codes come without reading a single text;
that makes the group-by measures several times cheaper than through a frame of texts. Everything else, and every
change, goes through Polars.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from ...errors import TacitError
from ..codes import Codes, encoded
from ..files.foreign import reading
from ..files.formats import FORMATS
from ..files.missing import numbers_among
from .parquet_codes import text_codes, whole_codes
from .polars import PolarsTable
from .table import ROW, RowKernel, Type, type_of

__all__ = ["ParquetTable"]


class ParquetTable:
    """A Parquet file under our rules for missing values: ``frame`` is its lazy scan, nothing read yet."""

    engine = "polars"
    lazy = False

    def __init__(self, path: Path, frame: pl.LazyFrame, missing_values: Sequence[str] = ()) -> None:
        self._path, self._frame, self._missing = path, frame, ("", *missing_values)
        self._stamp = _stamp(path)

    @cached_property
    def types(self) -> Mapping[str, Type]:
        """Column → type."""
        schema = nw.from_native(self._frame).collect_schema()
        return {name: type_of(name, dtype) for name, dtype in schema.items()}

    @cached_property
    def size(self) -> int:
        """Number of rows, from the file's own record."""
        import pyarrow.parquet as pq

        return int(pq.read_metadata(self._path).num_rows)

    @cached_property
    def _loaded(self) -> PolarsTable:
        with self._read():
            return PolarsTable(self._frame.collect())

    def scan(self, *, numbered: bool = False) -> nw.LazyFrame[Any]:
        """A lazy frame of all columns, with the row number under ``ROW`` when asked for."""
        return nw.from_native(self._frame.with_row_index(ROW) if numbered else self._frame)

    def series(self, column: str) -> pl.Series:
        """One column, in row order; the others are not read."""
        with self._read():
            return self._frame.select(column).collect()[column]

    def codes(self, column: str) -> Codes:
        """The codes of a column: of text from the dictionary that the file holds, of whole numbers from their range."""
        with self._read():
            found = None
            if self.types[column] == "text":
                found = text_codes(self._path, column, self.size, self._missing)
            elif self.types[column] == "integer" and not numbers_among(self._missing):
                found = whole_codes(self._path, column, self.size)
            return found or encoded(self.series(column))

    def replaced(self, columns: Mapping[str, pl.Series | nw.Expr]) -> PolarsTable:
        """A table in memory with columns changed or added."""
        return self._loaded.replaced(columns)

    def mapped(self, read: Sequence[str], kernel: RowKernel, types: Mapping[str, Any]) -> PolarsTable:
        """A table in memory with columns made by a kernel."""
        return self._loaded.mapped(read, kernel, types)

    def selected(self, columns: Sequence[str]) -> PolarsTable:
        """A table in memory with these columns only; the others are not read."""
        with self._read():
            return PolarsTable(self._frame.select(columns).collect())

    def taken(self, rows: np.ndarray) -> PolarsTable:
        """A table in memory of the given rows, in the given order."""
        return self._loaded.taken(rows)

    def extended(self, rows: pl.DataFrame) -> PolarsTable:
        """A table in memory with rows added at the end."""
        return self._loaded.extended(rows)

    def native(self) -> Any:
        """The file as a Polars frame."""
        return self._loaded.native()

    @contextmanager
    def _read(self) -> Iterator[None]:
        """A damaged file becomes an error of ours; one that changed since it was opened would mix two tables."""
        with reading(self._path, FORMATS["parquet"]):
            if _stamp(self._path) != self._stamp:
                raise TacitError("changed while it was being read", where=str(self._path), fix="read it again")
            yield


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as problem:
        raise TacitError(
            "is not there any more", where=str(path), fix="put the file back and read it again"
        ) from problem
    return found.st_mtime_ns, found.st_size
