"""The cheapest sets of columns that a rare class must lose to be matched by enough others as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...progress import report_progress
from .keys import Keys, mask_bits, sets_by_cost

if TYPE_CHECKING:
    from ...progress import Progress


PAIRS = 200_000_000
"""Comparisons of two classes, about a second, up to which missing keys are counted as wildcards, all pairs compared."""

SETS = 5_000
"""Sets of columns that are tried in order of cost; beyond them columns are given up one after the other."""

VISITS = 2_000_000_000
"""The same limit in visits of a class, for large files."""

NEAR = 1e-9
"""Costs this near are equal."""


class MatchCounts:
    """By how many records each of some classes is matched on a part of its columns, the others counted as they are.

    Without missing keys, or under ``wild=False``, that is a count of equal rows. A missing key that matches anything is
    counted so on small files; on large ones as a category, which is never more than the truth.
    """

    def __init__(self, keys: Keys, rows: np.ndarray, *, wild: bool) -> None:
        self._keys, self._rows = keys, rows
        pairs = len(rows) * len(keys.weight) * 2 ** min(len(keys.cost), 12)
        self._wild = wild and bool(keys.free.any()) and pairs <= PAIRS
        self._enough: dict[tuple[int, int], np.ndarray] = {}

    def has_matches(self, kept: int, k: int) -> np.ndarray:
        """Which of the classes at least k records match on the columns kept (bits)."""
        if (kept, k) not in self._enough:
            self._enough[kept, k] = self.of(kept) >= k
        return self._enough[kept, k]

    def of(self, kept: int) -> np.ndarray:
        """The number of records that match each of the classes on the columns kept; O(classes · columns)."""
        from ...kernels.groups import group_rows
        from ...kernels.suppression import equal_weight, matching_weight

        keys, places = self._keys, mask_bits(kept, len(self._keys.cost))
        if not kept:
            return np.full(len(self._rows), keys.weight.sum())
        if self._wild:
            found: np.ndarray = matching_weight(keys.codes, keys.free, keys.weight, self._rows, places)
            return found
        span = int(np.prod(keys.spans[places].astype(float)))
        if span <= 8 * len(keys.weight) + (1 << 16):
            radix = np.zeros(len(keys.cost), dtype=np.int64)
            radix[places] = np.cumprod(np.concatenate(([1], keys.spans[places][:-1])))
            counted: np.ndarray = equal_weight(keys.codes, radix, span, keys.weight, self._rows)
            return counted
        columns = [np.ascontiguousarray(keys.codes[:, place]) for place in np.flatnonzero(places)]
        groups, count = group_rows(columns, [int(span) for span in keys.spans[places]])
        total = np.bincount(groups, weights=keys.weight, minlength=count)
        summed: np.ndarray = total[groups[self._rows]].astype(np.int64)
        return summed


def cheapest_sets(
    keys: Keys, rows: np.ndarray, *, wild: bool, ties: bool, progress: Progress | None = None
) -> list[tuple[np.ndarray, int]]:
    """Sets of columns by rising cost, each with the places in ``rows`` of the classes for which it is a cheapest one.

    A set is enough for a class when on what is left of every combination wanted k records match it, the others taken
    as they are. With ``ties`` all cheapest sets of a class are given, else one. Exact up to ``SETS`` sets; what is then
    still open gives up its columns one by one, cheapest first, which ends with no column and all records.
    """
    counts = MatchCounts(keys, rows, wild=wild)
    best = np.full(len(rows), np.inf)
    found: list[tuple[np.ndarray, int]] = []

    def tried(mask: int, cost: float) -> None:
        ok = (best >= cost - NEAR) if ties else np.isinf(best)
        for one in keys.wanted:
            if ok.any():
                ok &= counts.has_matches(one.columns & ~mask, one.k)
        if ok.any():
            found.append((np.flatnonzero(ok), mask))
            best[ok] = np.minimum(best[ok], cost)

    most = min(SETS, max(2 * len(keys.cost), VISITS // (max(1, len(keys.weight)) * len(keys.wanted))))
    for turn, mask in enumerate(sets_by_cost(keys.required_columns, keys.cost)):
        cost = keys.mask_cost(mask)
        done = np.isfinite(best).all() and (not ties or cost > best.max(initial=0.0) + NEAR)
        if done or turn >= most:
            break
        report_progress(progress, "suppress_cells", 0.5 * turn / most)
        tried(mask, cost)
    given_up = 0
    for place in keys.required_columns:
        given_up |= 1 << place
        if np.isinf(best).any():
            tried(given_up, keys.mask_cost(given_up))
    return found
