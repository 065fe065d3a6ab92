"""Cut points taken from the data that tell nothing of a single record: round numbers near a quantile."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw

from ..errors import TacitError
from ..release.engines.table import few_rows
from ..release.trace import FEWEST

if TYPE_CHECKING:
    from ..release.release import Release


RECORDS = 2
"""On each side of the quantile at least so many records lie where the round number is looked for."""
EXACT = 2.0**53
"""Whole numbers beyond are written as floating-point numbers, which they are."""
SLACK = 0.05
"""On either side an interval may have so much more or less than its share, for the sake of round bounds."""


def cut_points(
    release: Release, column: str, shares: Sequence[float], slack: float, *, down: bool = False
) -> list[Any]:
    """A round number (or date) near each quantile: with ``slack`` of the records more or fewer below it.

    The quantile of a share lies at a record or between two; what is given instead is the roundest number between the
    quantiles of share − slack and share + slack. Where no whole number lies between, it is the next one up, or
    ``down``. One aggregate, O(n) time, on every engine (dates: where it can rank them).
    """
    kind = release.types[column]
    remedy = "name the values at which it is to be cut"
    if kind not in ("integer", "number", "date"):
        raise TacitError(f"holds {kind}, which has no quantiles", code="wrong_kind", column=column, fix=remedy)
    if kind == "date":
        release.capabilities.require("can_rank_dates", "cannot be cut at quantiles", column=column, instead=remedy)
    known = few_rows(release.scan().select((~nw.col(column).is_null()).cast(nw.Int64).sum()))[0][0] or 0
    if not known:
        raise TacitError("has no values", code="missing_values", column=column, fix="leave it as it is")
    wide = max(slack, RECORDS / int(known))
    ends = [min(1.0, max(0.0, share + side)) for share in shares for side in (-wide, wide)]
    found = few_rows(
        release.scan().select(
            *(nw.col(column).quantile(end, interpolation="linear").alias(str(i)) for i, end in enumerate(ends))
        )
    )[0]
    pairs = list(zip(found[::2], found[1::2], strict=True))
    if kind == "date":
        return [round_date(_as_date(low), _as_date(high)) for low, high in pairs]
    if any(abs(end) == float("inf") for pair in pairs for end in pair):
        raise TacitError("has infinite values", code="not_finite", column=column, fix="correct or remove them first")
    if kind == "number":
        return [round_number(float(low), float(high)) for low, high in pairs]
    return [round_number(float(low), float(high), whole="down" if down else "up") for low, high in pairs]


def quantile_breaks(release: Release, column: str, quantiles: int) -> list[float]:
    """Round numbers that cut a column into intervals of about equal counts, ten records in each at least.

    Many equal values make fewer intervals than were asked for. Two aggregates, O(n · quantiles) time, on every engine.
    """
    known = few_rows(release.scan().select((~nw.col(column).is_null()).cast(nw.Int64).sum()))[0][0] or 0
    if 0 < known < quantiles * FEWEST:
        raise TacitError(
            f"has {known} values, fewer than {FEWEST} for each of {quantiles} intervals",
            code="too_few_records",
            column=column,
            fix=f"use quantiles={max(2, known // FEWEST)} or fewer",
        )
    shares = [place / quantiles for place in range(1, quantiles)]
    breaks = sorted(set(cut_points(release, column, shares, SLACK / quantiles)))
    part = nw.lit(0)
    for point in breaks:
        part = part + (nw.col(column) >= point).cast(nw.Int64)
    known = release.scan().filter(~nw.col(column).is_null()).select(part.alias("part"))
    sizes = {int(place): int(size) for place, size in few_rows(known.group_by("part").agg(nw.len().alias("records")))}
    # An interval that nobody is in would only tell where the smallest or the largest value lies.
    breaks = [point for place, point in enumerate(breaks) if place in sizes and max(sizes) > place]
    if min(sizes.values()) < FEWEST or len(sizes) == 1:
        raise TacitError(
            f"has an interval with fewer than {FEWEST} records, or one interval for all",
            code="too_few_records",
            column=column,
            fix="use fewer quantiles, or give breaks",
        )
    return breaks


def round_number(low: float, high: float, *, whole: Literal["up", "down"] | None = None) -> float:
    """The number with the fewest digits between two others, of several the nearest to their middle.

    ``whole`` asks for a whole number: the next one up or down where there is none between.

    >>> round_number(60_731.2, 63_977.0), round_number(0.0131, 0.0139), round_number(17.2, 17.8, whole="up")
    (62000, 0.0135, 18)
    """
    middle = low / 2 + high / 2
    size = max(abs(low), abs(high))
    finest = 0 if whole else -18
    for power in range(floor(log10(size)) + 1 if size else 0, finest - 1, -1):
        for step in (10.0**power, 5 * 10.0 ** (power - 1)):
            found = round(round(middle / step) * step, max(0, 1 - power))
            if low <= found <= high and (found.is_integer() or not whole):
                return int(found) if found.is_integer() and abs(found) < EXACT else found
    if whole:
        return ceil(high) if whole == "up" else floor(low)
    return middle


def round_date(low: date, high: date) -> date:
    """The first day of a decade, year or month between two days, or a day in their middle.

    >>> round_date(date(1927, 4, 9), date(1932, 1, 1)), round_date(date(1927, 4, 9), date(1927, 6, 30))
    (datetime.date(1930, 1, 1), datetime.date(1927, 6, 1))
    """
    decade = date(high.year - high.year % 10 or 1, 1, 1)
    for found in (decade, date(high.year, 1, 1), high.replace(day=1)):
        if low <= found <= high:
            return found
    return date.fromordinal((low.toordinal() + high.toordinal()) // 2)


def _as_date(moment: Any) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
