"""Exact figures of a group from its tallies, as SQL would give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from ..column import Column, Schema
from ..question import Aggregate
from ..tally import Measure


def measures_of(aggregate: Aggregate, schema: Schema) -> tuple[Measure, ...]:
    """What is to be tallied for an aggregate; of a quantile nothing, because it needs the rows by value."""
    if aggregate.what in ("count", "units"):
        return (Measure("rows" if aggregate.what == "count" else "units"),)
    schema.column(aggregate.column).bounds()
    if aggregate.what == "quantile":
        return ()
    # The number of known values is the difference of two sums whose centres are one apart.
    sums = Measure("sum", aggregate.column), Measure("sum", aggregate.column, -1)
    return (*sums, Measure("squares", aggregate.column)) if aggregate.what == "variance" else sums


def within_bounds(aggregates: Iterable[Aggregate], schema: Schema) -> tuple[str, ...]:
    """A note for each column that is summed: what lies beyond its declared bounds does not count in full.

    >>> pay = Column(name="pay", kind="number", low=0, high=90, step=Fraction(10))
    >>> schema = Schema(name="staff", version="1", columns={"pay": pay}, joins={})
    >>> within_bounds([Aggregate("sum", "pay")], schema)
    ("values of 'pay' beyond its declared bounds count as the bound: 0 or 900",)
    """
    summed = dict.fromkeys(one.column for one in aggregates if one.what in ("sum", "mean"))
    columns = [schema.column(name) for name in summed]
    return tuple(
        f"values of {one.name!r} beyond its declared bounds count as the bound: {one.decode(one.low)} or {one.decode(one.high)}"
        for one in columns
        if one.has_public_domain and one.is_numeric
    )


def exact_figure(aggregate: Aggregate, schema: Schema, tallied: Mapping[Measure, int]) -> Any:
    """The figure of a group: sums in the analyst's units, the mean, the sample variance; None where there is none."""
    figures = [tallied[measure] for measure in measures_of(aggregate, schema)]
    if aggregate.what in ("count", "units"):
        return figures[0]
    column, number = schema.column(aggregate.column), figures[1] - figures[0]
    if number < (2 if aggregate.what == "variance" else 1):
        return None
    if aggregate.what == "sum":
        return column.to_number(figures[0])
    if aggregate.what == "mean":
        return column.to_number(Fraction(figures[0], number))
    return column.to_number((figures[2] - Fraction(figures[0] ** 2, number)) / (number - 1) * column.step)


def exact_quantile(share: Fraction, column: Column, counts: Mapping[int, int]) -> Any:
    """The least value up to which at least the share of the known values lies (SQL's PERCENTILE_DISC).

    >>> age = Column(name="age", kind="integer", low=0, high=110)
    >>> exact_quantile(Fraction(1, 2), age, {30: 2, 40: 1, 50: 1})
    30
    """
    aim, below = share * sum(counts.values()), 0
    for value in sorted(counts):
        below += counts[value]
        if below >= aim:
            return column.to_number(value)
    return None
