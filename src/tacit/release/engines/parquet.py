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
from ..codes import Codes, encode_column, renumber_codes
from ..files.formats import FORMATS
from ..files.library_errors import translate_read_errors
from ..files.missing import numbers_among
from .polars import CAPABILITIES, PolarsTable
from .table import ROW, RowKernel, Type, type_of

LARGEST = 2**63 - 1

BATCH = 1 << 17
"""Rows per batch: what fits into the processor's cache."""


class ParquetTable:
    """A Parquet file under our rules for missing values: ``frame`` is its lazy scan, nothing read yet."""

    capabilities = CAPABILITIES

    def __init__(self, path: Path, frame: pl.LazyFrame, missing_values: Sequence[str] = ()) -> None:
        self._path, self._frame, self._missing = path, frame, ("", *missing_values)
        self._stamp = _file_stamp(path)

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
    def _loaded_table(self) -> PolarsTable:
        with self._guard_read():
            return PolarsTable(self._frame.collect())

    def scan(self, *, numbered: bool = False) -> nw.LazyFrame[Any]:
        """A lazy frame of all columns, with the row number under ``ROW`` when asked for."""
        return nw.from_native(self._frame.with_row_index(ROW) if numbered else self._frame)

    def series(self, column: str) -> pl.Series:
        """One column, in row order; the others are not read."""
        with self._guard_read():
            return self._frame.select(column).collect()[column]

    def codes(self, column: str) -> Codes:
        """The codes of a column: of text from the dictionary that the file holds, of whole numbers from their range."""
        with self._guard_read():
            found = None
            if self.types[column] == "text":
                found = text_codes(self._path, column, self.size, self._missing)
            elif self.types[column] == "integer" and not numbers_among(self._missing):
                found = whole_codes(self._path, column, self.size)
            return found or encode_column(self.series(column))

    def count_unique_rows(self, columns: Sequence[str]) -> int:
        """How many rows are alone with their values in these columns; the others are not read."""
        return self.select(columns).count_unique_rows(columns)

    def with_columns(self, columns: Mapping[str, pl.Series | nw.Expr]) -> PolarsTable:
        """A table in memory with columns changed or added."""
        return self._loaded_table.with_columns(columns)

    def map_batches(self, read: Sequence[str], kernel: RowKernel, types: Mapping[str, Any]) -> PolarsTable:
        """A table in memory with columns made by a kernel."""
        return self._loaded_table.map_batches(read, kernel, types)

    def select(self, columns: Sequence[str]) -> PolarsTable:
        """A table in memory with these columns only; the others are not read."""
        with self._guard_read():
            return PolarsTable(self._frame.select(columns).collect())

    def take(self, rows: np.ndarray) -> PolarsTable:
        """A table in memory of the given rows, in the given order."""
        return self._loaded_table.take(rows)

    def append(self, rows: pl.DataFrame) -> PolarsTable:
        """A table in memory with rows added at the end."""
        return self._loaded_table.append(rows)

    def to_native(self) -> Any:
        """The file as a Polars frame."""
        return self._loaded_table.to_native()

    @contextmanager
    def _guard_read(self) -> Iterator[None]:
        """A damaged file becomes an error of ours; one that changed since it was opened would mix two tables."""
        with translate_read_errors(self._path, FORMATS["parquet"]):
            if _file_stamp(self._path) != self._stamp:
                raise TacitError(
                    "changed while it was being read", code="invalid_data", where=str(self._path), fix="read it again"
                )
            yield


def _file_stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as problem:
        raise TacitError(
            "is not there any more", code="path_not_found", where=str(path), fix="put the file back and read it again"
        ) from problem
    return found.st_mtime_ns, found.st_size


def text_codes(path: Path, column: str, size: int, missing: Sequence[str]) -> Codes | None:
    """The codes of a text column from its dictionary pages; None when the file keeps it in another form. O(n).

    Written in place and batch by batch, because fresh memory for whole columns costs more than the work itself.
    """
    import pyarrow as pa

    seen = {text: place for place, text in enumerate(missing)}
    used: set[int] = set()
    codes, at = np.empty(size, dtype=np.int32), 0
    for batch in _column_batches(path, column, read_dictionary=[column]):
        if not pa.types.is_dictionary(batch.type) or not pa.types.is_string(batch.type.value_type):
            return None
        place = [seen.setdefault(text, len(seen)) for text in batch.dictionary.to_pylist()]
        indices = batch.indices.fill_null(len(place)) if batch.null_count else batch.indices
        number = np.array([*place, 0], dtype=np.int32)
        part = codes[at : at + len(batch)]
        np.take(number, indices.to_numpy(zero_copy_only=False), out=part, mode="clip")
        used.update(np.flatnonzero(np.bincount(part, minlength=len(seen))).tolist())
        at += len(batch)
    return _sort_codes(codes, list(seen), used, len(missing))


def whole_codes(path: Path, column: str, size: int) -> Codes | None:
    """The codes of a whole-number column of moderate range, known from the file's statistics; else None. O(n)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from ...kernels.groups import offset_codes

    ends = _value_range(pq.read_metadata(path), column)
    if ends is None or ends[1] - ends[0] > max(4 * size, 1 << 16) or ends[1] >= LARGEST:
        return None
    low, span = ends[0], ends[1] - ends[0] + 2
    codes, present, at = np.empty(size, dtype=np.int32), np.zeros(span, dtype=bool), 0
    for batch in _column_batches(path, column):
        wide = batch.cast(pa.int64())
        values = wide.fill_null(ends[1] + 1) if batch.null_count else wide
        part, found = offset_codes(values.to_numpy(zero_copy_only=False), low, span)
        codes[at : at + len(batch)] = part
        present |= found
        at += len(batch)
    values = pl.Series(np.flatnonzero(present[:-1]) + low, dtype=pl.Int64)
    return Codes(renumber_codes(codes, present), values, bool(present[-1]))


def _column_batches(path: Path, column: str, **options: Any) -> Iterator[Any]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, **options) as file:
        for batch in file.iter_batches(batch_size=BATCH, columns=[column], use_threads=False):
            yield batch.column(0)


def _value_range(metadata: Any, column: str) -> tuple[int, int] | None:
    """The smallest and largest value that the row groups tell, if all do."""
    place = metadata.schema.to_arrow_schema().names.index(column)
    low: list[int] = []
    high: list[int] = []
    for group in range(metadata.num_row_groups):
        told = metadata.row_group(group).column(place).statistics
        if told is None or not told.has_min_max or not isinstance(told.min, int):
            return None
        low.append(told.min)
        high.append(told.max)
    return (min(low), max(high)) if low else None


def _sort_codes(codes: np.ndarray, texts: list[str], used: set[int], blanks: int) -> Codes:
    """Codes in the order of the sorted texts; the first ``blanks`` texts mean missing and get the last code."""
    kept = sorted((place for place in used if place >= blanks), key=texts.__getitem__)
    new = np.full(len(texts), len(kept), dtype=np.int32)
    new[kept] = np.arange(len(kept), dtype=np.int32)
    np.take(new, codes, out=codes, mode="clip")
    return Codes(
        codes, pl.Series([texts[place] for place in kept], dtype=pl.String), any(place < blanks for place in used)
    )
