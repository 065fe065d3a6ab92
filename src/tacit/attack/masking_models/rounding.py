"""Rounding: the intruder rounds its own value, or knows the two multiples that it can have become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from .._columns import ColumnPair
from .knowledge import MaskingKnowledge, masked_columns, step_parameter
from .scales import NumericPair, ends_of, numeric_pair, window_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


PERIODS = {"week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
NEAR = 1e-9
"""A value this near to a multiple, or to the middle of two, may have gone either way; whole numbers are exact."""
STEEP = 2.0
"""Costs differ by STEEP · ((y₁ − x)² − (y₂ − x)²)/base², which near the middle is the log odds of the two multiples."""


def rounding_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Columns that were rounded to multiples of a published base.

    To the nearest: the released value is that of the intruder's own rounding and no other. At random: it is one of the
    two multiples beside x, :math:`l \le x \le u`, the nearer one more likely (:math:`\Pr(u) = (x - l)/(u - l)`). Both are
    hard. O(n + m) time.
    """
    base, form = step_parameter(step, "base"), step_parameter(step, "form", "nearest")
    kept, compared = list[str](), list[ColumnPair]()
    for column in masked_columns(step, columns):
        pair = numeric_pair(release, scenario.file, column)
        unit = base.get(column) if isinstance(base, Mapping) else base
        if pair is None or unit is None:
            continue
        low, high = _adjacent_multiples(pair, scenario.file.series(column), unit)
        near = 0.0 if pair.whole else NEAR
        with np.errstate(invalid="ignore", divide="ignore"):
            up = (pair.mine - low) / (high - low)
            if form == "nearest":
                low, high = np.where(up >= 0.5 + near, high, low), np.where(up >= 0.5 - near, high, low)
            else:
                low, high = np.where(up >= 1.0 - near, high, low), np.where(up <= near, low, high)
        ends = ends_of(step_parameter(step, "bounds"), release, column)
        width = float(np.nanmax(high - low, initial=0.0))
        weight = STEEP / width**2 if form == "random" and width > 0 else None
        compared.append(window_pair(pair, ends.clip_values(low), ends.clip_values(high), weight=weight))
        kept.append(column)
    return MaskingKnowledge(columns=tuple(kept), compared=tuple(compared), certain=True)


def _adjacent_multiples(pair: NumericPair, mine: pl.Series, base: float | str) -> tuple[np.ndarray, np.ndarray]:
    """The multiples below and above each of the intruder's values."""
    if isinstance(base, str):
        below = mine.dt.truncate(PERIODS[base])
        return _dates_to_numbers(below), _dates_to_numbers(below.dt.offset_by(PERIODS[base]))
    parts = round(1.0 / base)
    if base < 1 and 1.0 / base == parts:
        steps = np.floor(pair.mine * parts)
        return steps / parts, (steps + 1.0) / parts
    steps = np.floor(pair.mine / base)
    return steps * base, (steps + 1.0) * base


def _dates_to_numbers(dates: pl.Series) -> np.ndarray:
    """Days, or seconds of moments, since 1970."""
    if isinstance(dates.dtype, pl.Datetime):
        return (dates.dt.epoch("us").cast(pl.Float64) / 1e6).fill_null(float("nan")).to_numpy()
    return dates.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
