"""One number for a measure of loss, between 0 and 1, so that losses of several measures can be weighed."""

from __future__ import annotations

from collections.abc import Collection
from statistics import fmean

from ..result import Result, Results


def headline(found: Result | Results, *, columns: Collection[str] = (), apart: Collection[str] = ()) -> float:
    """The loss as one number: 0, nothing is lost, to 1, nothing is left of what the measure looks at.

    A measure may give results under several names (mean shift, variance change, correlations): the mean over them. Of
    each name the result for all columns counts, or else the mean over the columns. A count counts by its share of the
    records (the fact ``share``). What lies above 1, such as a squared error larger than the spread itself, counts as 1.
    ``columns`` are those that the measure is expected to speak of: one that it can no longer compare, because the masking
    dropped it or turned its numbers into labels, counts as 1; without them such a column would make a release look better.
    Columns ``apart`` are measured elsewhere, and left out here where the measure tells its columns one by one.

    >>> from tacit.result import Result
    >>> parts = [("mean shift", "pay", 0.2), ("mean shift", "age", 3.0), ("correlations", None, 0.4)]
    >>> headline(Results(tuple(Result(name=n, column=c, value=v, worse="high", about="utility") for n, c, v in parts)))
    0.5
    """
    parts = found if isinstance(found, Results) else (found,)
    expected = [column for column in columns if column not in apart]
    spoken_of = {part.column for part in parts} - {*apart}
    lost = sum(column not in spoken_of for column in expected)
    names = dict.fromkeys(part.name for part in parts)
    each = [_mean_of_parts([part for part in parts if part.name == name], apart) for name in names]
    known = [value for value in each if value is not None]
    left = fmean(known) if known else 0.0
    return left if not lost else (left * (len(expected) - lost) + lost) / len(expected)


def _mean_of_parts(parts: list[Result], apart: Collection[str]) -> float | None:
    """The figure for all columns, or the mean over them; over those that are left where some stand apart."""
    single = [part for part in parts if part.column is not None]
    kept = [part for part in single if part.column not in apart]
    whole = [part for part in parts if part.column is None] if len(kept) == len(single) else []
    counted = whole or kept
    return fmean(_bounded_value(part) for part in counted) if counted else None


def _bounded_value(part: Result) -> float:
    share = part.facts.get("share")
    value = float(share) if isinstance(share, int | float) else float(part.value)
    return min(1.0, max(0.0, value))
