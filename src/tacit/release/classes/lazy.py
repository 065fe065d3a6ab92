"""Classes on DuckDB and Spark: the same formulas as group-bys; records never leave the engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw

from ...errors import TacitError
from ..engines.table import few_rows
from ..files.header import PRIVATE
from .statistic import LazyStatistic

if TYPE_CHECKING:
    from ..engines.table import Table
    from .arrays import Distance

__all__ = ["LazyClasses"]

WHOLE = PRIVATE + "whole"
"""A constant key for a release without keys: everybody is in one class."""


class LazyClasses:
    """Exact equivalence classes as group-bys; missing keys form classes of their own (group-bys keep them).

    A statistic is a sum over the cells of a class (a cell: the records of a class with one value of the column):
    1 for distinct values, |p − q| − q for the variational distance. Per record the same sum is a window, each cell's
    part shared out among its records, because a join on raw keys would drop the missing ones. With ``known_only`` the
    cells of missing values count for nothing.
    """

    def __init__(self, table: Table, keys: tuple[str, ...], *, known_only: bool = False) -> None:
        self._table, self._keys, self._known_only = table, list(keys) or [WHOLE], known_only

    def _scan(self, *, numbered: bool = False) -> nw.LazyFrame[Any]:
        frame = self._table.scan(numbered=numbered)
        return frame.with_columns(nw.lit(0).alias(WHOLE)) if self._keys == [WHOLE] else frame

    @cached_property
    def _sizes(self) -> nw.LazyFrame[Any]:
        return self._scan().group_by(*self._keys).agg(nw.len().cast(nw.Int64).alias("size"))

    @cached_property
    def count(self) -> int:
        """How many classes there are."""
        return int(few_rows(self._sizes.select(nw.len()))[0][0])

    def size(self) -> LazyStatistic:
        """The size of each class."""
        records = self._scan(numbered=True).with_columns(value=nw.len().over(*self._keys).cast(nw.Int64))
        return LazyStatistic(self._sizes.with_columns(value=nw.col("size")), records)

    def distinct(self, column: str) -> LazyStatistic:
        """How many values of the column occur in each class."""
        return self._statistic(column, nw.lit(1.0), lambda total: total.round(0).cast(nw.Int64))

    def distance(self, column: str, form: Distance) -> LazyStatistic:
        """Half the summed difference of shares within the class and in the whole file, ½ Σ|p − q|."""
        if form != "variational":
            raise TacitError(
                "needs its values in order within each class, which this engine does not give",
                column=column,
                fix="ask for form='variational', or read the data with engine='polars'",
            )
        counted = nw.len() if not self._known_only else (~nw.col(column).is_null()).cast(nw.Int64).sum()
        everybody = float(few_rows(self._table.scan().select(counted))[0][0] or 0)
        inside, outside = nw.col("cell") / nw.col("known"), nw.col("whole") / max(1.0, everybody)
        return self._statistic(
            column,
            (inside - outside).abs() - outside,
            lambda total: nw.when(nw.col("known") > 0).then(0.5 * (total + 1.0)).otherwise(nw.lit(0.0)),
        )

    def _statistic(self, column: str, part: nw.Expr, finish: Callable[[nw.Expr], nw.Expr]) -> LazyStatistic:
        """Per class and per record: ``finish`` of the sum of the cells' parts; ``known`` records of the class count."""
        counts = ~nw.col(column).is_null() if self._known_only else nw.lit(True)
        mine = nw.when(counts).then(part).otherwise(nw.lit(0.0))
        cells = self._scan().group_by(*self._keys, column).agg(nw.len().cast(nw.Float64).alias("cell"))
        cells = cells.with_columns(counted=nw.when(counts).then(nw.col("cell")).otherwise(nw.lit(0.0)))
        cells = cells.with_columns(
            known=nw.col("counted").sum().over(*self._keys),
            whole=nw.col("cell").sum().over(column),
        ).with_columns(part=mine)
        classes = cells.group_by(*self._keys).agg(
            nw.col("cell").sum().cast(nw.Int64).alias("size"),
            nw.col("known").max().alias("known"),
            nw.col("part").sum().alias("total"),
        )
        records = self._scan(numbered=True).with_columns(
            cell=nw.len().over(*self._keys, column).cast(nw.Float64),
            one=nw.when(counts).then(nw.lit(1.0)).otherwise(nw.lit(0.0)),
            whole=nw.len().over(column).cast(nw.Float64),
        )
        records = records.with_columns(known=nw.col("one").sum().over(*self._keys))
        records = records.with_columns(part=mine / nw.col("cell"))
        records = records.with_columns(total=nw.col("part").sum().over(*self._keys))
        value = finish(nw.col("total"))
        return LazyStatistic(classes.with_columns(value=value), records.with_columns(value=value))
