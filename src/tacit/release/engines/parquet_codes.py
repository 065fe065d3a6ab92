"""Codes straight from a Parquet file, batch by batch: no column of texts or wide numbers is ever built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ..codes import Codes, dense

__all__ = ["text_codes", "whole_codes"]

LARGEST = 2**63 - 1
BATCH = 1 << 17
"""Rows per batch: what fits into the processor's cache."""


def text_codes(path: Path, column: str, size: int, missing: Sequence[str]) -> Codes | None:
    """The codes of a text column from its dictionary pages; None when the file keeps it in another form. O(n).

    Written in place and batch by batch, because fresh memory for whole columns costs more than the work itself.
    """
    import pyarrow as pa

    seen = {text: place for place, text in enumerate(missing)}
    used: set[int] = set()
    codes, at = np.empty(size, dtype=np.int32), 0
    for batch in _batches(path, column, read_dictionary=[column]):
        if not pa.types.is_dictionary(batch.type) or not pa.types.is_string(batch.type.value_type):
            return None
        place = [seen.setdefault(text, len(seen)) for text in batch.dictionary.to_pylist()]
        indices = batch.indices.fill_null(len(place)) if batch.null_count else batch.indices
        number = np.array([*place, 0], dtype=np.int32)
        part = codes[at : at + len(batch)]
        np.take(number, indices.to_numpy(zero_copy_only=False), out=part, mode="clip")
        used.update(np.flatnonzero(np.bincount(part, minlength=len(seen))).tolist())
        at += len(batch)
    return _sorted(codes, list(seen), used, len(missing))


def whole_codes(path: Path, column: str, size: int) -> Codes | None:
    """The codes of a whole-number column of moderate range, known from the file's statistics; else None. O(n)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from ...kernels.groups import offsets

    ends = _range(pq.read_metadata(path), column)
    if ends is None or ends[1] - ends[0] > max(4 * size, 1 << 16) or ends[1] >= LARGEST:
        return None
    low, span = ends[0], ends[1] - ends[0] + 2
    codes, present, at = np.empty(size, dtype=np.int32), np.zeros(span, dtype=bool), 0
    for batch in _batches(path, column):
        wide = batch.cast(pa.int64())
        values = wide.fill_null(ends[1] + 1) if batch.null_count else wide
        part, found = offsets(values.to_numpy(zero_copy_only=False), low, span)
        codes[at : at + len(batch)] = part
        present |= found
        at += len(batch)
    values = pl.Series(np.flatnonzero(present[:-1]) + low, dtype=pl.Int64)
    return Codes(dense(codes, present), values, bool(present[-1]))


def _batches(path: Path, column: str, **options: Any) -> Iterator[Any]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, **options) as file:
        for batch in file.iter_batches(batch_size=BATCH, columns=[column], use_threads=False):
            yield batch.column(0)


def _range(metadata: Any, column: str) -> tuple[int, int] | None:
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


def _sorted(codes: np.ndarray, texts: list[str], used: set[int], blanks: int) -> Codes:
    """Codes in the order of the sorted texts; the first ``blanks`` texts mean missing and get the last code."""
    kept = sorted((place for place in used if place >= blanks), key=texts.__getitem__)
    new = np.full(len(texts), len(kept), dtype=np.int32)
    new[kept] = np.arange(len(kept), dtype=np.int32)
    np.take(new, codes, out=codes, mode="clip")
    return Codes(
        codes, pl.Series([texts[place] for place in kept], dtype=pl.String), any(place < blanks for place in used)
    )
