"""Blanks that are a category of their own: records that lose the same cells must be k together (``missing="own"``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...progress import report_progress
from .assignment import CLASSES, optimal_assignment
from .keys import Keys, SuppressionAssignment, mask_bits, sets_by_cost
from .lattice import SETS, VISITS, cheapest_sets

if TYPE_CHECKING:
    from ...progress import Progress


def cluster_blanks(
    keys: Keys, *, exact: bool = True, progress: Progress | None = None
) -> tuple[SuppressionAssignment, float | None]:
    """Blanks after which every record is one of k with the same keys, for one combination; and a lower bound, if any.

    Sets of columns by rising cost: the rare records that become equal when they lose them, with those that look so
    already, stay together if they are k; where they are fewer, records that larger classes can spare join them if that
    is cheaper than losing one more column. Those who are left at the end lose all, and others must join
    (:func:`merge_keyless`). On small files, and if ``exact``, an integer programme then chooses among these groups and every cheapest one
    (:func:`optimal_assignment`). Where no key was missing before, each rare record at its cheapest set is the bound.
    """
    rare = np.flatnonzero(keys.weight < keys.wanted[0].k)
    greedy = merge_keyless(keys, _Grouping(keys).assign_records(progress))
    if not exact:
        return greedy, None
    sets = cheapest_sets(keys, rare, wild=False, ties=len(keys.weight) <= CLASSES, progress=progress)
    least = np.full(len(rare), np.inf)
    for places, mask in sets:
        least[places] = np.minimum(least[places], keys.mask_cost(mask))
    bound = None if keys.free.any() else float((least * keys.weight[rare]).sum())
    return optimal_assignment(keys, rare, sets, greedy) or greedy, bound


class _Grouping:
    """The rare records not placed yet, what the other classes can spare, and the groups made so far."""

    def __init__(self, keys: Keys) -> None:
        self._keys, self._k = keys, keys.wanted[0].k
        self._left = np.where(keys.weight < self._k, keys.weight, 0)
        self._spare = np.where(keys.weight < self._k, 0, keys.weight - self._k)
        self._placed: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._step = float(keys.cost[keys.required_columns].min())

    def assign_records(self, progress: Progress | None) -> SuppressionAssignment:
        """Every rare record with the columns that it loses, and those who join; the last may still be fewer than k."""
        keys, full = self._keys, 0
        most = min(SETS, max(2 * len(keys.cost), VISITS // (4 * max(1, len(keys.weight)))))
        for turn, mask in enumerate(sets_by_cost(keys.required_columns, keys.cost)):
            if turn >= most or not self._left.any():
                break
            report_progress(progress, "suppress_cells", 0.5 * turn / most)
            self._try_columns(mask)
        for place in keys.required_columns:
            full |= 1 << place
            if self._left.any():
                self._try_columns(full)
        self._assign_rows(np.flatnonzero(self._left), full, self._left[self._left > 0])
        parts = zip(*self._placed, strict=True) if self._placed else ((), (), ())
        return SuppressionAssignment(*(np.concatenate([np.zeros(0, dtype=np.int64), *part]) for part in parts))

    def _try_columns(self, mask: int) -> None:
        """Place the rare records that this set of columns brings together."""
        rows, group, have = self._joinable_classes(mask)
        rare = np.bincount(group, weights=self._left[rows], minlength=len(have))
        spare = np.bincount(group, weights=self._spare[rows], minlength=len(have))
        need = np.maximum(0, self._k - have - rare)
        cost = self._keys.mask_cost(mask)
        good = (rare > 0) & ((need == 0) | ((need <= spare) & (cost * (rare + need) <= (cost + self._step) * rare)))
        mine = rows[good[group] & (self._left[rows] > 0)]
        self._assign_rows(mine, mask, self._left[mine])
        self._left[mine] = 0
        donors = np.flatnonzero(good[group] & (need[group] > 0) & (self._spare[rows] > 0))
        donors = donors[np.lexsort([*self._keys.codes[rows[donors]].T, group[donors]])]
        reached = np.cumsum(self._spare[rows[donors]])
        first = np.concatenate(([True], np.diff(group[donors]) != 0))[: len(donors)]
        before = reached - self._spare[rows[donors]]
        start = np.maximum.accumulate(np.where(first, before, 0)) if len(donors) else before
        take = np.clip(need[group[donors]] - (before - start), 0, self._spare[rows[donors]]).astype(np.int64)
        some = take > 0
        self._assign_rows(rows[donors[some]], mask, take[some])
        self._spare[rows[donors[some]]] -= take[some]

    def _joinable_classes(self, mask: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Classes that can take part, their group when they lose the columns, and how many look so already."""
        from ...kernels.groups import group_rows

        keys, columns = self._keys, mask_bits(mask, len(self._keys.cost))
        rows = np.flatnonzero((self._left > 0) | (self._spare > 0))
        codes, number = [keys.codes[rows]], [np.zeros(len(rows), dtype=np.int64)]
        codes[0][:, columns] = keys.spans[columns] - 1
        if keys.free.any():
            there = np.flatnonzero(keys.free[:, columns].all(axis=1) & (keys.weight >= self._k))
            codes.append(keys.codes[there])
            number.append(np.full(len(there), self._k))
            for row, lost, many in self._placed:
                free = keys.free[row] | (lost[:, None] >> np.arange(len(columns)) & 1 == 1)
                looks = free[:, columns].all(axis=1)
                codes.append(np.where(free, keys.spans - 1, keys.codes[row])[looks])
                number.append(many[looks])
        together = np.concatenate(codes)
        group, count = group_rows(list(together.T), [int(span) for span in keys.spans])
        have = np.bincount(group, weights=np.concatenate(number), minlength=count)
        return rows, group[: len(rows)], have

    def _assign_rows(self, rows: np.ndarray, mask: int, number: np.ndarray) -> None:
        if len(rows):
            self._placed.append((rows, np.full(len(rows), mask, dtype=np.int64), number.astype(np.int64)))


def merge_keyless(keys: Keys, assigned: SuppressionAssignment) -> SuppressionAssignment:
    """The assignment in which those without any key are none or at least k.

    What other groups have above k joins them, cheapest first; where that is too little, the whole group for which
    least is lost. Who looks the same after the blanks is one group. O(classes log classes).
    """
    k, full = keys.wanted[0].k, 0
    for place in keys.required_columns:
        full |= 1 << place
    if not keys.free.any() and not (assigned.mask == full).any():
        return assigned
    while True:
        row, mask, number = _all_units(keys, assigned)
        group, size, cost, bare = _suppressed_groups(keys, row, mask, number)
        short = k - int(number[bare].sum())
        if short <= 0 or short == k or bare.all():
            return assigned
        spare = np.maximum(size - k, 0)
        spare[group[bare]] = 0
        if spare.sum() >= short:
            take = _apportion_joiners(short, spare, cost, group, number * ~bare)
        else:
            price = np.bincount(group, weights=cost * number)
            price[group[bare]] = np.inf
            take = np.where(group == np.argmin(price), number, 0)
        left, moved = number - take, take > 0
        row = np.concatenate([row[left > 0], row[moved]])
        mask = np.concatenate([mask[left > 0], np.full(moved.sum(), full, dtype=np.int64)])
        number = np.concatenate([left[left > 0], take[moved]])
        some = mask > 0
        assigned = SuppressionAssignment(row[some], mask[some], number[some])


def _all_units(keys: Keys, assigned: SuppressionAssignment) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The assigned records and the rest of every class, which loses nothing; in the order of their values."""
    rest = keys.weight.copy()
    np.subtract.at(rest, assigned.row, assigned.number)
    kept = np.flatnonzero(rest)
    row = np.concatenate([kept, assigned.row])
    mask = np.concatenate([np.zeros(len(kept), dtype=np.int64), assigned.mask])
    number = np.concatenate([rest[kept], assigned.number])
    order = np.lexsort([mask, *keys.codes[row].T])
    return row[order], mask[order], number[order]


def _suppressed_groups(
    keys: Keys, row: np.ndarray, mask: np.ndarray, number: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of each unit: its group after the blanks; the group's size; what a record still has to lose; whether nothing."""
    from ...kernels.groups import group_rows

    free = keys.free[row] | (mask[:, None] >> np.arange(len(keys.cost)) & 1 == 1)
    codes = np.where(free, keys.spans - 1, keys.codes[row])
    group, count = group_rows(list(codes.T), [int(span) for span in keys.spans])
    size = np.bincount(group, weights=number, minlength=count).astype(np.int64)
    used = np.zeros(len(keys.cost), dtype=bool)
    used[keys.required_columns] = True
    return group, size, (~free * keys.cost)[:, used].sum(axis=1), free[:, used].all(axis=1)


def _apportion_joiners(
    short: int, spare: np.ndarray, cost: np.ndarray, group: np.ndarray, number: np.ndarray
) -> np.ndarray:
    """How many records of each unit join: ``short`` in all, none from below k, the cheapest first."""
    take = np.zeros_like(number)
    for unit in np.argsort(cost, kind="stable"):
        taken = min(short, int(spare[group[unit]]), int(number[unit]))
        take[unit] = taken
        spare[group[unit]] -= taken
        short -= taken
        if short == 0:
            break
    return take
