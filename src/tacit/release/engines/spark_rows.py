"""Row kernels on Spark: they run in the workers over the partitions, and no record comes to the driver.

The numbered frame goes through ``mapInArrow``; a batch is cut into runs of consecutive row numbers, so that a kernel
knows the number of every row that it sees. Spark tells the driver of an error in a worker as text only: a
:class:`TacitError` is written into that text, and made again from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...errors import TacitError
from .stream import made_columns
from .table import ROW, RowKernel

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["WorkerError", "WorkerKernel", "mapped_frame"]

OPEN, CLOSE = "<tacit-error>", "</tacit-error>"
SPARK_TYPES: dict[Any, tuple[str, str]] = {
    pl.Int8: ("ByteType", "int8"),
    pl.Int16: ("ShortType", "int16"),
    pl.Int32: ("IntegerType", "int32"),
    pl.Int64: ("LongType", "int64"),
    pl.UInt8: ("ShortType", "int16"),
    pl.UInt16: ("IntegerType", "int32"),
    pl.UInt32: ("LongType", "int64"),
    pl.Float32: ("FloatType", "float32"),
    pl.Float64: ("DoubleType", "float64"),
    pl.Boolean: ("BooleanType", "bool_"),
    pl.Date: ("DateType", "date32"),
    pl.String: ("StringType", "string"),
    pl.Categorical: ("StringType", "string"),
    pl.Enum: ("StringType", "string"),
}
"""Polars type → what Spark and Arrow call it; Spark has no unsigned numbers."""


class WorkerError(Exception):
    """A TacitError as a text that survives the way to the driver."""


@dataclass(frozen=True)
class WorkerKernel:
    """A kernel for the batches of a partition; ``names`` are the columns that come out."""

    kernel: RowKernel
    read: tuple[str, ...]
    types: Mapping[str, Any]
    names: tuple[str, ...]
    arrow: Mapping[str, Any]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches with the kernel's columns."""
        try:
            for batch in batches:
                for run in _runs(batch):
                    yield from self._mapped(run).to_batches()
        except TacitError as problem:
            parts = [problem.what, problem.fix, problem.column, problem.where]
            raise WorkerError(OPEN + json.dumps(parts) + CLOSE) from None

    def _mapped(self, run: pa.RecordBatch) -> pa.Table:
        import pyarrow as pa

        made = made_columns(run.select(list(self.read)), self.kernel, run.column(ROW)[0].as_py(), self.types)
        columns = [
            made.column(name).cast(self.arrow[name]) if name in self.types else run.column(name) for name in self.names
        ]
        return pa.table(columns, names=list(self.names))


def mapped_frame(frame: Any, read: Sequence[str], kernel: RowKernel, types: Mapping[str, Any]) -> Any:
    """The numbered frame with the kernel's columns, computed now and kept by the workers; the number is left out."""
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructField, StructType

    old = {field.name: field for field in frame.schema.fields if field.name != ROW}
    zone = frame.sparkSession.conf.get("spark.sql.session.timeZone")
    both = {name: _types(dtype, zone) for name, dtype in types.items()}
    made = {name: StructField(name, spark) for name, (spark, _) in both.items()}
    schema = StructType(list((old | made).values()))
    arrow = {name: found for name, (_, found) in both.items()}
    worker = WorkerKernel(kernel, tuple(read), types, tuple(schema.fieldNames()), arrow)
    try:
        return frame.mapInArrow(worker, schema).localCheckpoint(eager=True)
    except PySparkException as problem:
        raise (_told(str(problem)) or problem) from None


def _told(text: str) -> TacitError | None:
    """The TacitError behind the error of a worker, if there is one."""
    said = text.partition(OPEN)[2].partition(CLOSE)
    if "ModuleNotFoundError" in text:
        return TacitError(
            "the Python of the Spark workers lacks tacit or a library that it needs",
            fix="install tacit where the workers run, and set PYSPARK_PYTHON to that Python before the session starts",
        )
    if not said[1]:
        return None
    what, fix, column, where = json.loads(said[0])
    return TacitError(what, fix=fix, column=column, where=where)


def _runs(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The parts of a batch whose row numbers follow on each other."""
    numbers = batch.column(ROW).to_numpy()
    if not len(numbers):
        return
    edges = [0, *(np.flatnonzero(np.diff(numbers) != 1) + 1).tolist(), len(numbers)]
    for begin, end in zip(edges[:-1], edges[1:], strict=True):
        yield batch.slice(begin, end - begin)


def _types(dtype: Any, zone: str) -> tuple[Any, Any]:
    """The Spark and the Arrow type of a made column; moments of a time zone are kept in that of the session."""
    import pyarrow as pa
    from pyspark.sql import types

    if isinstance(dtype, pl.Datetime):
        if dtype.time_zone is None:
            return types.TimestampNTZType(), pa.timestamp("us")
        return types.TimestampType(), pa.timestamp("us", tz=zone)
    if isinstance(dtype, pl.Decimal):
        return types.DecimalType(dtype.precision or 38, dtype.scale), pa.decimal128(dtype.precision or 38, dtype.scale)
    spark, arrow = SPARK_TYPES[dtype if isinstance(dtype, type) else dtype.base_type()]
    return getattr(types, spark)(), getattr(pa, arrow)()
