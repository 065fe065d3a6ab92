"""From an aggregate of the question to its noisy form."""

from __future__ import annotations

from ..column import Column, Schema
from ..question import Aggregate
from ..refusal import Refusal
from .count import Count
from .figure import Noisy
from .mean import Mean
from .part import present, rows, units
from .promise import Promise
from .quantile import Quantile
from .total import Total
from .variance import Variance

__all__ = ["noisy"]


def noisy(aggregate: Aggregate, schema: Schema, *, promise: Promise, size: int | None) -> Noisy:
    """The noisy form; ``size`` is the number of rows asked about where that is public."""
    if aggregate.what == "units":
        return Count(units(promise))
    if aggregate.what == "count":
        return Count(present(_summed(aggregate, schema)) if aggregate.column else rows())
    if aggregate.what == "quantile":
        return Quantile.of(_summed(aggregate, schema), aggregate.share)
    column = _summed(aggregate, schema)
    if aggregate.what == "sum":
        return Total.of(column)
    return Mean.of(column, size) if aggregate.what == "mean" else Variance.of(column, size)


def _summed(aggregate: Aggregate, schema: Schema) -> Column:
    column = schema.column(aggregate.column)
    if not column.numeric:
        raise Refusal(
            "unsupported_sql",
            f"is of kind {column.kind}: it has no {aggregate.what}",
            column=column.name,
            fix="take a column of kind integer or number, or count",
        )
    return column
