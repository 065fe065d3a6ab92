"""Statistics of everybody's data from sums of what each party counts by itself.

A statistic is three things: the whole numbers that a party counts in its own file, how large their sums can become, and what
follows from the sums. The sums are all that anybody learns, and the results are those of the pooled data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import polars as pl

from ...errors import TacitError, check_int, format_value, suggest_alternative
from ..agreement.section import columns_of, known_keys
from .column import NumericColumn, parse_column
from .feasibility import InfeasibleSums, check_moments, check_rows, check_total
from .labels import column_labels
from .number import to_number

Figures = dict[str, Any]
Ends = tuple[int, int]
MOST_BINS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """What is computed, over which columns, of at most ``rows`` rows a party."""

    name: str
    columns: tuple[NumericColumn, ...]
    rows: int
    bins: int = 0

    def numbers(self, frame: pl.DataFrame) -> list[int]:
        """What this party counts in its own file."""
        if frame.height > self.rows:
            raise TacitError(
                f"the file has {frame.height:,} rows, and at most {self.rows:,} a party are agreed on",
                code="out_of_range",
                fix="agree on more",
            )
        return [frame.height, *STATISTICS[self.name].counted(self, [one.units(frame) for one in self.columns])]

    def max_sum(self, parties: int) -> int:
        """A bound on the size of every sum."""
        most = max((one.max_size for one in self.columns), default=1)
        return parties * self.rows * int(max(1, most) ** STATISTICS[self.name].power)

    @property
    def parts(self) -> list[tuple[float, int]]:
        """The numbers in parts: by how much one row changes a part at the most (in L2), and how many numbers it has."""
        sizes = [float(one.max_size) for one in self.columns]
        return [(1.0, 1), *STATISTICS[self.name].parts(self, sizes)]

    @property
    def length(self) -> int:
        """How many numbers each party counts."""
        return len(self.numbers(pl.DataFrame({one.name: pl.Series([], dtype=pl.Float64) for one in self.columns})))

    def check_sums(self, sums: Sequence[int], parties: int) -> None:
        """Raise :class:`InfeasibleSums` for sums that so many parties cannot have brought together."""
        rows, *rest = sums
        check_rows(rows, parties * self.rows)
        STATISTICS[self.name].feasible(self, rows, rest)

    def intervals(self, parties: int) -> list[tuple[int, int]]:
        """The smallest and the largest that each sum of so many parties can be, by itself."""
        rows = parties * self.rows
        ends = [one.ends for one in self.columns]
        each = [(0, 1), *STATISTICS[self.name].ends(self, ends)]
        return [(rows * min(0, low), rows * max(0, high)) for low, high in each]

    def figures(self, sums: Sequence[int]) -> Figures:
        """What follows from the sums; over no rows at all there is no mean."""
        rows, *rest = sums
        return {"rows": rows} | STATISTICS[self.name].found(self, rows, rest)


@dataclass(frozen=True, slots=True)
class _StatisticKind:
    counted: Callable[[Statistic, list[list[int]]], list[int]]
    found: Callable[[Statistic, int, Sequence[int]], Figures]
    parts: Callable[[Statistic, list[float]], list[tuple[float, int]]]
    feasible: Callable[[Statistic, int, Sequence[int]], None]
    ends: Callable[[Statistic, list[Ends]], list[Ends]]
    power: int = 1


def _one_by_one(_: Statistic, sizes: list[float]) -> list[tuple[float, int]]:
    return [(size, 1) for size in sizes]


def _and_pairs(_: Statistic, sizes: list[float]) -> list[tuple[float, int]]:
    return [*((size, 1) for size in sizes), *((a * b, 1) for a, b in combinations_with_replacement(sizes, 2))]


def _one_bin(of: Statistic, sizes: list[float]) -> list[tuple[float, int]]:
    """A row is in one bin of each column."""
    return [(1.0, of.bins) for _ in sizes]


def _ends_of_products(_: Statistic, ends: list[Ends]) -> list[Ends]:
    corners = ([x * y for x in a for y in b] for a, b in combinations_with_replacement(ends, 2))
    return [*ends, *((min(four), max(four)) for four in corners)]


def _feasible_totals(of: Statistic, rows: int, sums: Sequence[int]) -> None:
    for column, total in zip(of.columns, sums, strict=True):
        check_total(column, rows, total)


def _feasible_products(of: Statistic, rows: int, sums: Sequence[int]) -> None:
    check_moments(of.columns, rows, sums[: len(of.columns)], sums[len(of.columns) :])


def _feasible_bins(of: Statistic, rows: int, sums: Sequence[int]) -> None:
    """Every row is in one bin of each column."""
    for at, column in enumerate(of.columns):
        counts = sums[at * of.bins : (at + 1) * of.bins]
        if min(counts) < 0 or sum(counts) != rows:
            raise InfeasibleSums(f"the counts of column {column.name!r} are not those of the rows")


def _column_sums(_: Statistic, values: list[list[int]]) -> list[int]:
    return [sum(column) for column in values]


def _sums_and_products(_: Statistic, values: list[list[int]]) -> list[int]:
    pairs = combinations_with_replacement(values, 2)
    return [*(sum(one) for one in values), *(sum(a * b for a, b in zip(*pair, strict=True)) for pair in pairs)]


def _in_bins(of: Statistic, values: list[list[int]]) -> list[int]:
    counts = []
    for column, units in zip(of.columns, values, strict=True):
        low, high = column.ends
        places = [min((unit - low) * of.bins // (high - low), of.bins - 1) for unit in units]
        held = Counter(places)
        counts += [held[place] for place in range(of.bins)]
    return counts


def _sum_figures(of: Statistic, _: int, sums: Sequence[int]) -> Figures:
    return {"sum": {c.name: to_number(Fraction(s, 10**c.decimals)) for c, s in zip(of.columns, sums, strict=True)}}


def _mean_figures(of: Statistic, rows: int, sums: Sequence[int]) -> Figures:
    found = {c.name: Fraction(s, 10**c.decimals) for c, s in zip(of.columns, sums, strict=False)}
    return {"mean": {name: to_number(total / rows) if rows > 0 else None for name, total in found.items()}}


def _covariance_figures(of: Statistic, rows: int, sums: Sequence[int]) -> Figures:
    """Sample covariances, exactly: (Σxy − Σx Σy / n) / (n − 1)."""
    totals, products = sums[: len(of.columns)], iter(sums[len(of.columns) :])
    found = {}
    for (a, x), (b, y) in combinations_with_replacement(zip(of.columns, totals, strict=True), 2):
        product, unit = next(products), 10 ** (a.decimals + b.decimals)
        value = (product - Fraction(x * y, rows)) / (rows - 1) / unit if rows > 1 else None
        found[a.name, b.name] = None if value is None else to_number(value)
    variances = {a: value for (a, b), value in found.items() if a == b}
    different = [pair for pair in found if pair[0] != pair[1]]
    covariances = {label: found[pair] for label, pair in zip(column_labels(different), different, strict=True)}
    return (
        _mean_figures(of, rows, sums) | {"variance": variances} | ({"covariance": covariances} if covariances else {})
    )


def _histogram_figures(of: Statistic, _: int, sums: Sequence[int]) -> Figures:
    return {"histogram": {c.name: list(sums[at * of.bins : (at + 1) * of.bins]) for at, c in enumerate(of.columns)}}


STATISTICS = {
    "count": _StatisticKind(lambda *_: [], lambda *_: {}, lambda *_: [], lambda *_: None, lambda *_: []),
    "sum": _StatisticKind(_column_sums, _sum_figures, _one_by_one, _feasible_totals, lambda _, ends: ends),
    "mean": _StatisticKind(_column_sums, _mean_figures, _one_by_one, _feasible_totals, lambda _, ends: ends),
    "covariance": _StatisticKind(
        _sums_and_products, _covariance_figures, _and_pairs, _feasible_products, _ends_of_products, power=2
    ),
    "histogram": _StatisticKind(
        _in_bins, _histogram_figures, _one_bin, _feasible_bins, lambda of, ends: [(0, 1)] * of.bins * len(ends), power=0
    ),
}
"""What can be computed; ``covariance`` gives means and variances too."""


def statistic_of(task: Mapping[str, Any]) -> Statistic:
    """What the section ``[task]`` of an agreement asks for.

    >>> statistic_of({"compute": "mean", "rows": 1000, "columns": {"age": {"low": 0, "high": 120}}}).max_sum(5)
    600000
    """
    known_keys(task, ("compute", "columns", "rows", "bins"))
    name = task.get("compute")
    if name not in list(STATISTICS):
        raise TacitError(
            f"it is not known how to compute {format_value(name)}",
            code="unknown_name",
            fix=suggest_alternative(str(name), STATISTICS),
            where="task.compute",
        )
    given = columns_of(task) if name != "count" or "columns" in task else {}
    columns = tuple(parse_column(*one) for one in given.items())
    check_int("rows", task.get("rows"), least=1)
    if name == "histogram" or "bins" in task:
        check_int("bins", task.get("bins"), least=1)
    if task.get("bins", 0) > MOST_BINS:
        raise TacitError(
            f"bins={task['bins']:,} are too many",
            code="too_large",
            parameter="bins",
            fix=f"use {MOST_BINS:,} at most",
            where="task.bins",
        )
    return Statistic(name=name, columns=columns, rows=task["rows"], bins=task.get("bins", 0))
