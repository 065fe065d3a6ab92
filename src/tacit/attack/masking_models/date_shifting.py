"""Shifted dates: a window of days, and intervals within a record that no shift changes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...release.step_effects import published_outcome
from .knowledge import MaskingKnowledge, masked_columns, step_parameter
from .scales import NumericPair, numeric_pair, window_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace
    from .._columns import ColumnPair


DAY = 86_400.0
STEPS = {"day": 1, "week": 7, "year": 364}
MOST_PAIRS = 10
"""Intervals beyond so many follow from the others, but for missing dates."""


def date_shift_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Dates that were moved by one number of days for each person.

    The released date lies :math:`least \le y - x \le most` days from the true one, all shifts equally likely. Shifts by
    whole weeks keep the day of the week, and all keep the time of day. The dates of a record move together: the interval
    between two of them is exact, and tells a person with two known dates apart from all whose interval is another.
    All of it is hard. Other rows of the same person are not used. O((n + m) · columns²) time.
    """
    pairs = {
        column: pair
        for column in masked_columns(step, columns)
        if (pair := numeric_pair(release, scenario.file, column)) is not None
        and release.types[column] in ("date", "datetime")
        and scenario.file.series(column).dtype == release.series(column).dtype
    }
    least, most, every = _shift_range(step)
    if not pairs or most is None or least is None:
        return MaskingKnowledge(columns=(), compared=(), certain=True)
    units = {column: 1.0 if release.types[column] == "date" else DAY for column in pairs}
    compared: list[ColumnPair] = []
    for column, pair in pairs.items():
        unit = units[column]
        compared.append(window_pair(pair, pair.mine + least * unit, pair.mine + most * unit))
        if every > 1 or unit > 1:
            turn = every * unit
            compared += _compare_invariant(np.mod(pair.theirs, turn), np.mod(pair.mine, turn), turn=turn)
    for one, other in list(combinations(pairs, 2))[:MOST_PAIRS]:
        compared += _compare_invariant(
            pairs[one].theirs / units[one] - pairs[other].theirs / units[other],
            pairs[one].mine / units[one] - pairs[other].mine / units[other],
        )
    return MaskingKnowledge(columns=tuple(pairs), compared=tuple(compared), certain=True)


def _shift_range(step: Trace) -> tuple[float | None, float | None, int]:
    """The least and the most days, and the step between shifts."""
    law: Any = published_outcome(step, "law") or {}
    every = int(law.get("every", STEPS.get(step_parameter(step, "step", "day"), 1)))
    if "least" in law and "most" in law:
        return float(law["least"]), float(law["most"]), every
    days = step_parameter(step, "days")
    if days is None:
        return None, None, every
    direction = step_parameter(step, "direction", "both")
    far = float(int(days) // every * every)
    return 0.0 if direction == "forward" else -far, 0.0 if direction == "back" else far, every


def _compare_invariant(theirs: np.ndarray, mine: np.ndarray, turn: float | None = None) -> list[ColumnPair]:
    """A number that no shift changes; one that turns round (the time of day) may lie at either end by rounding."""
    made = window_pair(NumericPair(theirs, mine, whole=False), mine, mine, weight=None)
    if turn is None:
        return [made]
    assert made.low is not None and made.high is not None
    edge = (made.low < 0) | (made.high >= turn)
    at_edge = replace(made, low=np.where(edge, -np.inf, made.low), high=np.where(edge, np.inf, made.high))
    counted = all((side[~np.isnan(side)] % 1 == 0).all() for side in (theirs, mine))
    return [replace(made, low=mine, high=mine) if counted else at_edge]
