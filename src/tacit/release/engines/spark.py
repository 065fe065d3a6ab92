"""Spark: for data beyond one machine; measures that are group-bys run there and only their results come back.

Row numbers are the position within the partition plus the rows of the partitions before it, both computed by Spark
on a persisted frame; records are never brought to the driver. Methods that need a whole column as an array are
refused with the remedy, because Spark rows have no place of their own.

Row kernels on Spark: they run in the workers over the partitions, and no record comes to the driver.

The numbered frame goes through ``mapInArrow``; a batch is cut into runs of consecutive row numbers, so that a kernel
knows the number of every row that it sees. Spark tells the driver of an error in a worker as text only: a
:class:`TacitError` is written into that text, and made again from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import narwhals as nw
import numpy as np
import polars as pl

from ...errors import TacitError
from ..files.missing import normalise_missing
from .stream import made_columns
from .table import ROW, Capabilities, Capability, RowKernel, Type, few_rows, helpers_of, own_columns, type_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ..codes import Codes


CAPABILITIES = Capabilities(
    engine="spark",
    title="Spark",
    move="write the frame to Parquet and read it with tacit.read(…, engine={engine!r})",
    can_read_columns=False,
    can_take_rows=False,
    can_rank_dates=False,
    search_rows=10_000,
)
POSITION_BITS = 33
"""``monotonically_increasing_id`` keeps the position within the partition in its lower 33 bits."""

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


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A PySpark frame."""

    frame: Any
    capabilities: Capabilities = field(default=CAPABILITIES, kw_only=True)

    @cached_property
    def types(self) -> Mapping[str, Type]:
        """Column → type, helper columns left out."""
        schema = nw.from_native(self.frame).collect_schema()
        return {name: type_of(name, schema[name]) for name in own_columns(schema.names())}

    @cached_property
    def size(self) -> int:
        """Number of rows, counted once."""
        return int(few_rows(self.scan().select(nw.len()))[0][0])

    @cached_property
    def _numbered_frame(self) -> Any:
        from pyspark.sql import functions as f

        fixed = self.frame.persist().withColumn("__tacit_id", f.monotonically_increasing_id())
        partition = f.shiftright("__tacit_id", POSITION_BITS)
        sizes = {row[0]: row[1] for row in fixed.groupBy(partition.alias("part")).count().collect()}
        before = {part: sum(size for other, size in sizes.items() if other < part) for part in sizes}
        starts = f.create_map(*(f.lit(number).cast("long") for pair in before.items() for number in pair))
        position = f.col("__tacit_id").bitwiseAND(f.lit((1 << POSITION_BITS) - 1))
        return (
            fixed.withColumn(ROW, position + starts[partition]).drop("__tacit_id")
            if before
            else fixed.withColumnRenamed("__tacit_id", ROW)
        )

    def scan(self, *, numbered: bool = False) -> nw.LazyFrame[Any]:
        """A lazy frame of all columns, with the row number under ``ROW`` when asked for."""
        scanned: nw.LazyFrame[Any] = nw.from_native(self._numbered_frame if numbered else self.frame)
        return scanned

    def series(self, column: str) -> pl.Series:
        """Refused: a Spark column is not brought to one machine."""
        self._refuse("can_read_columns", "cannot be read as an array", column)

    def codes(self, column: str) -> Codes:
        """Refused: a Spark column is not brought to one machine."""
        self._refuse("can_read_columns", "cannot be read as an array", column)

    def count_unique_rows(self, columns: Sequence[str]) -> int:
        """How many rows are alone with their values in these columns."""
        groups = self.scan().group_by(*columns).agg(nw.len().alias(ROW)).filter(nw.col(ROW) == 1)
        return int(few_rows(groups.select(nw.len()))[0][0])

    def with_columns(self, columns: Mapping[str, pl.Series | nw.Expr]) -> SparkTable:
        """A table with columns changed or added by expressions; arrays are refused."""
        array = next((name for name, change in columns.items() if not isinstance(change, nw.Expr)), None)
        if array is not None:
            self._refuse("can_read_columns", "cannot be replaced by an array", array)
        return replace(self, frame=nw.from_native(self.frame).with_columns(**columns).to_native())

    def map_batches(self, read: Sequence[str], kernel: RowKernel, types: Mapping[str, Any]) -> SparkTable:
        """A table with columns made by a kernel in the workers."""
        return replace(self, frame=mapped_frame(self._numbered_frame, read, kernel, types))

    def select(self, columns: Sequence[str]) -> SparkTable:
        """A table with these columns only, and their helpers."""
        return replace(self, frame=self.frame.select(*columns, *helpers_of(columns, self.frame.columns)))

    def take(self, rows: np.ndarray) -> SparkTable:
        """Refused: Spark rows have no place of their own."""
        self._refuse("can_take_rows", f"{len(rows)} rows cannot be taken")

    def append(self, rows: pl.DataFrame) -> SparkTable:
        """A table with rows added."""
        more = self.frame.sparkSession.createDataFrame(rows.to_dicts(), schema=self.frame.schema)
        return replace(self, frame=self.frame.unionByName(more))

    def to_native(self) -> Any:
        """The frame without helper columns."""
        return self.frame.select(*own_columns(self.frame.columns))

    def _refuse(self, capability: Capability, refused: str, column: str | None = None) -> NoReturn:
        instead = "use a method that works row by row, such as generalise, recode, add_noise or pram"
        raise self.capabilities.unsupported(capability, refused, column=column, instead=instead)


def from_native(frame: Any) -> SparkTable:
    """A table from a PySpark frame."""
    return SparkTable(normalise_missing(nw.from_native(frame)).to_native())


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
                for run in _consecutive_runs(batch):
                    yield from self._map_batch(run).to_batches()
        except TacitError as problem:
            raise WorkerError(OPEN + json.dumps(problem.as_json()) + CLOSE) from None

    def _map_batch(self, run: pa.RecordBatch) -> pa.Table:
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
    both = {name: _column_types(dtype, zone) for name, dtype in types.items()}
    made = {name: StructField(name, spark) for name, (spark, _) in both.items()}
    schema = StructType(list((old | made).values()))
    arrow = {name: found for name, (_, found) in both.items()}
    worker = WorkerKernel(kernel, tuple(read), types, tuple(schema.fieldNames()), arrow)
    try:
        return frame.mapInArrow(worker, schema).localCheckpoint(eager=True)
    except PySparkException as problem:
        raise (_decode_worker_error(str(problem)) or problem) from None


def _decode_worker_error(text: str) -> TacitError | None:
    """The TacitError behind the error of a worker, if there is one."""
    said = text.partition(OPEN)[2].partition(CLOSE)
    if "ModuleNotFoundError" in text:
        return TacitError(
            "the Python of the Spark workers lacks tacit or a library that it needs",
            code="not_installed",
            fix="install tacit where the workers run, and set PYSPARK_PYTHON to that Python before the session starts",
        )
    if not said[1]:
        return None
    return TacitError(**json.loads(said[0]))


def _consecutive_runs(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The parts of a batch whose row numbers follow on each other."""
    numbers = batch.column(ROW).to_numpy()
    if not len(numbers):
        return
    edges = [0, *(np.flatnonzero(np.diff(numbers) != 1) + 1).tolist(), len(numbers)]
    for begin, end in zip(edges[:-1], edges[1:], strict=True):
        yield batch.slice(begin, end - begin)


def _column_types(dtype: Any, zone: str) -> tuple[Any, Any]:
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
