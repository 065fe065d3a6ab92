"""Row kernels over a stream of batches: a table of any size passes through memory a few blocks at a time.

DuckDB gives the rows of a scan in the order of the file, which is checked batch by batch (a plan that loses the order
is run again, sorted). The kernel sees whole blocks of rows, and what it makes goes into the next Parquet file together
with the columns that stay. O(columns · block) memory beyond what DuckDB is allowed, one pass over the file.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ...seed import BLOCK
from ..scratch import make_private_file
from .table import ROW, RowKernel

BATCH = 2 * BLOCK
"""Rows that a kernel sees at once: whole blocks, so that no block is drawn twice."""


class OutOfOrder(Exception):
    """The engine gave the rows in another order than that of their numbers."""


def made_columns(batch: pa.Table | pa.RecordBatch, kernel: RowKernel, start: int, types: Mapping[str, Any]) -> pa.Table:
    """What a kernel makes from a batch whose first row has the number ``start``, in the types asked for."""
    given = pl.from_arrow(batch)
    assert isinstance(given, pl.DataFrame)
    made = kernel(given, start)
    if made.height != given.height:
        raise ValueError("a row kernel gave another number of rows than it got")
    return made.select(pl.col(name).cast(types[name]) for name in types).to_arrow()


def write_mapped(relation: Any, path: Path, read: Sequence[str], kernel: RowKernel, types: Mapping[str, Any]) -> None:
    """Write a relation that has row numbers to a Parquet file, with the kernel's columns in place of the old ones."""
    names = [name for name in relation.columns if name != ROW]
    names += [name for name in types if name not in names]
    with ExitStack() as opened:
        batches = opened.enter_context(closing(_ordered_batches(relation)))
        writer: pq.ParquetWriter | None = None
        start = 0
        try:
            for batch in batches:
                made = made_columns(batch.select(list(read)), kernel, start, types)
                whole = pa.table({name: (made if name in types else batch).column(name) for name in names})
                if writer is None:
                    writer = opened.enter_context(pq.ParquetWriter(make_private_file(path), whole.schema))
                writer.write_table(whole, row_group_size=BATCH)
                start += batch.num_rows
        except BaseException:
            opened.close()
            path.unlink(missing_ok=True)
            raise


def _ordered_batches(relation: Any) -> Generator[pa.Table, None, None]:
    """The rows in order, whole batches at a time; one empty batch for a table without rows."""
    waiting: list[pa.RecordBatch] = []
    held = expected = 0
    with relation.to_arrow_reader(BATCH) as reader:  # left open, it would block the connection
        for batch in reader:
            numbers = batch.column(ROW).to_numpy()
            if not np.array_equal(numbers, np.arange(expected, expected + len(numbers))):
                raise OutOfOrder
            expected += len(numbers)
            waiting.append(batch)
            held += batch.num_rows
            while held >= BATCH:
                table = pa.Table.from_batches(waiting)
                yield table.slice(0, BATCH)
                waiting, held = table.slice(BATCH).to_batches(), held - BATCH
        if held or not expected:
            yield pa.Table.from_batches(waiting, schema=reader.schema)
