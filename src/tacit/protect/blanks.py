"""The search behind cell suppression: which quasi-identifiers of which records to blank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..release.classes.arrays import ArrayClasses
from ..release.classes.matches import Matches
from ..release.codes import Codes
from ..release.households import household_level, one_per_household

if TYPE_CHECKING:
    from ..release.release import Release

__all__ = ["Blanks"]

EFFORT = 1_000_000_000
"""Comparisons of two records, a few seconds, beyond which blanks that are not needed are no longer sought."""


class Blanks:
    """Which cells are blank so far, columns in the order in which they are given up.

    Cells only ever become blank until every record matches k; then some are taken back, as far as that stays so.
    """

    def __init__(
        self, release: Release, columns: Sequence[str], k: int, *, rng: np.random.Generator | None = None
    ) -> None:
        self._release, self._columns, self._k = release, columns, k
        # Who of several equals gives up cells is drawn; without a generator it follows the order of the rows.
        self._turn = np.arange(release.size) if rng is None else rng.permutation(release.size)
        self._codes = [release.codes(column) for column in columns]
        self._before = np.column_stack([~release.valid(column) for column in columns])
        self._blank = self._before.copy()
        shared = household_level(release, columns)
        self._shared = [column in shared for column in columns]
        self._home = one_per_household(release)[1] if shared else np.arange(release.size)

    def until_enough(self) -> dict[str, np.ndarray]:
        """Column → the rows to blank there, so that every record matches at least k records."""
        while (failing := self._failing(self._blank)).any():
            for place in range(len(self._columns)):
                self._blank_alone(place, failing)
                failing = self._failing(self._blank)
            if failing.any():
                self._give_up(failing)
        if self._release.missing == "any":
            self._fill_again()
        new = self._blank & ~self._before
        return {column: new[:, place] for place, column in enumerate(self._columns) if new[:, place].any()}

    def _keys(self, blank: np.ndarray) -> list[Codes]:
        return [
            Codes(np.where(blank[:, place], len(key.dictionary), key.codes), key.dictionary, has_missing=True)
            for place, key in enumerate(self._codes)
        ]

    def _failing(self, blank: np.ndarray) -> np.ndarray:
        """The records with fewer than k matches."""
        kind = ArrayClasses if self._release.missing == "own" else Matches
        matches = kind(self._keys(blank), self._release.size, self._release.codes)
        few: np.ndarray = matches.sizes[matches.of_record] < self._k
        return few

    def _blank_alone(self, place: int, failing: np.ndarray) -> None:
        """Blank one column in those failing records for which that is enough.

        All of them are tried at once. Those that still fail get their cell back, which takes nothing from the others:
        under "own" a class passes or fails as a whole, under "any" a blank of one's own matches anyway.
        """
        tried = failing & ~self._blank[:, place]
        if not tried.any():
            return
        trial = self._blank.copy()
        trial[tried, place] = True
        self._spread(tried & ~self._failing(trial), place)

    def _give_up(self, failing: np.ndarray) -> None:
        """Blank the next column of each failing record; where none has one left, others must join them."""
        rows = np.flatnonzero(failing & ~self._blank.all(axis=1))
        following = np.argmin(self._blank[rows], axis=1)
        for place in np.unique(following):
            chosen = np.zeros(len(failing), dtype=bool)
            chosen[rows[following == place]] = True
            self._spread(chosen, place)
        if not len(rows):
            joining = self._joining(self._k - int(self._blank.all(axis=1).sum()))
            for place in range(len(self._columns)):
                self._spread(joining, place)

    def _joining(self, short: int) -> np.ndarray:
        """Records that must lose all their cells so that those without any are k: what classes can spare, else a class."""
        classes = ArrayClasses(self._keys(self._blank), self._release.size, self._release.codes)
        filled = np.zeros(classes.count, dtype=np.int64)
        filled[classes.of_record] = (~self._blank).sum(axis=1)
        spare = np.where(filled > 0, classes.sizes - self._k, 0)
        turn = np.full(classes.count, self._release.size)
        np.minimum.at(turn, classes.of_record, self._turn)
        if spare.sum() < short:
            cost = np.where(filled > 0, classes.sizes * filled, np.iinfo(np.int64).max)
            whole: np.ndarray = classes.of_record == np.lexsort((turn, cost))[0]
            return whole
        cheapest = np.lexsort((turn, filled))
        reached = np.cumsum(spare[cheapest])
        take = np.empty_like(spare)
        take[cheapest] = np.clip(short - (reached - spare[cheapest]), 0, spare[cheapest])
        by_class = np.lexsort((self._turn, classes.of_record))
        start = np.cumsum(classes.sizes) - classes.sizes
        within = np.empty(len(by_class), dtype=np.int64)
        within[by_class] = np.arange(len(by_class)) - start[classes.of_record[by_class]]
        chosen: np.ndarray = within < take[classes.of_record]
        return chosen

    def _fill_again(self) -> None:
        """Take back blanks that are not needed: those of one record often serve others that were blanked with it.

        Equal records are one row with a weight. Rows in the order of their values, so that the result does not depend
        on that of the file; a household's columns stay as they are.
        """
        from ..kernels.groups import group_rows
        from ..kernels.wildcards import fill_again

        mine = self._blank & ~self._before & ~np.array(self._shared)
        codes = np.column_stack([key.codes for key in self._codes]).astype(np.int64)
        cells = [*codes.T, *self._blank.T.astype(np.int64)]
        of_record, count = group_rows(cells, [*(key.count for key in self._codes), *[2] * codes.shape[1]])
        first = np.zeros(count, dtype=np.int64)
        first[of_record] = np.arange(len(of_record))
        if int(mine[first].sum()) * count > EFFORT:
            return
        order = np.lexsort([*self._blank[first].T, *codes[first].T])
        rows, weight = first[order], np.bincount(of_record)[order]
        matched = Matches(self._keys(self._blank), self._release.size, self._release.codes)
        free = self._blank[rows]
        fill_again(codes[rows], free, mine[rows], weight, matched.sizes[matched.of_record[rows]], self._k)
        place = np.empty(count, dtype=np.int64)
        place[order] = np.arange(count)
        self._blank = free[place[of_record]]

    def _spread(self, rows: np.ndarray, place: int) -> None:
        """Blank a column in the rows, and in those of their households when the column is the household's."""
        if self._shared[place]:
            homes = np.zeros(int(self._home.max()) + 1, dtype=bool)
            homes[self._home[rows]] = True
            rows = homes[self._home]
        self._blank[rows, place] = True
