"""Coded extremes and recoded categories: the intruder does the same to its own value."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...release.step_effects import published_outcome
from .knowledge import MaskingKnowledge, masked_columns, step_parameter
from .scales import as_is, equality_pair, numeric_pair, point_of, window_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


def top_bottom_code_model(
    step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario
) -> MaskingKnowledge:
    """A column whose extremes were coded: equal inside the published bounds, the code beyond them.

    Beyond a bound the released value is the bound or, with ``replace="mean"``, some number beyond it. Hard; a bound that
    was found from a share and not published leaves the column unexplained. O(n + m) time.
    """
    nothing = MaskingKnowledge(columns=(), compared=(), certain=True)
    own = masked_columns(step, columns, "column")
    if not own:
        return nothing
    column = own[0]
    pair = numeric_pair(release, scenario.file, column)
    bounds = {side: _coding_bound(step, side, release, column) for side in ("top", "bottom")}
    if (
        pair is None
        or set(bounds.values()) == {None}
        or any(step_parameter(step, f"{side}_share") and bounds[side] is None for side in bounds)
    ):
        return nothing
    low, high = pair.mine.copy(), pair.mine.copy()
    mean = step_parameter(step, "replace", "threshold") == "mean"
    for side, bound in bounds.items():
        if bound is None:
            continue
        beyond = pair.mine > bound if side == "top" else pair.mine < bound
        low[beyond] = -np.inf if mean and side == "bottom" else bound
        high[beyond] = np.inf if mean and side == "top" else bound
    exact = type(pair)(pair.theirs, pair.mine, whole=False)
    return MaskingKnowledge(columns=(column,), compared=(window_pair(exact, low, high, weight=None),), certain=True)


def _coding_bound(step: Trace, side: str, release: Release, column: str) -> float | None:
    shown = (published_outcome(step, "bounds") or {}).get(side)
    return point_of(step_parameter(step, side, shown), release, column)


def recode_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    """A column with new labels: the intruder gives its own value the published label, which must be equal.

    Which categories were too rare to keep their names is seen in the release: those that stand there no more. Hard.
    O((n + m) · breaks) time.
    """
    nothing = MaskingKnowledge(columns=(), compared=(), certain=True)
    own = masked_columns(step, columns, "column")
    if not own:
        return nothing
    column = own[0]
    shown, mine = release.series(column).cast(pl.String), scenario.file.series(column)
    groups, rare = step_parameter(step, "groups"), step_parameter(step, "rare")
    breaks = step_parameter(step, "breaks", published_outcome(step, "breaks"))
    if not as_is(release, scenario.file, column):
        return nothing
    if groups is not None:
        new = {_value_text(value): label for label, values in groups.items() for value in values}
        labels = mine.cast(pl.String).replace(new)
    elif rare is not None:
        kept = shown.drop_nulls().unique().to_list()
        text = mine.cast(pl.String)
        labels = pl.select(
            pl.when(text.is_null() | text.is_in(kept))
            .then(text)
            .otherwise(pl.lit(step_parameter(step, "other", "other")))
        ).to_series()
    elif breaks is not None and mine.dtype.is_numeric():
        labels = _interval_labels(mine, breaks)
    else:
        return nothing
    return MaskingKnowledge(columns=(column,), compared=(equality_pair(shown, labels),), certain=True)


def _value_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _interval_labels(values: pl.Series, breaks: Any) -> pl.Series:
    """The labels of the intervals, as the method writes them."""
    points = [_format_point(point) for point in breaks]
    labels = [f"< {points[0]}", *(f"[{low}, {high})" for low, high in pairwise(points)), f"≥ {points[-1]}"]
    place = np.searchsorted(
        np.array(breaks, dtype=float), values.cast(pl.Float64).fill_null(0.0).to_numpy(), side="right"
    )
    text = pl.Series(labels).gather(place)
    return pl.select(pl.when(values.is_not_null()).then(text)).to_series()


def _format_point(point: float) -> str:
    return str(int(point)) if float(point).is_integer() and abs(point) < 2.0**63 else repr(float(point))
