"""A column of both files by rank: who is ranked among whom, and what lies within a number of ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...release.households import household_level, one_per_household
from ..columns import compared
from ..compared import Compared

if TYPE_CHECKING:
    from ...release.release import Release


CATEGORIES = 256
"""Up to so many different values share ranks so much that each pair of values has a likelihood of its own."""
TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """A column of both files whose order is that of the values, and the strata in which its values are ranked.

    ``units`` has the released rows that are ranked (one of each household where the column is the household's),
    ``stratum`` the stratum of every released row, and ``own`` that of every person: −1 where it is not known.
    """

    pair: Compared
    units: np.ndarray
    stratum: np.ndarray
    own: np.ndarray

    def counts(self) -> np.ndarray:
        """How many values are ranked in each stratum."""
        known = self.units[~np.isnan(self.pair.release[self.units])]
        return np.bincount(self.stratum[known], minlength=int(self.stratum.max(initial=0)) + 1)

    def within(self, reach: np.ndarray) -> Compared:
        """The comparison with windows of ``reach`` ranks, one for each stratum, around the value of every person.

        A person of unknown stratum may be in any of them: its window spans those of all. O(n log n) time, that much
        for each stratum when somebody's is unknown.
        """
        x = self.pair.intruder
        low, high = np.full(len(x), np.inf), np.full(len(x), -np.inf)
        lost = np.flatnonzero((self.own < 0) & ~np.isnan(x))
        for number, (values, _, people) in enumerate(self._strata()):
            asked = np.append(people, lost)
            if len(values) and len(asked):
                least, most = _around(values, x[asked], int(reach[number]))
                low[asked], high[asked] = np.fmin(low[asked], least), np.fmax(high[asked], most)
        unknown = np.isnan(x)
        return replace(self.pair, low=np.where(unknown, -np.inf, low), high=np.where(unknown, np.inf, high))

    def shifted(self, reach: int) -> Compared:
        """The windows with the likelihood of the shift within them, for a column that is ranked in one stratum."""
        within = self.within(np.array([reach]))
        values, _, _ = next(self._strata())
        if len(np.unique(values)) <= CATEGORIES:
            return _likelihood(within, values, reach)
        assert within.low is not None and within.high is not None
        sides = [_middle(values, side) / reach for side in (within.release, within.intruder, within.low, within.high)]
        missing = max(float(np.log2(len(values) * np.log(2) / reach)), 0.0)
        return Compared(
            sides[0], sides[1], kind="away", usual=missing, weight=float(np.log(2)), low=sides[2], high=sides[3]
        )

    def by_rank(self, variance: float) -> Compared:
        """The ranks themselves, a shift of d costing d² / (2 ``variance``); the middle one where a value has several.

        Somebody of unknown stratum has no rank. O(n log n) time.
        """
        theirs, mine = np.full(len(self.pair.release), np.nan), np.full(len(self.pair.intruder), np.nan)
        for values, rows, people in self._strata():
            theirs[rows] = _middle(values, self.pair.release[rows])
            mine[people] = _middle(values, self.pair.intruder[people])
        usual = 2.0 * float(np.nanvar(theirs)) if not np.isnan(theirs).all() else 0.0
        return Compared(theirs, mine, kind="number", usual=usual, weight=0.5 / variance)

    def _strata(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
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


def ranked(release: Release, file: Release, column: str, strata: Sequence[str] = ()) -> Ranked | None:
    """The column by rank; None where it has no order, or where the release does not show the strata."""
    pair = _ordered(release, file, column)
    if pair is None or not set(strata) <= set(release.columns):
        return None
    household = release.household is not None and column in household_level(release, (column,))
    units = one_per_household(release)[0] if household else np.arange(release.size)
    stratum, own = _strata(release, file, strata)
    return Ranked(pair, units, stratum, own)


def _around(values: np.ndarray, x: np.ndarray, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """The sorted values ``reach`` ranks below the first place of x and above its last one; x need not be among them."""
    first, last = np.searchsorted(values, x, side="left"), np.searchsorted(values, x, side="right") - 1
    top = len(values) - 1
    return values[np.clip(first - reach, 0, top)], values[np.clip(last + reach, 0, top)]


def _middle(values: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The middle rank of each x among sorted values; what is missing or infinite stays so."""
    ranks = (np.searchsorted(values, x, side="left") + np.searchsorted(values, x, side="right") - 1) / 2
    found: np.ndarray = np.where(np.isfinite(x), ranks, x)
    return found


def _likelihood(within: Compared, values: np.ndarray, reach: int) -> Compared:
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
    return Compared(release, mine, kind="table", usual=0.0, table=table)


def _window_of(own: np.ndarray, within: Compared, bound: np.ndarray) -> np.ndarray:
    """The bound of each different value of the people."""
    known = np.flatnonzero(~np.isnan(within.intruder))
    found = np.empty(len(own))
    found[np.searchsorted(own, within.intruder[known])] = bound[known]
    return found


def _ordered(release: Release, file: Release, column: str) -> Compared | None:
    """The generic comparison where it is one of numbers; text of ordered categories as places in their order."""
    if release.levels.get(column) or column in release.mixed:
        return None
    pairs = compared(release, file, column, units=False)
    if len(pairs) == 1 and pairs[0].kind == "number":
        return pairs[0]
    codes = release.codes(column)
    if not len(codes.dictionary) or release.types[column] != file.types[column]:
        return None
    place = np.append(np.arange(len(codes.dictionary), dtype=float), np.nan)
    return replace(
        pairs[0],
        release=place[np.minimum(codes.codes, len(codes.dictionary))],
        intruder=_places(codes.dictionary, file.series(column)),
    )


def _places(dictionary: pl.Series, values: pl.Series) -> np.ndarray:
    """The place of each value in the dictionary, half a place before the next where it is not in it."""
    values = values.cast(dictionary.dtype)
    both = pl.concat([dictionary, values]).drop_nulls().unique().sort()
    inside = both.is_in(dictionary.implode()).to_numpy()
    place = np.cumsum(inside) - np.where(inside, 1.0, 0.5)
    found = values.replace_strict(both, pl.Series(place), default=None, return_dtype=pl.Float64)
    return found.fill_null(float("nan")).to_numpy()


def _strata(release: Release, file: Release, strata: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
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
