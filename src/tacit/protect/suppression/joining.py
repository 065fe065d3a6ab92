"""Those who lost every key must be k: whom they take along when nothing else is left."""

from __future__ import annotations

import numpy as np

from .keys import Assigned, Keys

__all__ = ["joined"]


def joined(keys: Keys, assigned: Assigned) -> Assigned:
    """The assignment in which those without any key are none or at least k.

    What other groups have above k joins them, cheapest first; where that is too little, the whole group for which
    least is lost. Who looks the same after the blanks is one group. O(classes log classes).
    """
    k, full = keys.wanted[0].k, 0
    for place in keys.used:
        full |= 1 << place
    if not keys.free.any() and not (assigned.mask == full).any():
        return assigned
    while True:
        row, mask, number = _everybody(keys, assigned)
        group, size, cost, bare = _groups(keys, row, mask, number)
        short = k - int(number[bare].sum())
        if short <= 0 or short == k or bare.all():
            return assigned
        spare = np.maximum(size - k, 0)
        spare[group[bare]] = 0
        if spare.sum() >= short:
            take = _share(short, spare, cost, group, number * ~bare)
        else:
            price = np.bincount(group, weights=cost * number)
            price[group[bare]] = np.inf
            take = np.where(group == np.argmin(price), number, 0)
        left, moved = number - take, take > 0
        row = np.concatenate([row[left > 0], row[moved]])
        mask = np.concatenate([mask[left > 0], np.full(moved.sum(), full, dtype=np.int64)])
        number = np.concatenate([left[left > 0], take[moved]])
        some = mask > 0
        assigned = Assigned(row[some], mask[some], number[some])


def _everybody(keys: Keys, assigned: Assigned) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The assigned records and the rest of every class, which loses nothing; in the order of their values."""
    rest = keys.weight.copy()
    np.subtract.at(rest, assigned.row, assigned.number)
    kept = np.flatnonzero(rest)
    row = np.concatenate([kept, assigned.row])
    mask = np.concatenate([np.zeros(len(kept), dtype=np.int64), assigned.mask])
    number = np.concatenate([rest[kept], assigned.number])
    order = np.lexsort([mask, *keys.codes[row].T])
    return row[order], mask[order], number[order]


def _groups(
    keys: Keys, row: np.ndarray, mask: np.ndarray, number: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of each unit: its group after the blanks; the group's size; what a record still has to lose; whether nothing."""
    from ...kernels.groups import group_rows

    free = keys.free[row] | (mask[:, None] >> np.arange(len(keys.cost)) & 1 == 1)
    codes = np.where(free, keys.spans - 1, keys.codes[row])
    group, count = group_rows(list(codes.T), [int(span) for span in keys.spans])
    size = np.bincount(group, weights=number, minlength=count).astype(np.int64)
    used = np.zeros(len(keys.cost), dtype=bool)
    used[keys.used] = True
    return group, size, (~free * keys.cost)[:, used].sum(axis=1), free[:, used].all(axis=1)


def _share(short: int, spare: np.ndarray, cost: np.ndarray, group: np.ndarray, number: np.ndarray) -> np.ndarray:
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
