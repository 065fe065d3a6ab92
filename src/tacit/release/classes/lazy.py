"""Classes on DuckDB and Spark: the same formulas as group-bys; records never leave the engine."""

from __future__ import annotations

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
    part shared out among its records, because a join on raw keys would drop the missing ones.
    """

    def __init__(self, table: Table, keys: tuple[str, ...]) -> None:
        self._table, self._keys = table, list(keys) or [WHOLE]

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
        """How many values of the column occur in each class, missing counted as one."""
        return self._statistic(column, nw.lit(1.0), lambda total: total.round(0).cast(nw.Int64))

    def distance(self, column: str, form: Distance) -> LazyStatistic:
        """Half the summed difference of shares within the class and in the whole file, ½ Σ|p − q|."""
        if form != "variational":
            raise TacitError(
                "needs its values in order within each class, which this engine does not give",
                column=column,
                fix="ask for form='variational', or read the data with engine='polars'",
            )
        inside, outside = nw.col("cell") / nw.col("size"), nw.col("whole") / float(max(1, self._table.size))
        return self._statistic(column, (inside - outside).abs() - outside, lambda total: 0.5 * (total + 1.0))

    def _statistic(self, column: str, part: nw.Expr, finish: Any) -> LazyStatistic:
        cells = self._scan().group_by(*self._keys, column).agg(nw.len().cast(nw.Float64).alias("cell"))
        cells = cells.with_columns(
            size=nw.col("cell").sum().over(*self._keys),
            whole=nw.col("cell").sum().over(column),
        )
        grouped = cells.with_columns(part=part).group_by(*self._keys)
        classes = grouped.agg(nw.col("size").max().cast(nw.Int64).alias("size"), nw.col("part").sum().alias("total"))
        records = self._scan(numbered=True).with_columns(
            cell=nw.len().over(*self._keys, column).cast(nw.Float64),
            size=nw.len().over(*self._keys).cast(nw.Float64),
            whole=nw.len().over(column).cast(nw.Float64),
        )
        shared = records.with_columns(part=part / nw.col("cell"))
        shared = shared.with_columns(total=nw.col("part").sum().over(*self._keys))
        value = finish(nw.col("total"))
        return LazyStatistic(classes.with_columns(value=value), shared.with_columns(value=value))
