"""A column of two files in a form in which they can be compared: at one level of its hierarchy, or as numbers."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..errors import TacitError
from .hierarchy.base import label_expression
from .release import Release

DAY = 86_400_000_000
"""Microseconds."""
LARGEST = 1e300
"""Numbers are cut at this: no difference overflows, and nothing is near there."""


def at_one_level(release: Release, file: Release, column: str) -> tuple[pl.Series, pl.Series]:
    """A column of both at the level of the release: the intruder brings its own values to it."""
    levels = release.levels.get(column, 0), file.levels.get(column, 0)
    level = max(levels)
    hierarchy = (release if levels[0] else file).hierarchies.get(column)
    if not level or hierarchy is None:
        return release.series(column), file.series(column)
    if any(one not in (0, level) for one in levels):
        raise TacitError(
            f"stands at level {levels[0]} in the release and at level {levels[1]} in the intruder's file",
            code="already_masked",
            column=column,
            fix="give the intruder's values as they are, or at the level of the release",
        )
    found = []
    for side, has in zip((release, file), levels, strict=True):
        if not has:
            hierarchy.check_type(column, side.types[column])
            side = side.select(column).with_columns({column: label_expression(hierarchy, column, level)})
        found.append(side.series(column).cast(pl.String))
    return found[0], found[1]


def as_numbers(values: pl.Series, column: str) -> np.ndarray:
    """As floats: dates as days; NaN where missing."""
    if values.dtype == pl.Datetime:
        values = values.dt.epoch("us") / DAY
    numbers = values.to_physical().cast(pl.Float64).to_numpy()
    if np.isinf(numbers).any():
        row = int(np.isinf(numbers).argmax()) + 1
        raise TacitError(
            f"holds an infinite number in row {row}", code="not_finite", column=column, fix="make it missing"
        )
    finite: np.ndarray = np.clip(numbers, -LARGEST, LARGEST)
    return finite


def standard_deviation(numbers: np.ndarray) -> float:
    """The standard deviation of the known numbers, divided by their number; scaled first, so that no square overflows."""
    known = numbers[~np.isnan(numbers)]
    scale = float(np.abs(known).max(initial=0.0))
    return float((known / scale).std() * scale) if scale else 0.0
