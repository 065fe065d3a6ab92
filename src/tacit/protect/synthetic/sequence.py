"""One column after the other, each given those before it: the steps of sequential synthesis by trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...errors import TacitError
from ...progress import report
from ..numbers import as_numbers, from_numbers
from .coded import Coded, amounts, categories
from .leaves import donors
from .part import Made, Part, readable
from .smoothed import smoothed

if TYPE_CHECKING:
    from ...progress import Progress

__all__ = ["in_sequence"]


def in_sequence(
    part: Part,
    order: Sequence[str],
    predictors: Mapping[str, Sequence[str]],
    leaf: int,
    smooth: bool,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Made:
    """New values of the targets in the given order; what is made is told to the columns after it."""
    told = {column: _coded(part, column, part.known[column]) for column in part.given}
    made: dict[str, pl.Series] = {}
    captured: dict[str, list[str]] = {}
    for place, column in enumerate(order):
        report(progress, "synth_trees", place / len(order))
        by = _predictors(column, list(told), predictors)
        made[column] = _column(part, column, [told[name] for name in by], leaf, smooth, rng)
        told[column] = _coded(part, column, made[column])
        captured[readable(column)] = [readable(name) for name in by]
    report(progress, "synth_trees", 1.0)
    return Made(made, {"order": [readable(column) for column in order], "predictors": captured})


def _predictors(column: str, told: Sequence[str], predictors: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The columns that this one is made from: those named for it, which must be there by then, or all that are."""
    for name in predictors.get(column, ()):
        if name not in told:
            raise TacitError(
                f"is to be made from {name!r}, which is not there when it is made",
                column=column,
                fix=f"put {name!r} before it in order, or leave it out (columns of a household are made before its people's)",
            )
    return predictors.get(column, told)


def _coded(part: Part, column: str, new: pl.Series) -> Coded:
    return (amounts if part.amount(column) else categories)(part.learn[column], new)


def _column(
    part: Part, column: str, predictors: Sequence[Coded], leaf: int, smooth: bool, rng: np.random.Generator
) -> pl.Series:
    """New values of one column: first who has none, then the values of the others."""
    values = part.learn[column]
    some = values.is_not_null().to_numpy()
    lacking = part.holes[column] if column in part.holes else _lacking(part, predictors, some, leaf, rng)
    if lacking.all():
        return pl.Series(column, [None] * part.count, dtype=values.dtype)
    if some.sum() < leaf:
        raise TacitError(
            f"has {some.sum()} values to draw from, fewer than leaf={leaf}",
            column=column,
            fix="use a smaller leaf, choose more records, or leave the column out",
        )
    known, wanted = np.flatnonzero(some), np.flatnonzero(~lacking)
    seen = [Coded(one.learn[known], one.new[wanted], one.count) for one in predictors]
    drawn = _values(part, column, values.gather(known), seen, leaf, smooth, len(wanted), rng)
    place = np.zeros(part.count, dtype=np.int64)
    place[wanted] = np.arange(len(wanted)) + 1
    return pl.concat([pl.Series(column, [None], dtype=drawn.dtype), drawn]).gather(place)


def _values(
    part: Part,
    column: str,
    values: pl.Series,
    predictors: Sequence[Coded],
    leaf: int,
    smooth: bool,
    count: int,
    rng: np.random.Generator,
) -> pl.Series:
    """Values for ``count`` records from the leaves of a tree, none missing."""
    if part.amount(column):
        target, classes = as_numbers(values), 0
    else:
        of = categories(values, values)
        target, classes = of.learn - 1, of.count - 1
    if predictors:
        chosen, leaves = donors(predictors, target, classes, leaf, rng)
    else:
        chosen, leaves = rng.integers(0, len(values), count), np.zeros(len(values), dtype=np.int64)
    if smooth and part.kinds[column] in ("continuous", "date"):
        return from_numbers(smoothed(target, leaves, chosen, leaf, rng), column, values.dtype)
    return values.gather(chosen)


def _lacking(
    part: Part, predictors: Sequence[Coded], some: np.ndarray, leaf: int, rng: np.random.Generator
) -> np.ndarray:
    """Which of the new records have no value: drawn as a column of two categories."""
    if some.all():
        return np.zeros(part.count, dtype=bool)
    if not predictors:
        chosen = rng.integers(0, len(some), part.count)
    else:
        chosen, _ = donors(predictors, some.astype(np.int64), 2, leaf, rng)
    lacking: np.ndarray = ~some[chosen]
    return lacking
