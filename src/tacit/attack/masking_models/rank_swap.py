"""Rank swapping: a value has gone to a rank that is at most the reach away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...release.households import household_level, one_per_household
from ...release.step_effects import (
    adds_records,
    blanks_cells,
    drops_records,
    flatten_steps,
    may_change_column,
    published_outcome,
)
from .._columns import ColumnPair, compare_column
from .._space import group_space, link_space, search_feasible
from .knowledge import MaskingKnowledge, number_for, step_parameter, unchanged_columns

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace

AT_MOST = "at_most"
"""The parameter of a step that tells no reach, under which an intruder writes its own upper bound in percent."""

SHIFTS = {"buckets": ("bucket", 3 + 1 / 6), "distribution": ("mean_shift", 1.0 + 1.0)}
"""Form → what the trace calls its extent in ranks, and the mean square shift over the square of that extent.

From bucket to bucket the way is geometric, Σ k² 2^−(k+1) = 3, and uniform within each; a normal shift has its mean for
its standard deviation.
"""

ROUNDING = 1e-9
"""As the method rounds: 0.29 % of 10 000 are 29 ranks."""

CATEGORIES = 256
"""Up to so many different values share ranks so much that each pair of values has a likelihood of its own."""

TINY = 1e-12


def rank_swap_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Windows of ranks: a person's value of rank r has become one of rank r − p to r + p, p the reach.

    The values of a swapped column are those of the original, so its own order gives the ranks. A value that stands there
    several times has all their ranks, one that does not the place where it would stand; records that were removed
    later only bring ranks closer together. Strata have ranks of their own; where the intruder does not know somebody's
    stratum, the window spans those of all. Columns that are equal within households were swapped between households.

    Within the windows a FAR record is the likelier one, up to twice. Each value draws its partner among the next p ranks
    that are not done, and those far ahead have been passed by fewer draws: with chance :math:`2^{-(1 - d/p)}` the
    rank at distance d is still free, so that a shift has the density

    .. math:: f(d) = \frac{\ln 2}{2p}\, 2^{|d|/p}, \quad |d| \le p,

    and costs :math:`-\ln f`; a value with many ranks the mean over them. (With strata the records within the windows are
    compared by distance.)

    The reach p is the trace's, or its ``percent`` of the values; within an upper bound that the intruder assumes, the
    nearest record is taken. With neither, and everybody inside, it is the least that
    leaves nobody without a possible record: no more than a lower bound of p, so nothing is
    certain; unless it was not even told which columns were swapped, for then one that was not would hide the reach of the
    others. The forms
    ``"buckets"`` and ``"distribution"`` have no reach: every record is possible. What is left is that a far shift
    is rare: a shift of d ranks costs d²/(2σ²), σ² the mean square of the law of the form, whatever the values are.

    O(n log n) time per column and stratum.

    References
    ----------
    Nin, Herranz and Torra (2008), Rethinking rank swapping to decrease disclosure risk, Data & Knowledge Engineering
    64, 346–364.
    """
    swapped = step_parameter(step, "columns", list(columns))
    strata = step_parameter(step, "strata", [])
    strata = [strata] if isinstance(strata, str) else list(strata)
    form = step_parameter(step, "form", "uniform")
    others = [one for one in flatten_steps(scenario.told) if one is not step]
    sides = {
        column: side
        for column in columns
        if column in swapped and (side := rank_column(release, scenario.file, column, strata)) is not None
    }
    if form in SHIFTS:
        return _by_law(step, sides, form)
    if adds_records(scenario.told):
        return _compare_by_distance(
            sides, "records were invented, so that the ranks in the release are not those that were swapped"
        )
    if any(may_change_column(other, column, release) for other in others for column in strata):
        return _compare_by_distance(sides, "the strata of rank swapping were changed, so that its ranks are not known")
    readable = {
        column: side for column, side in sides.items() if any(one is not None for one in _published_reach(step, column))
    }
    if readable:
        return _compare_published(step, readable, scenario)
    most = number_for(step_parameter(step, AT_MOST), "")
    if most is not None:
        return _compare_assumed(most, sides, scenario)
    if step_parameter(step, "columns") is None:
        return _compare_by_distance(
            sides, "it was not told which columns were swapped, nor how far: they are compared by distance"
        )
    return _estimate_reach(sides, scenario, beside=unchanged_columns(release, scenario))


def _published_reach(step: Trace, column: str) -> tuple[float | None, float | None]:
    """Percentage and reach that were told for the column; None where a trace says nothing, or what is no such number."""
    given = number_for(step_parameter(step, "percent"), column), number_for(published_outcome(step, "reach"), column)
    percent, reach = (None if one is None or one < 0 else one for one in given)
    return percent, reach


def _compare_by_distance(sides: Mapping[str, RankedColumn], note: str) -> MaskingKnowledge:
    """Compared by distance alone."""
    pairs = tuple(side.pair for side in sides.values())
    return MaskingKnowledge(columns=tuple(sides), compared=pairs, certain=False, notes=(note,))


def _by_law(step: Trace, sides: Mapping[str, RankedColumn], form: str) -> MaskingKnowledge:
    """Shifts of ranks by their mean square; compared by value where the people's strata are not known."""
    name, squared = SHIFTS[form]
    pairs = []
    for column, side in sides.items():
        percent, extent = (
            number_for(step_parameter(step, "percent"), column),
            number_for(published_outcome(step, name), column),
        )
        if extent is None and percent is not None:
            extent = percent * float(side.stratum_counts().max(initial=0)) / (200 if form == "distribution" else 100)
        pairs.append(side.by_rank(squared * extent**2) if extent and (side.own >= 0).any() else side.pair)
    note = f"rank swapping by {form} can take a value anywhere: no record is impossible, and no link by it is sure"
    return MaskingKnowledge(columns=tuple(sides), compared=tuple(pairs), certain=False, notes=(note,))


def _compare_published(step: Trace, sides: Mapping[str, RankedColumn], scenario: Scenario) -> MaskingKnowledge:
    """Windows by what was told; certain when the ranks are seen to be those of the release or of the file."""
    reaches = {column: _reach_by_stratum(step, column, side, scenario) for column, side in sides.items()}
    usable = {column: found for column, found in reaches.items() if found is not None}
    notes = tuple(
        f"the reach told for column {column!r} is not that of its records, but of households that the release does not "
        "show: it is compared as if nothing had been told of it"
        for column in reaches
        if column not in usable
    )
    return MaskingKnowledge(
        columns=tuple(usable),
        compared=tuple(_compare_ranked(sides[column], reach) for column, (reach, _) in usable.items()),
        certain=all(certain for _, certain in usable.values()),
        notes=notes,
    )


def _reach_by_stratum(
    step: Trace, column: str, side: RankedColumn, scenario: Scenario
) -> tuple[np.ndarray, bool] | None:
    """The reach in each stratum, and whether no value can have gone farther; None when it counts what is not shown."""
    percent, largest = _published_reach(step, column)
    counts = side.stratum_counts()
    fewer = drops_records(scenario.told) or blanks_cells(scenario.told)
    if percent is None:
        return (np.full(len(counts), largest or 0), True)
    expected = _percent_to_ranks(percent, counts)
    everybody = int((~np.isnan(side.pair.intruder)).sum())
    of_file = int(_percent_to_ranks(percent, np.array([everybody]))[0]) if scenario.covers and len(counts) == 1 else -1
    if largest is None:
        if not fewer:
            return expected, True
        return np.maximum(expected, of_file), of_file >= 0
    if largest == expected.max():
        return (np.full(len(counts), largest) if fewer else expected), True
    if largest < expected.max():
        return None
    return np.full(len(counts), largest), largest == of_file


def _percent_to_ranks(percent: float, counts: np.ndarray) -> np.ndarray:
    """What a percentage is in ranks."""
    found: np.ndarray = np.minimum(np.floor(percent * counts / 100 + ROUNDING), np.maximum(counts - 1, 0))
    return found.astype(np.int64)


def _compare_ranked(side: RankedColumn, reach: np.ndarray) -> ColumnPair:
    """By the likelihood of the shift where all are ranked together, else by distance within the windows."""
    return side.shift_likelihoods(int(reach[0])) if len(reach) == 1 and reach[0] > 0 else side.rank_windows(reach)


def _compare_assumed(percent: float, sides: Mapping[str, RankedColumn], scenario: Scenario) -> MaskingKnowledge:
    """Windows by an upper bound; the nearest in them, because where in them the true reach ends is not known."""
    pairs, fewer = [], drops_records(scenario.told) or blanks_cells(scenario.told)
    for side in sides.values():
        counts = side.stratum_counts()
        if scenario.covers and fewer:
            counts = np.maximum(counts, int((~np.isnan(side.pair.intruder)).sum()))
        pairs.append(side.rank_windows(_percent_to_ranks(percent, counts)))
    certain = scenario.covers or not fewer
    return MaskingKnowledge(columns=tuple(sides), compared=tuple(pairs), certain=certain)


def _estimate_reach(
    sides: Mapping[str, RankedColumn], scenario: Scenario, *, beside: tuple[ColumnPair, ...]
) -> MaskingKnowledge:
    """The least percentage, in steps of one rank, for which everybody has a possible record, by bisection.

    Such a record is equal in the columns ``beside``: one swapped column alone would leave everybody a record of rank 0 away.
    """
    if not scenario.inside or drops_records(scenario.told):
        return _compare_by_distance(
            sides, "the reach of rank swapping was not told, and not everybody is known to be in the release"
        )
    counts = {column: side.stratum_counts() for column, side in sides.items()}
    most = max((int(count.max(initial=0)) for count in counts.values()), default=0)
    low, high = 0, max(most - 1, 0)
    while low < high:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if _count_feasible(sides, counts, 100 * middle / most, beside).all() else (middle + 1, high)
        )
    percent = 100 * low / most if most else 0.0
    return MaskingKnowledge(
        columns=tuple(sides),
        compared=tuple(
            _compare_ranked(side, _percent_to_ranks(percent, counts[column])) for column, side in sides.items()
        ),
        certain=False,
        notes=(
            f"the reach of rank swapping was not told: {percent:.3g} % is the least that leaves nobody without a possible "
            "record, so that the true reach is no smaller; give an upper bound, Transparency(percent=…) or the percent of the step in the trace",
        ),
    )


def _count_feasible(
    sides: Mapping[str, RankedColumn], counts: Mapping[str, np.ndarray], percent: float, beside: tuple[ColumnPair, ...]
) -> np.ndarray:
    """How many records, up to two, are possible for each distinct person."""
    pairs = [
        *(side.rank_windows(_percent_to_ranks(percent, counts[column])) for column, side in sides.items()),
        *beside,
    ]
    sizes = len(pairs[0].release), len(pairs[0].intruder)
    found: np.ndarray = search_feasible(group_space(link_space(pairs, sizes, own=True)).space, count=True).inside
    return found


@dataclass(frozen=True, slots=True, eq=False)
class RankedColumn:
    """A column of both files whose order is that of the values, and the strata in which its values are ranked.

    ``units`` has the released rows that are ranked (one of each household where the column is the household's),
    ``stratum`` the stratum of every released row, and ``own`` that of every person: −1 where it is not known.
    """

    pair: ColumnPair
    units: np.ndarray
    stratum: np.ndarray
    own: np.ndarray

    def stratum_counts(self) -> np.ndarray:
        """How many values are ranked in each stratum."""
        known = self.units[~np.isnan(self.pair.release[self.units])]
        return np.bincount(self.stratum[known], minlength=int(self.stratum.max(initial=0)) + 1)

    def rank_windows(self, reach: np.ndarray) -> ColumnPair:
        """The comparison with windows of ``reach`` ranks, one for each stratum, around the value of every person.

        A person of unknown stratum may be in any of them: its window spans those of all. O(n log n) time, that much
        for each stratum when somebody's is unknown.
        """
        x = self.pair.intruder
        low, high = np.full(len(x), np.inf), np.full(len(x), -np.inf)
        lost = np.flatnonzero((self.own < 0) & ~np.isnan(x))
        for number, (values, _, people) in enumerate(self._iterate_strata()):
            asked = np.append(people, lost)
            if len(values) and len(asked):
                least, most = _rank_neighbours(values, x[asked], int(reach[number]))
                low[asked], high[asked] = np.fmin(low[asked], least), np.fmax(high[asked], most)
        unknown = np.isnan(x)
        return replace(self.pair, low=np.where(unknown, -np.inf, low), high=np.where(unknown, np.inf, high))

    def shift_likelihoods(self, reach: int) -> ColumnPair:
        """The windows with the likelihood of the shift within them, for a column that is ranked in one stratum."""
        within = self.rank_windows(np.array([reach]))
        values, _, _ = next(self._iterate_strata())
        if len(np.unique(values)) <= CATEGORIES:
            return _shift_likelihood(within, values, reach)
        assert within.low is not None and within.high is not None
        sides = [
            _mid_ranks(values, side) / reach for side in (within.release, within.intruder, within.low, within.high)
        ]
        missing = max(float(np.log2(len(values) * np.log(2) / reach)), 0.0)
        return ColumnPair(
            sides[0], sides[1], kind="away", usual=missing, weight=float(np.log(2)), low=sides[2], high=sides[3]
        )

    def by_rank(self, variance: float) -> ColumnPair:
        """The ranks themselves, a shift of d costing d² / (2 ``variance``); the middle one where a value has several.

        Somebody of unknown stratum has no rank. O(n log n) time.
        """
        theirs, mine = np.full(len(self.pair.release), np.nan), np.full(len(self.pair.intruder), np.nan)
        for values, rows, people in self._iterate_strata():
            theirs[rows] = _mid_ranks(values, self.pair.release[rows])
            mine[people] = _mid_ranks(values, self.pair.intruder[people])
        usual = 2.0 * float(np.nanvar(theirs)) if not np.isnan(theirs).all() else 0.0
        return ColumnPair(theirs, mine, kind="number", usual=usual, weight=0.5 / variance)

    def _iterate_strata(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Of each stratum the ranked values in order, the released rows and the people that have a value."""
        units = np.zeros(len(self.stratum), dtype=bool)
        units[self.units] = True
        rows = np.flatnonzero(~np.isnan(self.pair.release))
        rows = rows[np.lexsort((self.pair.release[rows], self.stratum[rows]))]
        people = np.flatnonzero((self.own >= 0) & ~np.isnan(self.pair.intruder))
        people = people[np.argsort(self.own[people], kind="stable")]
        numbers = np.arange(int(self.stratum.max(initial=-1)) + 2)
        ends, own = np.searchsorted(self.stratum[rows], numbers), np.searchsorted(self.own[people], numbers)
        for low, high, first, last in zip(ends, ends[1:], own, own[1:], strict=False):
            here = rows[low:high]
            yield self.pair.release[here[units[here]]], here, people[first:last]


def rank_column(release: Release, file: Release, column: str, strata: Sequence[str] = ()) -> RankedColumn | None:
    """The column by rank; None where it has no order, or where the release does not show the strata."""
    pair = _compare_ordered(release, file, column)
    if pair is None or not set(strata) <= set(release.columns):
        return None
    household = release.household is not None and column in household_level(release, (column,))
    units = one_per_household(release)[0] if household else np.arange(release.size)
    stratum, own = _strata_codes(release, file, strata)
    return RankedColumn(pair, units, stratum, own)


def _rank_neighbours(values: np.ndarray, x: np.ndarray, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """The sorted values ``reach`` ranks below the first place of x and above its last one; x need not be among them."""
    first, last = np.searchsorted(values, x, side="left"), np.searchsorted(values, x, side="right") - 1
    top = len(values) - 1
    return values[np.clip(first - reach, 0, top)], values[np.clip(last + reach, 0, top)]


def _mid_ranks(values: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The middle rank of each x among sorted values; what is missing or infinite stays so."""
    ranks = (np.searchsorted(values, x, side="left") + np.searchsorted(values, x, side="right") - 1) / 2
    found: np.ndarray = np.where(np.isfinite(x), ranks, x)
    return found


def _shift_likelihood(within: ColumnPair, values: np.ndarray, reach: int) -> ColumnPair:
    """A table of minus the log of how much likelier each value is for a person's than for a random one.

    The ranks of a value are many; the chance of a pair of values is the mean over all their ranks, computed from the
    sums of sums of the law, O(values² ) time and memory.
    """
    assert within.low is not None and within.high is not None
    own = np.unique(within.intruder[~np.isnan(within.intruder)])
    shown, counts = np.unique(values, return_counts=True)
    first, after = (np.searchsorted(values, own, side=side)[:, None] for side in ("left", "right"))
    after = np.maximum(after, first + 1)  # a value that is not there stands at one place
    low = np.searchsorted(values, shown, side="left")[None]
    high = low + counts
    size = len(values)
    shift = np.arange(-size - 1, size + 2)
    law = np.where(np.abs(shift) <= reach, 2.0 ** (np.abs(shift) / max(reach, 1)), 0.0)
    sums = np.append(0.0, np.cumsum(np.append(0.0, np.cumsum(law / law.sum()))))
    place = size + 2
    pairs = (sums[high - first + place] - sums[high - after + place]) - (
        sums[low - first + place] - sums[low - after + place]
    )
    ratio = np.maximum(pairs, 0.0) / (after - first) / (counts[None] / size)
    inside = (shown[None] >= _window_of(own, within, within.low)[:, None]) & (
        shown[None] <= _window_of(own, within, within.high)[:, None]
    )
    table = np.where(inside, -np.log(np.maximum(ratio, TINY)), np.inf)
    release = np.where(np.isnan(within.release), np.nan, np.searchsorted(shown, within.release))
    mine = np.where(np.isnan(within.intruder), np.nan, np.searchsorted(own, within.intruder))
    return ColumnPair(release, mine, kind="table", usual=0.0, table=table)


def _window_of(own: np.ndarray, within: ColumnPair, bound: np.ndarray) -> np.ndarray:
    """The bound of each different value of the people."""
    known = np.flatnonzero(~np.isnan(within.intruder))
    found = np.empty(len(own))
    found[np.searchsorted(own, within.intruder[known])] = bound[known]
    return found


def _compare_ordered(release: Release, file: Release, column: str) -> ColumnPair | None:
    """The generic comparison where it is one of numbers; text of ordered categories as places in their order."""
    if release.levels.get(column) or column in release.mixed:
        return None
    pairs = compare_column(release, file, column, units=False)
    if len(pairs) == 1 and pairs[0].kind == "number":
        return pairs[0]
    codes = release.codes(column)
    if not len(codes.dictionary) or release.types[column] != file.types[column]:
        return None
    place = np.append(np.arange(len(codes.dictionary), dtype=float), np.nan)
    return replace(
        pairs[0],
        release=place[np.minimum(codes.codes, len(codes.dictionary))],
        intruder=_dictionary_positions(codes.dictionary, file.series(column)),
    )


def _dictionary_positions(dictionary: pl.Series, values: pl.Series) -> np.ndarray:
    """The place of each value in the dictionary, half a place before the next where it is not in it."""
    values = values.cast(dictionary.dtype)
    both = pl.concat([dictionary, values]).drop_nulls().unique().sort()
    inside = both.is_in(dictionary.implode()).to_numpy()
    place = np.cumsum(inside) - np.where(inside, 1.0, 0.5)
    found = values.replace_strict(both, pl.Series(place), default=None, return_dtype=pl.Float64)
    return found.fill_null(float("nan")).to_numpy()


def _strata_codes(release: Release, file: Release, strata: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The stratum of every released row and of every person, −1 for a person of whom it is not known or not released."""
    if not strata:
        return np.zeros(release.size, dtype=np.int64), np.zeros(file.size, dtype=np.int64)
    theirs = pl.DataFrame([release.series(column) for column in strata])
    numbers = theirs.select(pl.struct(pl.all()).rank("dense") - 1).to_series().cast(pl.Int64)
    if not all(column in file.columns and file.types[column] == release.types[column] for column in strata):
        return numbers.to_numpy(), np.full(file.size, -1, dtype=np.int64)
    mine = pl.DataFrame([file.series(column).cast(theirs[column].dtype) for column in strata])
    each = theirs.with_columns(numbers.alias("")).unique(list(strata))
    met = mine.join(each, on=list(strata), how="left", nulls_equal=True, maintain_order="left")
    return numbers.to_numpy(), met[""].fill_null(-1).to_numpy()
