"""Spark: for data beyond one machine; measures that are group-bys run there and only their results come back.

Row numbers are the position within the partition plus the rows of the partitions before it, both computed by Spark
on a persisted frame; records are never brought to the driver. Methods that need a whole column as an array are
refused with the remedy, because Spark rows have no place of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import narwhals as nw

from ...errors import TacitError
from .spark_rows import mapped_frame
from .table import ROW, RowKernel, Type, few_rows, helpers_of, own_columns, type_of

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from ..codes import Codes

__all__ = ["SparkTable", "table"]

POSITION_BITS = 33
"""``monotonically_increasing_id`` keeps the position within the partition in its lower 33 bits."""


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A PySpark frame."""

    frame: Any
    engine: str = field(default="spark", kw_only=True)
    lazy: bool = field(default=True, kw_only=True)

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
    def _numbered(self) -> Any:
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
        scanned: nw.LazyFrame[Any] = nw.from_native(self._numbered if numbered else self.frame)
        return scanned

    def series(self, column: str) -> pl.Series:
        """Refused: a Spark column is not brought to one machine."""
        self._refuse(f"column {column!r} cannot be brought to one machine")

    def codes(self, column: str) -> Codes:
        """Refused: a Spark column is not brought to one machine."""
        self._refuse(f"column {column!r} cannot be brought to one machine")

    def replaced(self, columns: Mapping[str, pl.Series | nw.Expr]) -> SparkTable:
        """A table with columns changed or added by expressions; arrays are refused."""
        array = next((name for name, change in columns.items() if not isinstance(change, nw.Expr)), None)
        if array is not None:
            self._refuse(f"column {array!r} cannot be replaced by an array")
        return replace(self, frame=nw.from_native(self.frame).with_columns(**columns).to_native())

    def mapped(self, read: Sequence[str], kernel: RowKernel, types: Mapping[str, Any]) -> SparkTable:
        """A table with columns made by a kernel in the workers."""
        return replace(self, frame=mapped_frame(self._numbered, read, kernel, types))

    def selected(self, columns: Sequence[str]) -> SparkTable:
        """A table with these columns only, and their helpers."""
        return replace(self, frame=self.frame.select(*columns, *helpers_of(columns, self.frame.columns)))

    def taken(self, rows: np.ndarray) -> SparkTable:
        """Refused: Spark rows have no place of their own."""
        self._refuse(f"{len(rows)} rows cannot be picked by number")

    def extended(self, rows: pl.DataFrame) -> SparkTable:
        """A table with rows added."""
        more = self.frame.sparkSession.createDataFrame(rows.to_dicts(), schema=self.frame.schema)
        return replace(self, frame=self.frame.unionByName(more))

    def native(self) -> Any:
        """The frame without helper columns."""
        return self.frame.select(*own_columns(self.frame.columns))

    def _refuse(self, what: str) -> NoReturn:
        raise TacitError(
            f"{what} on Spark",
            fix="use a method that works row by row (generalise, recode, add_noise, pram), or write the frame to Parquet "
            "and read it with tacit.read(…, engine='duckdb')",
        )


def table(frame: Any) -> SparkTable:
    """A table from a normalised PySpark frame."""
    return SparkTable(frame)
