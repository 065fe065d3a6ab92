"""From the search to the records: which cells of a release become blank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..release.classes.arrays import ArrayClasses
from ..release.classes.matches import Matches
from ..release.codes import Codes
from ..release.households import household_level, one_per_household
from ._suppression.clusters import cluster_blanks
from ._suppression.keys import LEAST, Combination, Keys, SuppressionAssignment
from ._suppression.wildcard import wildcard_blanks

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release


class SuppressionSearch:
    """Which cells are blank so far. ``wanted``: sets of columns with the k that must hold on each.

    Under ``missing="any"`` blanks only add matches, so one search is enough. Under ``"own"`` a blank takes a record out
    of its classes on other combinations, and a household's column is blank for all members: the search is repeated on
    what came out until every combination holds, and cells only ever become blank.
    """

    def __init__(
        self,
        release: Release,
        wanted: Sequence[tuple[tuple[str, ...], int]],
        cost: Mapping[str, float],
        *,
        rng: np.random.Generator | None = None,
    ) -> None:
        named = {name for names, _ in wanted for name in names}
        # Of equally dear columns those with most values come first: they are given up first.
        self._columns = sorted((name for name in release.quasi if name in named), key=lambda c: -release.distinct(c))
        self._release, self._rng = release, rng
        self._codes = [release.codes(column) for column in self._columns]
        self._cost = np.array([max(LEAST, float(cost.get(column, 1.0))) for column in self._columns])
        strictest: dict[int, int] = {}
        for names, k in wanted:
            columns = sum(1 << self._columns.index(name) for name in names)
            strictest[columns] = max(k, strictest.get(columns, 0))
        self._wanted = [Combination(columns, k) for columns, k in strictest.items()]
        self._lost = np.zeros(release.size, dtype=np.int64)
        shared = household_level(release, self._columns)
        self._shared = np.array([column in shared for column in self._columns])
        if shared:  # a blank in them is one for every member
            home = one_per_household(release)[1]
            self._cost[self._shared] *= np.bincount(home)[home].mean() if release.size else 1.0
        self.bound: float | None = None

    def until_enough(self, progress: Progress | None = None) -> dict[str, np.ndarray]:
        """Column → the rows to blank there, so that every record is matched by enough on every combination."""
        if self._release.missing == "any":
            self._suppress_once(progress)
        else:
            self._suppress_until_met(progress)
        if self._shared.any():
            self.bound = None
        found = {}
        for place, column in enumerate(self._columns):
            rows = (self._lost >> place & 1).astype(bool)
            if self._codes[place].has_missing:
                rows &= self._codes[place].codes != self._codes[place].missing
            if rows.any():
                found[column] = rows
        return found

    def _suppress_once(self, progress: Progress | None) -> None:
        of_record, keys = self._key_classes(self._wanted)
        rare = keys.weight < max(one.k for one in self._wanted)
        if len(self._wanted) > 1 or keys.free.any():
            rare = np.zeros(len(keys.weight), dtype=bool)
            for one in self._wanted:
                rare[of_record[self._failing_records(one)]] = True
        if rare.any():
            assigned, self.bound = wildcard_blanks(keys, np.flatnonzero(rare), fixed=self._shared, progress=progress)
            self._suppress_assigned(of_record, keys, assigned)

    def _suppress_until_met(self, progress: Progress | None) -> None:
        """One combination is searched until it holds; several one after the other, and all at once: the cheaper counts."""
        if len(self._wanted) == 1:
            self._while_failing(self._wanted, progress)
            return
        union = 0
        for one in self._wanted:
            union |= one.columns
        # k on all columns together is k on every part of them.
        together = Combination(union, max(one.k for one in self._wanted))
        self._while_failing([together], progress)
        joint, cost = self._lost, self._current_cost()
        self._lost, self.bound = np.zeros_like(joint), None
        self._while_failing(self._wanted, progress, turns=4 * len(self._wanted), most=cost)
        if any(self._failing_records(one).any() for one in self._wanted) or self._current_cost() >= cost:
            self._lost = joint

    def _current_cost(self) -> float:
        """What the blanks cost so far."""
        lost = [(self._lost >> place & 1).sum() for place in range(len(self._cost))]
        return float(np.array(lost) @ self._cost)

    def _while_failing(
        self,
        wanted: Sequence[Combination],
        progress: Progress | None,
        *,
        turns: int | None = None,
        most: float = np.inf,
    ) -> None:
        """Search the combinations in turn, on what came out, until all hold or it is no longer worth it."""
        turn, exact = 0, turns is None
        while (turns is None or turn < turns) and (price := self._current_cost()) < most:
            failing = next((one for one in wanted if self._failing_records(one).any()), None)
            if failing is None:
                return
            of_record, keys = self._key_classes([failing])
            assigned, bound = cluster_blanks(keys, exact=exact, progress=progress)
            self.bound = bound if turn == 0 else self.bound
            self._suppress_assigned(of_record, keys, assigned)
            # An answer of the solver that changes nothing would be given again for ever.
            exact = exact and self._current_cost() > price
            turn += 1

    def _current_codes(self, place: int) -> Codes:
        """A column with what is blank so far."""
        key = self._codes[place]
        if not self._lost.any():
            return key
        blank = (self._lost >> place & 1).astype(bool)
        codes = np.where(blank, len(key.dictionary), key.codes).astype(np.int32)
        return Codes(codes, key.dictionary, has_missing=True)

    def _failing_records(self, one: Combination) -> np.ndarray:
        """The records that fewer than k match on the combination."""
        keys = [self._current_codes(place) for place in range(len(self._columns)) if one.columns >> place & 1]
        wild = self._release.missing == "any" and any(key.has_missing for key in keys)
        matches = (Matches if wild else ArrayClasses)(keys, self._release.size, self._release.codes)
        few: np.ndarray = (matches.sizes < one.k)[matches.of_record]
        return few

    def _key_classes(self, wanted: Sequence[Combination]) -> tuple[np.ndarray, Keys]:
        """The classes of equal keys on the columns of the combinations, and the class of each record."""
        from ..kernels.groups import group_rows

        used = 0
        for one in wanted:
            used |= one.columns
        now = [self._current_codes(place) for place in range(len(self._columns))]
        alike = [key.codes if used >> place & 1 else np.zeros_like(key.codes) for place, key in enumerate(now)]
        spans = np.array([len(key.dictionary) + 1 for key in now], dtype=np.int64)
        of_record, count = group_rows(alike, [int(span) for span in spans])
        first = np.zeros(count, dtype=np.int64)
        first[of_record] = np.arange(len(of_record))
        codes = np.column_stack([column[first] for column in alike]).astype(np.int32)
        weight = np.bincount(of_record, minlength=count)
        return of_record, Keys(codes, codes == spans - 1, weight, spans, self._cost, tuple(wanted))

    def _suppress_assigned(self, of_record: np.ndarray, keys: Keys, assigned: SuppressionAssignment) -> None:
        """Blank the cells of the records; who of several equals is drawn, or follows the order of the rows."""
        whole = assigned.number == keys.weight[assigned.row]
        mask = np.zeros(len(keys.weight), dtype=np.int64)
        mask[assigned.row[whole]] = assigned.mask[whole]
        lost = mask[of_record]
        partly = np.zeros(len(keys.weight), dtype=bool)
        partly[assigned.row[~whole]] = True
        records = np.flatnonzero(partly[of_record])
        if self._rng is not None:
            records = self._rng.permutation(records)
        records = records[np.argsort(of_record[records], kind="stable")]
        start = np.searchsorted(of_record[records], np.arange(len(keys.weight)))
        for row, one, number in zip(*(part[~whole] for part in assigned), strict=True):
            lost[records[start[row] : start[row] + number]] = one
            start[row] += number
        self._lost |= lost
        self._extend_to_households()

    def _extend_to_households(self) -> None:
        """Blank a household's column for all its members."""
        if not self._shared.any():
            return
        home = one_per_household(self._release)[1]
        for place in np.flatnonzero(self._shared):
            homes = np.zeros(int(home.max()) + 1, dtype=bool)
            homes[home[self._lost >> place & 1 == 1]] = True
            self._lost[homes[home]] |= 1 << int(place)
