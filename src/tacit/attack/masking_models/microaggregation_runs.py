"""Groups of one column: runs of its sorted values, so that published centres enclose what was theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..column_pair import ColumnPair

if TYPE_CHECKING:
    from .microaggregation_columns import AveragedColumn


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
