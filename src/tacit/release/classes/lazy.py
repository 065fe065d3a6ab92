"""Classes on DuckDB and Spark: the same formulas as group-bys; records never leave the engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw

from ...errors import TacitError
from ..engines.table import ROW, few_rows
from ..files.header import PRIVATE
from .statistic import LazyStatistic

if TYPE_CHECKING:
    import numpy as np

    from ..engines.table import Table
    from .spread import Spread


WHOLE = PRIVATE + "whole"
"""A constant key for a release without keys: everybody is in one class."""

ROUNDING = 1e-12

_BEYOND = nw.lit(math.inf)


class LazyClasses:
    """Exact equivalence classes as group-bys; missing keys form classes of their own (group-bys keep them).

    A statistic is a sum or a maximum over the cells of a class (a cell: the records of a class with one value of the
    column), see :mod:`cells`. Per record the same is a window, a sum being shared out among the records of the cell,
    because a join on raw keys would drop the missing ones. With ``known_only`` the cells of missing values count for
    nothing.
    """

    def __init__(self, table: Table, keys: tuple[str, ...], *, known_only: bool = False) -> None:
        self._table, self._keys, self._known_only = table, list(keys) or [WHOLE], known_only
        self._files: dict[str, tuple[float, int]] = {}
        self._spreads: dict[tuple[str, str, float], LazyStatistic] = {}

    def _scan_rows(self, *, numbered: bool = False) -> nw.LazyFrame[Any]:
        frame = self._table.scan(numbered=numbered)
        return frame.with_columns(nw.lit(0).alias(WHOLE)) if self._keys == [WHOLE] else frame

    @cached_property
    def _size_frame(self) -> nw.LazyFrame[Any]:
        return self._scan_rows().group_by(*self._keys).agg(nw.len().cast(nw.Int64).alias("size"))

    @cached_property
    def count(self) -> int:
        """How many classes there are."""
        return int(few_rows(self._size_frame.select(nw.len()))[0][0])

    @cached_property
    def _size_statistic(self) -> LazyStatistic:
        def records() -> nw.LazyFrame[Any]:
            return self._scan_rows(numbered=True).with_columns(value=nw.len().over(*self._keys).cast(nw.Int64))

        return LazyStatistic(self._size_frame.with_columns(value=nw.col("size")), records)

    def size(self) -> LazyStatistic:
        """The size of each class."""
        return self._size_statistic

    def count_size_weights(self, weight: str) -> list[tuple[int, float, int]]:
        """Each pair of size and summed weight that occurs, with how many classes have it; at most one row per class."""
        summed = (
            self._scan_rows()
            .group_by(*self._keys)
            .agg(nw.len().cast(nw.Int64).alias("size"), nw.col(weight).cast(nw.Float64).sum().alias("people"))
        )
        pairs = summed.group_by("size", "people").agg(nw.len().cast(nw.Int64).alias("classes"))
        return [(int(f), float(w), int(n)) for f, w, n in few_rows(pairs.select("size", "people", "classes"))]

    def sizes_on(self, subsets: Sequence[Sequence[str]]) -> LazyStatistic:
        """How many records share some of the keys of each class: the fewest over the subsets, by windows."""
        names = [f"{PRIVATE}shared{place}" for place in range(len(subsets))]
        fewest = nw.min_horizontal(*names)
        shared = {name: nw.col("size").sum().over(*subset) for name, subset in zip(names, subsets, strict=True)}
        ones = {name: nw.len().over(*subset).cast(nw.Int64) for name, subset in zip(names, subsets, strict=True)}
        classes = self._size_frame.with_columns(**shared).with_columns(value=fewest)
        return LazyStatistic(
            classes, lambda: self._scan_rows(numbered=True).with_columns(**ones).with_columns(value=fewest)
        )

    def spread(
        self,
        column: str,
        kind: Spread,
        extra: float = 0.0,
        tree: np.ndarray | None = None,  # noqa: ARG002 - the kind that needs it is refused
    ) -> LazyStatistic:
        """How the values of the column spread within each class: a number of the kind, by group-bys."""
        key = (column, kind, extra)
        if key not in self._spreads:
            everybody, values = self._file_counts(column)
            part = part_of(kind, extra, column=column, everybody=everybody, values=values)
            self._spreads[key] = self._spread_statistic(column, part)
        return self._spreads[key]

    def _spread_statistic(self, column: str, part: CellAggregation) -> LazyStatistic:
        each = nw.when(self._is_counted(column)).then(part.each).otherwise(nw.lit(0.0))
        cells = self._cell_frame(column, part).with_columns(part=each)
        total = nw.col("part").sum() if part.how == "sum" else nw.col("part").max()
        kept = [nw.col(name).max().alias(name) for name in ("known", *(("cells",) if part.ranked else ()))]
        size = nw.col("cell").sum().cast(nw.Int64).alias("size")
        classes = cells.group_by(*self._keys).agg(size, total.alias("total"), *kept)
        value = nw.when(nw.col("known") > 0).then(part.finish(nw.col("total"))).otherwise(nw.lit(0))
        return LazyStatistic(
            classes.with_columns(value=value), lambda: self._record_totals(column, part, each).with_columns(value=value)
        )

    def _is_counted(self, column: str) -> nw.Expr:
        return ~nw.col(column).is_null() if self._known_only else nw.lit(True)

    def _file_counts(self, column: str) -> tuple[float, int]:
        """How many records of the file count, and how many different values they have; counted once."""
        if column in self._files:
            return self._files[column]
        values = self._table.scan().group_by(column).agg(nw.len().cast(nw.Float64).alias("cell"))
        if self._known_only:
            values = values.filter(~nw.col(column).is_null())
        records, different = few_rows(values.select(nw.col("cell").sum(), nw.len().alias("values")))[0]
        self._files[column] = float(records or 0), int(different)
        return self._files[column]

    def _cell_frame(self, column: str, part: CellAggregation) -> nw.LazyFrame[Any]:
        """One row per cell, with what the expressions of its part use."""
        cells = self._scan_rows().group_by(*self._keys, column).agg(nw.len().cast(nw.Float64).alias("cell"))
        mark = nw.when(self._is_counted(column)).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        cells = cells.with_columns(mark=mark).with_columns(counted=nw.col("cell") * nw.col("mark"))
        cells = cells.with_columns(
            known=nw.col("counted").sum().over(*self._keys), whole=nw.col("cell").sum().over(column)
        )
        return self._rank_cells(cells, column) if part.ranked else cells

    def _record_totals(self, column: str, part: CellAggregation, each: nw.Expr) -> nw.LazyFrame[Any]:
        """One row per record with the ``total`` of its class."""
        records = self._record_cells(column, part)
        if part.how == "sum":
            records = records.with_columns(part=each / nw.col("cell"))
            return records.with_columns(total=nw.col("part").sum().over(*self._keys))
        marked = nw.when(nw.col("mark") > 0).then(each).otherwise(nw.lit(0.0)) if part.ranked else each
        return records.with_columns(part=marked).with_columns(total=nw.col("part").max().over(*self._keys))

    def _record_cells(self, column: str, part: CellAggregation) -> nw.LazyFrame[Any]:
        """One row per record with the same; ``mark`` is 1 for one record of each cell that counts."""
        counts = self._is_counted(column)
        records = self._scan_rows(numbered=True).with_columns(
            cell=nw.len().over(*self._keys, column).cast(nw.Float64),
            one=nw.when(counts).then(nw.lit(1.0)).otherwise(nw.lit(0.0)),
            whole=nw.len().over(column).cast(nw.Float64),
        )
        records = records.with_columns(known=nw.col("one").sum().over(*self._keys))
        if not part.ranked:
            return records
        first = nw.col(ROW) == nw.col(ROW).min().over(*self._keys, column)
        records = records.with_columns(mark=nw.when(first).then(nw.col("one")).otherwise(nw.lit(0.0)))
        return self._rank_cells(records.with_columns(counted=nw.col("cell") * nw.col("mark")), column)

    def _rank_cells(self, frame: nw.LazyFrame[Any], column: str) -> nw.LazyFrame[Any]:
        """The cells of each class from the smallest: ``rank``, ``tail``, and how many ``cells`` with the ``largest``."""
        order = {"order_by": ("cell", column)}
        return frame.with_columns(
            rank=nw.col("mark").cum_sum().over(*self._keys, **order),
            tail=nw.col("counted").cum_sum().over(*self._keys, **order),
            cells=nw.col("mark").sum().over(*self._keys),
            largest=nw.col("counted").max().over(*self._keys),
        )


@dataclass(frozen=True, slots=True)
class CellAggregation:
    """What each cell adds, how the cells of a class are put together, and what is made of that.

    A cell is the records of a class with one value of the column. Expressions may use ``cell`` (its records), ``known``
    (the records of the class that count), ``whole`` (the records of the file with that value), ``rank`` (its place among
    the cells of the class from the smallest, 1 first) and ``tail`` (the records in the cells up to it).
    """

    each: nw.Expr
    how: Literal["sum", "max"]
    finish: Callable[[nw.Expr], nw.Expr] = lambda total: total
    ranked: bool = False


def part_of(kind: Spread, extra: float, *, column: str, everybody: float, values: int) -> CellAggregation:
    """The expressions of a kind; ``everybody`` records and ``values`` different values of the file count."""
    inside, outside = nw.col("cell") / nw.col("known"), nw.col("whole") / max(1.0, everybody)
    gain = inside / outside - 1.0
    whole_number: Callable[[nw.Expr], nw.Expr] = lambda total: total.round(0).cast(nw.Int64)  # noqa: E731
    parts: dict[str, Callable[[], CellAggregation]] = {
        "distinct": lambda: CellAggregation(nw.lit(1.0), "sum", whole_number),
        "entropy": lambda: CellAggregation(-inside * inside.log(), "sum", lambda total: total.exp()),
        "recursive": lambda: CellAggregation(_recursive_rank(extra), "max", whole_number, ranked=True),
        "others": lambda: CellAggregation(
            nw.col("cell"), "max", lambda largest: (nw.col("known") - largest).cast(nw.Int64)
        ),
        "variational": lambda: CellAggregation(
            (inside - outside).abs() - outside, "sum", lambda total: 0.5 * (total + 1.0)
        ),
        "largest": lambda: CellAggregation(inside, "max"),
        "gain": lambda: CellAggregation(gain, "max"),
        "enhanced": lambda: CellAggregation(
            nw.when(gain <= -outside.log() + ROUNDING).then(gain).otherwise(_BEYOND), "max"
        ),
        "ratio": lambda: _ratio_aggregation((inside / outside).log(base=2.0).abs(), values if extra == 1.0 else 0),
    }
    if kind not in parts:
        raise TacitError(
            f"cannot have its {kind} spread measured on this engine: it is no sum over a group-by",
            code="wrong_type",
            column=column,
            fix="ask for form='variational' (closeness) or form='entropy' (diversity), or read the data with engine='polars'",
        )
    return parts[kind]()


def _recursive_rank(c: float) -> nw.Expr:
    """The place from the largest cell, where the most frequent value is below c times the cells from there on."""
    return (
        nw.when(nw.col("largest") < c * nw.col("tail"))
        .then(nw.col("cells") - nw.col("rank") + 1.0)
        .otherwise(nw.lit(0.0))
    )


def _ratio_aggregation(each: nw.Expr, values: int) -> CellAggregation:
    """With ``values`` the classes that lack one of them have no finite ratio."""
    if not values:
        return CellAggregation(each, "max")
    lacking = nw.col("cells") < values
    return CellAggregation(each, "max", lambda largest: nw.when(lacking).then(_BEYOND).otherwise(largest), ranked=True)
