"""Averaged columns of both files as numbers, and by how much a released value may differ from the mean it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ...release.codes import encode_column
from .._columns import ColumnPair
from .scales import as_is, numeric_pair

if TYPE_CHECKING:
    from ...release.release import Release


PRECISE = 1e-11
"""By so much of the largest number sums of floating-point numbers may be off …"""
SINGLE = 1e-6
"""… and where the release keeps single precision."""


@dataclass(frozen=True, slots=True, eq=False)
class AveragedColumn:
    """A column as numbers, NaN where missing: released values, the intruder's, and what is known of their difference.

    ``error`` is what arithmetic may have changed, ``rounding`` that and what the type of the column takes away (half a
    whole number). ``mean`` says that the released values are means, not medians or modes.
    """

    name: str
    release: np.ndarray
    intruder: np.ndarray
    error: float
    rounding: float
    mean: bool


def average_column(release: Release, file: Release, column: str, *, aggregate: str | None) -> AveragedColumn | None:
    """The column in both files; None where its values have no order, or not the same in both.

    ``aggregate`` is what groups show; None: what fits the kind, the mean of amounts and the median of ordinal values.
    """
    kind = release.select(column).kinds.get(column, "continuous")
    theirs, mine = release.series(column), file.series(column)
    if kind == "ordinal" and theirs.dtype == mine.dtype == pl.String and as_is(release, file, column):
        both = encode_column(pl.concat([theirs, mine]))
        numbers = np.where(both.codes == len(both.dictionary), np.nan, both.codes.astype(float))
        return AveragedColumn(
            column, numbers[: len(theirs)], numbers[len(theirs) :], error=0.0, rounding=0.0, mean=False
        )
    pair = numeric_pair(release, file, column)
    if kind not in ("continuous", "ordinal", "date") or pair is None:
        return None
    largest = max(float(np.fmax.reduce(np.abs(side), initial=0.0)) for side in (pair.theirs, pair.mine))
    error = (SINGLE if theirs.dtype == pl.Float32 else PRECISE) * largest
    half = 1e-6 if isinstance(theirs.dtype, pl.Datetime) else pair.rounding_error
    mean = aggregate == "mean" or (aggregate is None and kind != "ordinal")
    return AveragedColumn(column, pair.theirs, pair.mine, error=error, rounding=error + half, mean=mean)


WEIGHT = 6.0
"""1/(2σ²) of a value that lies evenly about its centre, in steps from centre to centre: σ² = 1/12."""


class CentreRuns(NamedTuple):
    """The centres of a column in order: ``of`` each released record (−1: missing), from ``low`` to ``high``, shown by ``records``.

    Centres that differ by no more than arithmetic are one.
    """

    of: np.ndarray
    low: np.ndarray
    high: np.ndarray
    records: np.ndarray


def centre_runs(column: AveragedColumn) -> CentreRuns:
    """The centres that the release shows; O(n log n) time."""
    known = ~np.isnan(column.release)
    values = np.unique(column.release[known])
    first = np.flatnonzero(np.append(True, np.diff(values) > column.error)[: len(values)])
    last = np.append(first[1:], len(values)) - 1
    of = np.full(len(column.release), -1, dtype=np.int64)
    of[known] = np.searchsorted(values[first], column.release[known], side="right") - 1
    return CentreRuns(of, values[first], values[last[: len(first)]], np.bincount(of[known], minlength=len(first)))


def in_runs(column: AveragedColumn, *, everybody: bool) -> tuple[ColumnPair | None, str]:
    r"""The column with the centres that each known value may have become, and a note ("" when all was used).

    Groups of one column that no other group reaches into are runs of the sorted values, and their means, medians and
    modes :math:`c_1 < c_2 < \dots` lie within them. So a value x of group g has

    .. math:: c_{g-1} \le x \le c_{g+1},

    because all of group g−1 is at most x and all of group g+1 at least x: a value between two centres belongs to one
    of the two, whoever else is in the release, and whatever records were left out of it later. Rounding keeps the order.

    With ``everybody`` the intruder has the values of exactly the people released. Then sorted values and the counts of
    the centres tell the group of every rank, and only equal values that two groups share remain open (both are
    possible). The means of the runs found must be the centres; if one is not, the values or the trace are wrong, nothing
    is bounded, and the note says so.

    The scale is the number of the centre, on which x stands between those beside it in proportion to its distances:
    what counts as near depends on how close the groups are there. O(n log n) time, O(n) memory.

    References
    ----------
    Nin, Herranz and Torra (2008), On the disclosure risk of multivariate microaggregation, Data & Knowledge Engineering
    67, 399–412.
    """
    found = centre_runs(column)
    if len(found.low) < 2:
        return None, ""
    low, high = _enclosing_centres(column, found)
    note = ""
    if everybody:
        ranked = _rank_centres(column, found)
        if ranked is None:
            note = f"{column.name}: the intruder's values do not have the published means, so nothing bounds them"
            low, high = np.zeros(len(low)), np.full(len(high), len(found.low) - 1.0)
        else:
            low, high = ranked
    return _on_centre_scale(column, found, low, high), note


def _enclosing_centres(column: AveragedColumn, found: CentreRuns) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last centre whose neighbours enclose each value."""
    last = len(found.low) - 1
    low = np.searchsorted(found.high + column.error, column.intruder) - 1
    high = np.searchsorted(found.low - column.error, column.intruder, side="right")
    return np.clip(low, 0, last).astype(float), np.clip(high, 0, last).astype(float)


def _rank_centres(column: AveragedColumn, found: CentreRuns) -> tuple[np.ndarray, np.ndarray] | None:
    """The first and the last centre of the ranks that each value may have; None when they contradict the centres."""
    mine = np.sort(column.intruder[~np.isnan(column.intruder)])
    if len(mine) != int(found.records.sum()):
        return None
    end = np.cumsum(found.records)
    begin = end - found.records
    if column.mean:
        sums = np.add.reduceat(mine - mine[0], begin)
        means = mine[0] + sums / found.records
        right = (means >= found.low - column.rounding) & (means <= found.high + column.rounding)
    else:
        right = (mine[begin] - column.rounding <= found.low) & (mine[end - 1] + column.rounding >= found.high)
    if not right.all():
        return None
    first = np.searchsorted(mine, column.intruder - column.error)
    last = np.searchsorted(mine, column.intruder + column.error, side="right") - 1
    at = np.repeat(np.arange(len(end)), found.records).astype(float)
    most = len(mine) - 1
    return at[np.clip(first, 0, most)], at[np.clip(last, 0, most)]


def _on_centre_scale(column: AveragedColumn, found: CentreRuns, low: np.ndarray, high: np.ndarray) -> ColumnPair:
    """The column on the scale of its centres; a missing cell costs as much as a random record does not tell."""
    centres = len(found.low)
    released = np.where(found.of < 0, np.nan, found.of)
    place = np.interp(column.intruder, (found.low + found.high) / 2, np.arange(centres, dtype=float))
    missing = np.isnan(column.intruder)
    usual = 2.0 * float(np.nanvar(released))
    neutral = max(0.0, float(np.log(centres * np.sqrt(WEIGHT / np.pi))))
    return ColumnPair(
        released,
        np.where(missing, np.nan, np.clip(place, low, high)),
        kind="number",
        usual=usual,
        share=neutral / (WEIGHT * usual),
        weight=WEIGHT,
        low=np.where(missing, -np.inf, low),
        high=np.where(missing, np.inf, high),
    )
