"""Mining after hiding, by another way: transactions are counted one projection after the other, without bits."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError
from .baskets import Baskets
from .frequent import MOST, ordered_sets
from .patterns import ItemSets
from .thresholds import least_count

__all__ = ["remined"]


def remined(baskets: Baskets, *, minsup: float, most: int = MOST) -> ItemSets:
    """The frequent sets, found anew and independently: what every verdict rests on.

    Horizontal where :func:`.frequent.frequent` is vertical: the transactions that hold an item, cut to the items after
    it, are counted by themselves, and so on (Agarwal et al. 2001). No compiled code, no bits, no shared line with the
    miner that the hiding methods use. Time O(cells of all projections), memory O(cells · depth).

    >>> dict(remined(Baskets.of([["bread", "milk"], ["bread", "milk", "tea"], ["tea"]]), minsup=2))
    {('bread',): 2, ('milk',): 2, ('tea',): 2, ('bread', 'milk'): 2}

    References
    ----------
    Agarwal, Aggarwal, Prasad (2001), A tree projection algorithm for generation of frequent item sets, JPDC 61, 350–371.
    """
    least, found = least_count(minsup, baskets.size), dict[tuple[int, ...], int]()
    waiting: list[tuple[tuple[int, ...], np.ndarray, np.ndarray]] = [((), baskets.held.rows, baskets.held.codes)]
    while waiting:
        prefix, rows, codes = waiting.pop()
        counts = np.bincount(codes, minlength=0)
        often = np.flatnonzero(counts >= least)
        kept = (counts >= least)[codes] if len(codes) else np.zeros(0, dtype=bool)
        rows, codes = rows[kept], codes[kept]
        by_item, ends = np.argsort(codes, kind="stable"), np.cumsum(counts[often])
        row_end = np.searchsorted(rows, rows, side="right")
        for item, count, end in zip(often.tolist(), counts[often].tolist(), ends.tolist(), strict=True):
            longer = (*prefix, item)
            found[longer] = count
            if len(found) > most:
                raise TacitError(f"more than {most:,} sets are frequent", fix="use a higher minsup")
            cells = by_item[end - count : end]
            after = _spans(cells + 1, row_end[cells])
            if len(after) >= least:
                waiting.append((longer, rows[after], codes[after]))
    return ordered_sets(found, baskets)


def _spans(first: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """The whole numbers from each ``first`` to before its ``stop``, one stretch after the other."""
    length = stop - first
    found: np.ndarray = np.arange(int(length.sum())) + np.repeat(first - (np.cumsum(length) - length), length)
    return found
