"""Blanks that match anything: the search under ``missing="any"``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .cover import optimal_cover
from .keys import Keys, SuppressionAssignment, mask_bits
from .lattice import NEAR, cheapest_sets

if TYPE_CHECKING:
    from ...progress import Progress


EFFORT = 1_000_000_000
"""Comparisons of two classes, a few seconds, beyond which blanks that are not needed are no longer sought."""

CLASSES = 3_000
"""Rare classes beyond which each protects itself alone: their sets of columns are then no longer all listed."""


def wildcard_blanks(
    keys: Keys, rows: np.ndarray, *, fixed: np.ndarray, progress: Progress | None = None
) -> tuple[SuppressionAssignment, float | None]:
    """Blanks after which every record matches enough, for the rare classes ``rows``; and a proven lower bound, if any.

    Each rare class first gets the cheapest columns whose loss is enough by itself. Then, as far as the file is small
    enough: the cheapest choice of records that must lose theirs, because the others match them (:func:`optimal_cover`), and
    single cells taken back; cells of the columns ``fixed`` stay.
    The bound is on choices among the cheapest sets.
    """
    rows = rows[np.lexsort(keys.codes[rows].T)] if len(rows) <= CLASSES else rows
    sets = cheapest_sets(keys, rows, wild=True, ties=len(rows) <= CLASSES, progress=progress)
    alone, bound = _suppress_all_rare(keys, rows, sets), None
    if len(rows) <= CLASSES and len(rows) * len(keys.weight) * len(keys.wanted) <= EFFORT:
        solved = optimal_cover(keys, rows, _lacking_matches(keys, rows), sets)
        if solved is not None and not (_Units(keys, solved[0]).lacking_matches() > 0).any():
            alone, bound = solved
    units = _Units(keys, alone)
    if units.effort > EFFORT:
        return alone, bound
    fewer = units.taken_back(fixed)
    # Parts of a set are no longer a choice among the sets, which is what the bound is about.
    parts = sum(number * keys.mask_cost(int(mask)) for mask, number in zip(fewer.mask, fewer.number, strict=True))
    return fewer, None if bound is None or parts < bound - NEAR else bound


def _suppress_all_rare(keys: Keys, rows: np.ndarray, sets: list[tuple[np.ndarray, int]]) -> SuppressionAssignment:
    """Every record of every rare class loses the first of its class's sets."""
    mask = np.zeros(len(rows), dtype=np.int64)
    for places, one in reversed(sets):
        mask[places] = one
    return SuppressionAssignment(rows, mask, keys.weight[rows])


def _lacking_matches(keys: Keys, rows: np.ndarray) -> np.ndarray:
    """How many matches each class lacks for each combination."""
    from ...kernels.suppression import matching_weight

    counts = [
        one.k - matching_weight(keys.codes, keys.free, keys.weight, rows, mask_bits(one.columns, len(keys.cost)))
        for one in keys.wanted
    ]
    return np.column_stack(counts)


class _Units:
    """Records of one class with the same blanks are one row, in the order of their values, whatever that of the file."""

    def __init__(self, keys: Keys, assigned: SuppressionAssignment) -> None:
        rest = keys.weight.copy()
        np.subtract.at(rest, assigned.row, assigned.number)
        row = np.concatenate([np.flatnonzero(rest), assigned.row])
        mask = np.concatenate([np.zeros(len(row) - len(assigned.row), dtype=np.int64), assigned.mask])
        number = np.concatenate([rest[rest > 0], assigned.number])
        self.effort = int((assigned.mask > 0).sum()) * len(row) * len(keys.wanted)
        self._keys, self._row, self._mask, self._number = keys, row, mask, number

    @property
    def _is_suppressed(self) -> np.ndarray:
        lost = (self._mask[:, None] >> np.arange(len(self._keys.cost))) & 1 == 1
        found: np.ndarray = lost & ~self._keys.free[self._row]
        return found

    def _as_keys(self) -> Keys:
        keys = self._keys
        free = keys.free[self._row] | self._is_suppressed
        return Keys(keys.codes[self._row], free, self._number, keys.spans, keys.cost, keys.wanted)

    def lacking_matches(self) -> np.ndarray:
        """How many matches each row lacks for each combination."""
        return _lacking_matches(self._as_keys(), np.arange(len(self._row)))

    def taken_back(self, fixed: np.ndarray) -> SuppressionAssignment:
        """What is left when cells that are not needed are taken back, dearest columns first."""
        from ...kernels.wildcards import fill_again

        keys = self._keys
        order = np.lexsort([self._mask, *keys.codes[self._row].T])
        self._row, self._mask, self._number = self._row[order], self._mask[order], self._number[order]
        dear = np.argsort(keys.cost, kind="stable")
        mine = self._is_suppressed & ~fixed
        free = np.ascontiguousarray((keys.free[self._row] | self._is_suppressed)[:, dear])
        inside = np.array([mask_bits(one.columns, len(keys.cost))[dear] for one in keys.wanted])
        least = np.array([one.k for one in keys.wanted])
        matches = least[None, :] - self.lacking_matches()
        codes = np.ascontiguousarray(keys.codes[self._row][:, dear])
        fill_again(codes, free, np.ascontiguousarray(mine[:, dear]), self._number, matches, inside, least)
        left = np.zeros_like(free)
        left[:, dear] = free
        left &= ~keys.free[self._row]
        mask = (left.astype(np.int64) << np.arange(len(keys.cost))).sum(axis=1)
        some = mask > 0
        return SuppressionAssignment(self._row[some], mask[some], self._number[some])
