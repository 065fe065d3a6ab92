"""Microaggregation that was told: which centres a known record can have become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ...release.codes import encode_column
from ...release.step_effects import adds_records, drops_records, published_outcome
from .._columns import ColumnPair
from .knowledge import MaskingKnowledge, number_for, step_parameter
from .microaggregation_members import Means, Members, find_members, repeat_grouping
from .scales import as_is, numeric_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


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


NEAREST = 8


"""Fuzzy microaggregation draws one of so many nearest centres."""


CELLS = 1 << 22


"""Up to so many pairs of record and centre have a table of chances."""


SMALL = 1e-9


"""Least deviation within groups, in standard deviations."""


MOST_SURE = 25.0


"""What a wrong group costs at most."""


def microaggregation_model(
    step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario
) -> MaskingKnowledge:
    """Columns that show means of groups, compared by one who was told so (mdav, v_mdav, microaggregate).

    Each grouping is attacked on its own, and it is together that they find people.

    - **One column**: groups are runs of the sorted values, so that a known value lies between the centres beside its
      own; an intruder with everybody's values knows the group of every rank (:func:`.microaggregation_runs.in_runs`).
    - **Several columns**: distances to the centres, scaled by how near records are to them; an intruder with
      everybody's values makes the groups of MDAV and V-MDAV again, and finds those of other methods as the sets of
      records that have the published means (:func:`.microaggregation_groups.in_groups`).
    - **Centres drawn by lot** (``randomised``): the chances of the eight nearest centres, and no more
      (:func:`.microaggregation_lots.by_lot`).

    All bounds hold when the intruder's values are right. With strata, by V-MDAV (whose last records go where
    there is room), and when records were invented later, groups of one column need not be runs and are treated like
    those of several. O(n log n) time for single columns; for others see there.
    """
    told_of = _PublishedStep.of(step, release, scenario)
    used: list[str] = []
    compared: list[ColumnPair] = []
    notes: list[str] = []
    for grouping in told_of.groupings(columns):
        pairs = [(column, told_of.averaged_column(column)) for column in grouping if column in columns]
        known = [one for _, one in pairs if one is not None]
        if not known:
            continue
        made, said = told_of.compare_grouping(known, whole=len(known) == len(grouping))
        used += [one.name for one in known]
        compared += made
        notes += said
    return MaskingKnowledge(
        columns=tuple(used), compared=tuple(compared), certain=True, notes=tuple(dict.fromkeys(notes))
    )


@dataclass(frozen=True, slots=True, eq=False)
class _PublishedStep:
    """What the step says, read once."""

    step: Trace
    release: Release
    scenario: Scenario
    aggregate: Mapping[str, str]
    shared: tuple[str, ...]
    added: bool
    everybody: bool

    @staticmethod
    def of(step: Trace, release: Release, scenario: Scenario) -> _PublishedStep:
        aggregate = step_parameter(step, "aggregate", {})
        shared = published_outcome(step, "by_household", ())
        added = adds_records(scenario.told)
        same = release.size == scenario.file.size and not added and not drops_records(scenario.told)
        return _PublishedStep(
            step,
            release,
            scenario,
            aggregate if isinstance(aggregate, Mapping) else {},
            tuple(shared) if isinstance(shared, list | tuple) else (),
            added=added,
            everybody=scenario.inside and scenario.covers and same,
        )

    def groupings(self, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Which columns were grouped together: as published, else as the parameters say."""
        given = published_outcome(self.step, "grouping")
        if given is None:
            given = step_parameter(self.step, "groups", "together")
            listed = _column_names(step_parameter(self.step, "columns", columns))
            given = [listed] if given == "together" else [[one] for one in listed] if given == "each" else given
            given = [
                [c for c in g if (c in self.shared) == side]
                for g in map(_column_names, given)
                for side in (False, True)
            ]
        totals = step_parameter(self.step, "totals", {})
        return [part for group in given if (part := tuple(one for one in _column_names(group) if one not in totals))]

    def averaged_column(self, column: str) -> AveragedColumn | None:
        """The column in both files; means over households are not those of the records, so they count as no means."""
        means = self.step.model in ("mdav", "v_mdav")
        aggregate = "mean" if means else self.aggregate.get(column)
        found = average_column(
            self.release, self.scenario.file, column, aggregate="median" if column in self.shared else aggregate
        )
        return None if found is None or np.isnan(found.release).all() else found

    def compare_grouping(self, columns: list[AveragedColumn], *, whole: bool) -> tuple[list[ColumnPair], list[str]]:
        """The columns of one grouping; ``whole`` when these are all that it has."""
        names = ", ".join(one.name for one in columns)
        given = step_parameter(self.step, "weights", {})
        weights = tuple(max(number_for(given, one.name) or 1.0, 1e-9) for one in columns)
        fuzzifier = number_for(step_parameter(self.step, "randomised"), "")
        if fuzzifier is not None:
            return self._by_lot(columns, weights, fuzzifier, whole=whole)
        if whole and len(columns) == 1 and self._in_runs():
            made, note = in_runs(columns[0], everybody=self.everybody)
            return [made] if made is not None else [], [note] if note else []
        found = scatter_comparison(columns, weights)
        if not self.scenario.covers:
            return found, [f"{names}: groups are not sought, because the intruder may not have all their members"]
        group, said = in_groups(columns, everybody=self.everybody, again=self._regroup_params(whole))
        return [*found, *([group] if group is not None else [])], [f"{names}: {note}" for note in said]

    def _by_lot(
        self, columns: list[AveragedColumn], weights: tuple[float, ...], fuzzifier: float, *, whole: bool
    ) -> tuple[list[ColumnPair], list[str]]:
        """The chances of the centres; the eight nearest are known where distances are as the method had them."""
        full = not any(np.isnan(side).any() for one in columns for side in (one.release, one.intruder))
        exact = whole and self._one_range() and all(one.mean for one in columns)
        exact = exact and (len(columns) == 1 or (self.everybody and full))
        made = by_lot(columns, weights=weights, fuzzifier=max(fuzzifier, 1 + 1e-9), exact=exact)
        found = scatter_comparison(columns, weights, fuzzifier=fuzzifier) if made is None else [made]
        return found, ["centres were drawn by lot, so that only the chances of each are known"]

    def _in_runs(self) -> bool:
        """Whether no group of one column reaches into another; V-MDAV puts the last records where there is room."""
        return self._one_range() and self.step.model != "v_mdav"

    def _one_range(self) -> bool:
        """Whether all released records were grouped together, not by strata, and none was invented later."""
        return not self.added and not step_parameter(self.step, "strata")

    def _regroup_params(self, whole: bool) -> RegroupParams | None:
        k, gamma = (number_for(step_parameter(self.step, name), "") for name in ("k", "gamma"))
        model = self.step.model
        if not whole or self.shared or k is None or k < 2 or k != int(k):
            return None
        if model == "mdav" or (model == "v_mdav" and gamma is not None and gamma >= 0):
            return RegroupParams(model, int(k), gamma or 0.0, step_parameter(self.step, "standardise") is not False)
        return None


def _column_names(given: object) -> list[str]:
    if isinstance(given, str):
        return [given]
    return [str(one) for one in given] if isinstance(given, list | tuple) else []


def by_lot(
    columns: Sequence[AveragedColumn], *, weights: Sequence[float], fuzzifier: float, exact: bool
) -> ColumnPair | None:
    r"""The chances of the centres for each known record, where centres were drawn (fuzzy microaggregation).

    A record x draws one of the eight nearest centres with the chance :math:`u_c \propto d(x, c)^{-2/(m-1)}`, d being the
    distance on columns divided by their standard deviations, times weights. Centres that too few drew are given up, and
    their records draw again among those left. So the centre of a record is one of the eight nearest of those that are left
    in the end: of all that are nearer, at most seven were there when it was drawn. With ``exact``, when the intruder knows
    the standard deviations, others are impossible; else only as unlikely as they are far. Costs are
    :math:`-\log (u_c / q_c)`, with the share q of the records that show c.

    None when nothing is told apart, or for more than four million pairs of record and centre: that is what a table
    takes, in time and memory.

    References
    ----------
    Torra (2017), Fuzzy microaggregation for the transparency principle, Journal of Applied Logic 23, 70–80.
    """
    released, mine = (np.column_stack([getattr(one, side) for one in columns]) for side in ("release", "intruder"))
    there, has = (~np.isnan(side).any(axis=1) for side in (released, mine))
    centres, shown, count = np.unique(released[there], axis=0, return_inverse=True, return_counts=True)
    values, at = np.unique(mine[has], axis=0, return_inverse=True)
    if len(centres) < 2 or not 0 < len(values) * len(centres) <= CELLS:
        return None
    spread = mine[has].std(axis=0) if exact else released[there].std(axis=0)
    scale = np.where(spread > 0, spread, 1.0) / np.sqrt(weights)
    blurred = float(np.sqrt(np.square([one.rounding for one in columns] / scale).sum()))
    chance = _log_memberships(
        _centre_distances(values / scale, centres / scale), fuzzifier, blurred=blurred, exact=exact
    )
    table = np.log(count / count.sum()) - chance
    theirs, own = np.full(len(released), np.nan), np.full(len(mine), np.nan)
    theirs[there], own[has] = shown.ravel(), at.ravel()
    # A missing cell tells nothing: it is as likely for everybody, and costs 0.
    return ColumnPair(theirs, own, kind="table", usual=1.0, share=0.0, weight=1.0, table=table)


def _centre_distances(values: np.ndarray, centres: np.ndarray) -> np.ndarray:
    squares = np.zeros((len(values), len(centres)))
    for own, theirs in zip(values.T, centres.T, strict=True):
        squares += np.square(own[:, None] - theirs)
    found: np.ndarray = np.sqrt(squares)
    return found


def _log_memberships(apart: np.ndarray, fuzzifier: float, *, blurred: float, exact: bool) -> np.ndarray:
    """The logarithms of the memberships; distances are known up to ``blurred``, by rounding."""
    power = -2.0 / (fuzzifier - 1) * np.log(np.maximum(apart, max(blurred, 1e-150)))
    if exact and apart.shape[1] > NEAREST:
        eighth = np.partition(apart, NEAREST - 1, axis=1)[:, NEAREST - 1]
        power[apart > eighth[:, None] + 2 * blurred] = -np.inf
    power -= power.max(axis=1, keepdims=True)
    found: np.ndarray = power - np.log(np.exp(power).sum(axis=1, keepdims=True))
    return found


class RegroupParams(NamedTuple):
    """What it takes to group the records again: the method and its parameters."""

    method: str
    k: int
    gamma: float
    standardise: bool


def scatter_comparison(
    columns: Sequence[AveragedColumn], weights: Sequence[float], *, fuzzifier: float | None = None
) -> list[ColumnPair]:
    r"""The columns of one grouping, so that differences cost what they would if records scatter normally about centres.

    .. math:: -\log \frac{f(x \mid c)}{f(x)} = \sum_j \frac{w_j (x_j - c_j)^2}{2 \sigma^2 s_j^2} + const,

    with the standard deviations s of the release, and the deviation σ within groups, the same in all columns because
    groups are made so. σ is estimated from the distances of the intruder's records to their nearest centres; for
    fuzzy microaggregation from the eight nearest, as likely as they are drawn. O(n log n) time in few columns.
    """
    released = np.column_stack([one.release for one in columns])
    mine = np.column_stack([one.intruder for one in columns])
    with np.errstate(invalid="ignore"):
        spread = np.nanstd(released, axis=0)
    spread = np.where(spread > 0, spread, 1.0) / np.sqrt(weights)
    released, mine = released / spread, mine / spread
    within = max(SMALL, _within_variances(released, mine, fuzzifier))
    found = []
    for theirs, own in zip(released.T, mine.T, strict=True):
        usual = 2.0 * float(np.nanvar(theirs))
        if usual == 0:
            continue
        weight = 0.5 / within
        neutral = 0.5 + max(0.0, 0.5 * float(np.log(usual / 2 / within)))
        share = neutral / (weight * usual)
        found.append(ColumnPair(theirs, own, kind="number", usual=usual, share=share, weight=weight))
    return found


def in_groups(
    columns: Sequence[AveragedColumn], *, everybody: bool, again: RegroupParams | None
) -> tuple[ColumnPair | None, tuple[str, ...]]:
    """The number of the group as a dimension of its own, for those whose group is found; None when nobody's is.

    Released records that show the same means in all ``columns`` are one group. Groups are found by making them again
    (``again``; needs all columns of the grouping and ``everybody``), else by the means (:func:`find_members`). Where the
    group is proven, it is a bound; where it is only very likely, another one costs as much as that is unlikely.
    """
    released = np.column_stack([one.release for one in columns])
    mine = np.column_stack([one.intruder for one in columns])
    there, has = (~np.isnan(side).any(axis=1) for side in (released, mine))
    centres, shown = np.unique(released[there], axis=0, return_inverse=True)
    if len(centres) < 2 or not has.any():
        return None, ()
    complete = everybody and int(has.sum()) == int(there.sum())
    averaged = [place for place, one in enumerate(columns) if one.mean]
    rounding = np.array([one.rounding for one in columns])
    means = Means(mine[has], centres, np.bincount(shown.ravel()), rounding)
    found, notes = _find_members(means, averaged, complete=complete, again=again)
    if not (found.group >= 0).any():
        return None, notes
    released_group = np.full(len(released), -1.0)
    released_group[there] = shown.ravel()
    own, low, high = np.full(len(mine), np.nan), np.full(len(mine), -1.0), np.full(len(mine), len(centres) - 1.0)
    own[has] = np.where(found.group >= 0, found.group, np.nan)
    low[has] = np.where(found.proven, found.group, -1.0)
    high[has] = np.where(found.proven, found.group, len(centres) - 1.0)
    weight = float(min(MOST_SURE, -np.log(found.chance)))
    dimension = ColumnPair(released_group, own, kind="code", usual=1.0, weight=weight, low=low, high=high)
    return dimension, notes


def _find_members(
    means: Means, averaged: list[int], *, complete: bool, again: RegroupParams | None
) -> tuple[Members, tuple[str, ...]]:
    """The groups of the records, made again or found by their means; only means tell who was averaged."""
    if again is not None and complete:
        group = repeat_grouping(means, **again._asdict())
        if group is not None:
            return Members(group, group >= 0, chance=1e-12), ()
    if not averaged:
        return Members.no_members(len(means.values)), ()
    part = Means(means.values[:, averaged], means.centres[:, averaged], means.count, means.rounding[averaged])
    found = find_members(part, complete=complete)
    if found.contradicted:
        return found, ("no set of the intruder's records has some of the published means, so no group is certain",)
    return found, ()


def _within_variances(released: np.ndarray, mine: np.ndarray, fuzzifier: float | None) -> float:
    """The mean squared distance in each column between a record and its centre."""
    from scipy.spatial import cKDTree

    there, has = (~np.isnan(side).any(axis=1) for side in (released, mine))
    if not there.any() or not has.any():
        return 1.0
    centres = np.unique(released[there], axis=0)
    nearest = 1 if fuzzifier is None else min(8, len(centres))
    squares = np.square(cKDTree(centres).query(mine[has], k=np.arange(1, nearest + 1))[0])
    if fuzzifier is not None:
        power = -np.log(np.maximum(squares, 1e-300)) / (fuzzifier - 1)
        chance = np.exp(power - power.max(axis=1, keepdims=True))
        squares = (squares * chance).sum(axis=1) / chance.sum(axis=1)
    return float(squares.mean() / released.shape[1])
