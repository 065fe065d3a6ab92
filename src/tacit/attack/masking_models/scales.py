"""Columns of both files as numbers on the scale on which methods mask, and bounds on that scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

from .._columns import ColumnPair

if TYPE_CHECKING:
    from ...release.release import Release


NUMBERS = ("integer", "number")
ROUNDING = 1e-9
"""Relative error of the arithmetic of a method, generously."""
FAR = 1e140
"""Numbers are cut here: no square overflows."""


@dataclass(frozen=True, slots=True, eq=False)
class NumericPair:
    """A column of both files as floats, NaN where missing: dates in days and moments in seconds since 1970.

    ``whole`` says that released values were rounded to whole numbers or days.
    """

    theirs: np.ndarray
    mine: np.ndarray
    whole: bool

    @property
    def rounding_error(self) -> float:
        """By how much the type of the column may have rounded a released value."""
        return 0.5 if self.whole else 0.0


class ValueBounds(NamedTuple):
    """The lowest and the highest value that a column may have after masking; infinite where there is no bound."""

    low: float
    high: float

    def clip_values(self, values: np.ndarray) -> np.ndarray:
        """Values as the method cuts them off."""
        found: np.ndarray = np.clip(values, self.low, self.high)
        return found


def as_is(release: Release, file: Release, column: str) -> bool:
    """Whether neither side has labels of a hierarchy in place of its values."""
    return not any(side.levels.get(column) or column in side.mixed for side in (release, file))


def numeric_pair(release: Release, file: Release, column: str) -> NumericPair | None:
    """Both sides of a column as numbers, None where one of them has none; a date and a moment are not comparable."""
    types = release.types[column], file.types[column]
    alike = all(one in NUMBERS for one in types) or (types[0] == types[1] and types[0] in ("date", "datetime"))
    if not alike or not as_is(release, file, column):
        return None
    theirs = release.series(column)
    return NumericPair(
        _finite_numbers(theirs),
        _finite_numbers(file.series(column)),
        theirs.dtype.is_integer() or theirs.dtype == pl.Date,
    )


def _finite_numbers(values: pl.Series) -> np.ndarray:
    if isinstance(values.dtype, pl.Datetime):
        values = values.dt.epoch("us").cast(pl.Float64) / 1e6
    numbers = values.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
    found: np.ndarray = np.clip(np.where(np.isinf(numbers), np.nan, numbers), -FAR, FAR)
    return found


def ends_of(bounds: Any, release: Release, column: str) -> ValueBounds:
    """The bounds that a method was given for a column; those that cannot be read bound nothing."""
    said = bounds.get(column) if isinstance(bounds, Mapping) else None
    low, high = said if isinstance(said, list | tuple) and len(said) == 2 else (None, None)
    ends = (point_of(low, release, column), point_of(high, release, column))
    return ValueBounds(-np.inf if ends[0] is None else ends[0], np.inf if ends[1] is None else ends[1])


def point_of(bound: Any, release: Release, column: str) -> float | None:
    """A typed value on the scale of the column: a number, or a day or moment written in ISO form."""
    if isinstance(bound, int | float) and not isinstance(bound, bool):
        return float(bound)
    if not isinstance(bound, str):
        return None
    try:
        moment = datetime.fromisoformat(bound)
    except ValueError:
        return None
    dtype = release.series(column).dtype
    if dtype == pl.Date:
        return float(moment.toordinal() - datetime(1970, 1, 1).toordinal())
    zone = ZoneInfo(getattr(dtype, "time_zone", None) or "UTC")
    return (moment.replace(tzinfo=zone) if moment.tzinfo is None else moment).timestamp()


def window_pair(pair: NumericPair, low: np.ndarray, high: np.ndarray, *, weight: float | None = 0.0) -> ColumnPair:
    """The column with hard ends for each of the intruder's records, widened by what rounding can do.

    Without a ``weight`` all values between the ends are equally likely.
    """
    slack = pair.rounding_error + ROUNDING * (1.0 + np.fmax(np.abs(low), np.abs(high)))
    slack = np.where(np.isfinite(slack), slack, pair.rounding_error + ROUNDING * (1.0 + np.abs(pair.mine)))
    return ColumnPair(
        pair.theirs,
        pair.mine,
        kind="number",
        usual=_mean_squared_difference(pair.theirs),
        weight=weight,
        low=np.where(np.isnan(pair.mine), -np.inf, low - slack),
        high=np.where(np.isnan(pair.mine), np.inf, high + slack),
    )


def equality_pair(theirs: pl.Series, mine: pl.Series) -> ColumnPair:
    """Both sides as codes that must be equal: the intruder knows what its value has become."""
    both = pl.concat([theirs.cast(pl.String), mine.cast(pl.String)])
    codes = both.cast(pl.Categorical).to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
    released, own = codes[: len(theirs)], codes[len(theirs) :]
    known = released[~np.isnan(released)].astype(np.int64)
    shares = np.bincount(known) / max(1, len(known)) if len(known) else np.ones(1)
    free = np.isnan(own)
    return ColumnPair(
        released,
        own,
        kind="code",
        usual=float(1.0 - (shares**2).sum()),
        low=np.where(free, -np.inf, own),
        high=np.where(free, np.inf, own),
    )


def _mean_squared_difference(values: np.ndarray) -> float:
    """Twice the variance: the mean squared difference of two random records."""
    return 2.0 * float(np.nanvar(values)) if not np.isnan(values).all() else 0.0
