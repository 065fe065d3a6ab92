"""Rare values: categories and extremes of the original that few people hold and that a released file shows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int
from ..registry import Tags, describe
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from .numeric_pairs import TECHNICAL, Columns

FAR = 2.0
"""A value is extreme when it lies at least so many times as far from the median as the next one that more people reach."""
AMOUNTS = ("continuous", "date", "ordinal")


@describe(
    tags=Tags(about="identity", kind="measure"),
    needs=("original",),
)
def rare_values(
    release: Release | Masked,
    *,
    original: Release | Masked | None = None,
    lineage: np.ndarray | None = None,  # noqa: ARG001 - whose records are whose does not matter: a value shows that somebody has it
    fewest: int = 5,
    columns: Columns = None,
) -> Result:
    r"""How many values of the original that fewer than ``fewest`` people hold are to be seen in the released file.

    Two sorts of values tell of single people whatever else was masked:

    - a *category* that fewer than ``fewest`` records of the original have, and the release shows. A synthetic file shows it only if
      one of them was learnt from, so that it tells who was in the data;
    - an *extreme*: fewer than ``fewest`` records lie at the end of a column of numbers or dates, at least twice as far from the
      median as the next value, and the release has a value beyond the middle of that gap. With :math:`x_{(1)} \ge x_{(2)} \ge \dots`
      and the median m, the j highest are extreme when :math:`x_{(j)} - m \ge 2\,(x_{(j+1)} - m)`, j < ``fewest``, and the next value
      :math:`x_{(j+1)}` is no lower than the upper quartile: in a file of ten records the fourth value is no extreme.

    ``value`` is the number of such categories and ends over all columns (those named; else all but identifiers, households and
    weights); the facts give them by column. No value is shown. Whoever is not extreme by this rule may still be alone in a
    combination of columns, and lone values in the midst of a column are not looked at. Households count once.

    Identity and membership disclosure, measured. O(n log n) per column.

    >>> file = Release(pl.DataFrame({"job": ["clerk"] * 9 + ["astronaut"], "pay": [20, 21, 22, 23, 24, 25, 26, 27, 28, 987]}))
    >>> print(rare_values(file, original=file))
    rare values shown     2
    categories by column  job 1
    extremes by column    pay 1
    fewest                5
    """
    if original is None:
        raise TacitError(
            "rare values are those of the original, and there is none",
            code="wrong_type",
            fix="give it: original=…; of a file by itself: original=the same release",
        )
    check_int("fewest", fewest, least=2)
    masked, before = release_of(release), release_of(original)
    both = [column for column in before.columns if column in masked.columns]
    wanted = (
        [column for column in both if before.roles[column] not in TECHNICAL]
        if columns is None
        else check_columns(columns, both)
    )
    units = _household_units(before)
    categories, extremes = {}, {}
    for column in wanted:
        theirs, mine = masked.series(column), before.series(column)
        if _is_amount(before, column):
            if (theirs.dtype.is_numeric() and mine.dtype.is_numeric()) or (
                theirs.dtype.is_temporal() and mine.dtype.is_temporal()
            ):
                extremes[column] = _count_extremes(theirs, mine, units, fewest)
        else:
            categories[column] = _count_rare_categories(theirs, mine, units, fewest)
    return Result(
        name="rare values shown",
        value=float(sum(categories.values()) + sum(extremes.values())),
        worse="high",
        about="identity",
        facts={
            "categories by column": _nonzero_counts(categories),
            "extremes by column": _nonzero_counts(extremes),
            "fewest": fewest,
        },
    )


def _nonzero_counts(counts: Mapping[str, int]) -> dict[str, int]:
    return {column: count for column, count in counts.items() if count}


def _is_amount(release: Release, column: str) -> bool:
    dtype = release.series(column).dtype
    return release.kinds.get(column, "ordinal") in AMOUNTS and (dtype.is_numeric() or dtype.is_temporal())


def _household_units(release: Release) -> np.ndarray:
    """The household of every record, itself where there are none."""
    if release.household is None:
        return np.arange(release.size)
    return release.series(release.household).rank("dense").fill_null(0).to_numpy()


def _count_rare_categories(theirs: pl.Series, mine: pl.Series, units: np.ndarray, fewest: int) -> int:
    held = pl.DataFrame({"value": mine.cast(pl.String), "unit": units}).drop_nulls("value")
    rare = held.group_by("value").agg(pl.col("unit").n_unique()).filter(pl.col("unit") < fewest)["value"]
    return int(rare.is_in(theirs.cast(pl.String).drop_nulls().unique().implode()).sum())


def _count_extremes(theirs: pl.Series, mine: pl.Series, units: np.ndarray, fewest: int) -> int:
    known = mine.is_not_null().to_numpy()
    numbers = mine.to_physical().cast(pl.Float64).to_numpy()[known]
    shown = theirs.cast(mine.dtype).to_physical().cast(pl.Float64).drop_nulls().to_numpy()
    if len(numbers) <= fewest or not len(shown):
        return 0
    middle, found = float(np.median(numbers)), 0
    for sign in (1.0, -1.0):
        above = sign * (numbers - middle)
        edge = _widest_gap(above, units[known], fewest, quartile=max(0.0, float(np.quantile(above, 0.75))))
        found += edge is not None and bool((sign * (shown - middle) > edge).any())
    return found


def _widest_gap(above: np.ndarray, units: np.ndarray, fewest: int, *, quartile: float) -> float | None:
    """The middle of the widest gap below the highest values of fewer than ``fewest`` units; None where none is wide."""
    order = np.argsort(-above, kind="stable")
    ranked, seen, best = above[order], set(), None
    for place in range(len(ranked) - 1):
        seen.add(int(units[order[place]]))
        if len(seen) >= fewest or ranked[place] <= 0:
            break
        here, next_one = float(ranked[place]), max(0.0, float(ranked[place + 1]))
        if next_one < quartile:
            break
        if here >= FAR * next_one and here > next_one:
            best = (here + next_one) / 2
    return best
