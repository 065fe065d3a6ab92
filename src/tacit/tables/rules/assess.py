"""From a table to a problem: rules, marks by hand, zeros, bounds and costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from ...errors import TacitError, format_value
from ..problem import Problem, Status, is_level_reached
from ..table import Table
from ..type_checks import require_type
from .bounds import Bounds, check_bounds, known_bounds, no_negatives
from .costs import Cost, cell_costs
from .largest import absolute_total
from .levels import Levels
from .marks import SAID, Codes, Mark, found_cells
from .rule import Rule

Zeros: TypeAlias = Literal["published", "candidates", "unsafe"] | float
"""What becomes of cells without any respondent; a number is the room above 0 that they need."""


def build_problem(
    table: Table,
    rules: Sequence[Rule],
    *,
    marks: Mapping[Codes, Mark | str] | None = None,
    zeros: Zeros = "published",
    cost: Cost = "value",
    bounds: Bounds | None = None,
) -> Problem:
    """A table with the status, levels, bounds and cost of each cell: what is then suppressed, adjusted and audited.

    A cell is unsafe when ANY rule says so, with the largest levels that one asks for; ``why`` names them all. A mark by
    hand comes after the rules and has the last word (:class:`.marks.Mark`; a status alone may be given as text).

    ``zeros`` are cells without respondents (where that is unknown: figures of zero). ``"published"``: everybody knows them to
    be empty, they are shown and hide nothing. ``"candidates"``: they may be suppressed. ``"unsafe"``: that nobody is there must
    not be seen; in counts that takes room of 1, for sums give the amount as a number.

    ``cost`` is described at :func:`.costs.costs`; a cell that may be suppressed is never free: it costs at least what the cheapest
    other one does. ``bounds`` is described at :func:`.bounds.known_bounds`. Where everybody knows that no figure is negative, a
    level below that reaches under 0 is cut to the figure (``why`` says so); a level that wider knowledge makes
    impossible is an error. O(rules × cells).

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> from tacit.tables.rules.minimum_frequency import MinimumFrequency
    >>> table = Table(
    ...     labels=pl.DataFrame({"sex": ["f", "m", "Total"]}),
    ...     values=np.array([2.0, 0.0, 2.0]),
    ...     equations=Equations.of([[1, 1, -1]]),
    ... )
    >>> problem = build_problem(table, [MinimumFrequency(3)])
    >>> [Status(one).name for one in problem.status], problem.upper, problem.why[0]
    (['UNSAFE', 'EMPTY', 'UNSAFE'], array([1., 0., 1.]), 'fewer than 3 respondents')
    """
    require_type(Table, table)
    judged = [(rule.description, rule.judge(table)) for rule in _check_rules(rules)]
    by_hand = found_cells(table, marks or {})
    empty, zero_level = _empty_cells(table, zeros)
    if zero_level:
        judged.append(("empty", _zero_levels(empty, zero_level)))
    levels = Levels.combine_levels((one for _, one in judged), size=table.size)
    status = np.where(levels.unsafe, Status.UNSAFE, Status.SAFE).astype(np.uint8)
    if zeros == "published":
        status[empty & ~levels.unsafe] = Status.EMPTY
    why = {
        int(cell): "; ".join(words for words, one in judged if one.unsafe[cell])
        for cell in np.flatnonzero(levels.unsafe)
    }
    levels = _by_hand(table, by_hand, status=status, levels=levels, why=why)
    price = _positive_costs(cell_costs(table, cost), status)
    low, high = known_bounds(
        table, bounds, room=float(max(levels.lower.max(), levels.upper.max(), levels.sliding.max()))
    )
    for cell, mark in by_hand.items():
        price[cell] = price[cell] if mark.cost is None else mark.cost
        low[cell] = low[cell] if mark.low is None else mark.low
        high[cell] = high[cell] if mark.high is None else mark.high
    check_bounds(table, low, high)
    lower = _reachable_levels(table, levels, low=low, high=high, why=why)
    return Problem(
        table=table,
        status=status,
        lower=lower,
        upper=levels.upper,
        sliding=levels.sliding,
        low=low,
        high=high,
        cost=price,
        why=why,
    )


def _check_rules(rules: Sequence[Rule]) -> Sequence[Rule]:
    if hasattr(rules, "judge"):
        raise TacitError(
            "rules are given as a list", code="invalid_table", fix="put the rule into brackets, e.g. [PPercent(10)]"
        )
    for rule in rules:
        if isinstance(rule, type) or not hasattr(rule, "judge"):
            raise TacitError(
                f"{format_value(rule)} is no rule", code="wrong_type", fix="e.g. MinimumFrequency(3) or PPercent(10)"
            )
    return rules


def _empty_cells(table: Table, zeros: Zeros) -> tuple[np.ndarray, float]:
    """Which cells have nobody behind them, and the room that they need."""
    empty = table.values == 0
    if table.contributors is not None:
        empty &= table.contributors == 0
    if zeros in ("published", "candidates"):
        return empty, 0.0
    if zeros == "unsafe":
        if not table.is_frequency:
            raise TacitError(
                "zeros='unsafe' does not say how uncertain a sum of zero must become",
                code="missing_parameter",
                parameter="zeros",
                fix="give the amount instead, e.g. zeros=100",
            )
        return empty, 1.0
    if isinstance(zeros, str | bool) or not 0 < zeros < float("inf"):
        raise TacitError(
            f"zeros={format_value(zeros)} is no policy",
            code="wrong_type",
            parameter="zeros",
            fix="use 'published', 'candidates', 'unsafe', or an amount above 0",
        )
    return empty, float(zeros)


def _zero_levels(empty: np.ndarray, room: float) -> Levels:
    return Levels.both_ways(empty, np.full(len(empty), room))


def _by_hand(
    table: Table, by_hand: Mapping[int, Mark], *, status: np.ndarray, levels: Levels, why: dict[int, str]
) -> Levels:
    """Put the marks over what the rules found; ``status`` and ``why`` are filled in place."""
    figures = absolute_total(table)
    room = {name: getattr(levels, name).copy() for name in ("lower", "upper", "sliding")}
    for cell, mark in by_hand.items():
        if mark.status is not None:
            status[cell] = SAID[mark.status]
        if status[cell] != Status.UNSAFE:
            for side in room.values():
                side[cell] = 0.0
            why.pop(cell, None)
            continue
        if mark.has_levels:
            share = 0.0 if mark.level is None else mark.level / 100 * figures[cell]
            for name, side in room.items():
                amount = getattr(mark, name)
                side[cell] = amount if amount is not None else share * (name != "sliding")
        elif cell not in why:
            raise TacitError(
                f"the cell {table.name(cell)} is marked unsafe without a level, and no rule gives it one",
                code="missing_parameter",
                fix="Mark('unsafe', level=15) asks for 15 % of the figure",
            )
        why[cell] = "; ".join(filter(None, [why.get(cell, ""), "marked by hand" * (mark.status is not None)]))
    return Levels(unsafe=status == Status.UNSAFE, **room)


def _positive_costs(price: np.ndarray, status: np.ndarray) -> np.ndarray:
    """Costs where no cell that may be suppressed is free: free cells would all be suppressed without a reason."""
    least = price[price > 0].min(initial=np.inf)
    free = (status == Status.SAFE) & (price <= 0)
    return np.where(free, least if np.isfinite(least) else 1.0, price)


def _reachable_levels(
    table: Table, levels: Levels, *, low: np.ndarray, high: np.ndarray, why: dict[int, str]
) -> np.ndarray:
    """The levels below, cut where a figure cannot be negative; an error where known bounds rule a level out."""
    lower = levels.lower.copy()
    if no_negatives(table):
        cut = np.flatnonzero(levels.unsafe & (lower > table.values))
        lower[cut] = table.values[cut]
        for cell in cut:
            why[int(cell)] += "; the level below is cut at 0"
    met = (
        is_level_reached(table.values - low, lower)
        & is_level_reached(high - table.values, levels.upper)
        & is_level_reached(high - low, levels.sliding)
    )
    never = np.flatnonzero(levels.unsafe & ~met)
    if len(never):
        raise TacitError(
            f"{len(never)} of {int(levels.unsafe.sum())} unsafe cells cannot be protected, first {table.name(never[0])}: "
            "the bounds that everybody knows are narrower than its levels",
            code="cannot_be_met",
            fix="give wider bounds, or lower the levels by another rule or a mark",
        )
    return lower
