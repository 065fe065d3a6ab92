"""The lowest and highest values that masked columns may get: checked before, cut off by the method, counted after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import narwhals as nw

from ..errors import TacitError, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..release.engines.table import few_rows
from ..release.trace import Finding
from ._checks import refuse_rows
from ._numbers import bound_as_number, masked_dtypes
from .parameters import is_number

if TYPE_CHECKING:
    from ..release.release import Release


Bounds = Mapping[str, tuple[float | str | None, float | str | None]]


def checked_bounds(
    given: object, columns: Sequence[str]
) -> FrozenDict[str, tuple[float | str | None, float | str | None]]:
    """The lowest and highest value that a column may get: ``{"age": [0, 120], "pay": [0, None], "rent": {"low": 0}}``."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"bounds={format_value(given)} are not given by column",
            code="missing_parameter",
            parameter="bounds",
            fix="e.g. bounds={'age': [0, 120]}",
        )
    found: dict[str, tuple[float | str | None, float | str | None]] = {}
    for column, said in given.items():
        pair = pair_of(said)
        if column not in columns:
            raise TacitError(
                "has bounds and is not masked",
                code="column_not_chosen",
                column=str(column),
                fix=f"name it among the columns, or {suggest_alternative(str(column), columns)}",
            )
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(_is_bound(one) for one in pair):
            raise TacitError(
                f"is bounded by {format_value(said)}",
                code="unsuitable_column",
                column=str(column),
                fix="give the lowest and the highest value: [0, 120]; one of them: {low = 0} in a plan, [0, None] in Python; dates as 'YYYY-MM-DD'",
            )
        low, high = (one.isoformat() if isinstance(one, date) else one for one in pair)
        if low is not None and high is not None and (isinstance(low, str) != isinstance(high, str) or not low < high):
            raise TacitError(
                f"has the bounds {format_value(low)} and {format_value(high)}, of which the first is not the lower",
                code="wrong_type",
                column=str(column),
                fix="swap the two",
            )
        found[str(column)] = (low, high)
    return FrozenDict(found)


def check_bounds(release: Release, bounds: Bounds) -> None:
    """Refuse bounds that values lie beyond: the cut would change what nobody asked to change. O(n) on every engine."""
    for column, rows in _rows_beyond(release, bounds, inside=False).items():
        refuse_rows(
            release,
            column,
            rows,
            code="out_of_range",
            what="has {count} value{s} beyond its bounds",
            fix="widen the bounds, or code the values there first with top_bottom_code",
        )


def at_bounds(release: Release, bounds: Bounds) -> dict[str, Finding]:
    """How many values of a column lie at a bound after masking, for the trace; nothing without bounds."""
    counts = {
        column: int(few_rows(release.scan().filter(rows).select(nw.len()))[0][0])
        for column, rows in _rows_beyond(release, bounds, inside=True).items()
    }
    return {"at_bounds": Finding(counts, publishable=True, counts=True)} if counts else {}


def _rows_beyond(release: Release, bounds: Bounds, *, inside: bool) -> dict[str, nw.Expr]:
    """Which rows of each column lie beyond its bounds, or at them or beyond."""
    schema = release.scan().collect_schema()
    found = {}
    for column, ends in bounds.items():
        kinds = masked_dtypes(release, [column])
        value, dtype = nw.col(column), schema[column]
        low, high = (_bound_as_value(bound_as_number(end, column, kinds[column]), dtype) for end in ends)
        rows = [] if low is None else [value <= nw.lit(low) if inside else value < nw.lit(low)]
        rows += [] if high is None else [value >= nw.lit(high) if inside else value > nw.lit(high)]
        if rows:
            found[column] = nw.any_horizontal(*rows, ignore_nulls=True)
    return found


def _bound_as_value(number: float | None, dtype: Any) -> Any:
    """A bound as a value of the column: days or seconds since 1970 as dates."""
    if number is None or dtype.is_numeric():
        return number
    start = datetime(1970, 1, 1, tzinfo=UTC)
    if dtype == nw.Date:
        return (start + timedelta(days=number)).date()
    moment = start + timedelta(seconds=number)
    return moment if dtype.time_zone else moment.replace(tzinfo=None)


def pair_of(said: object) -> object:
    """Bounds by name as a pair: plans have no word for None."""
    if isinstance(said, Mapping) and said and set(said) <= {"low", "high"}:
        return said.get("low"), said.get("high")
    return said


def _is_bound(one: object) -> bool:
    return one is None or is_number(one) or isinstance(one, date | str)
