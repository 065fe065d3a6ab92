"""Amounts near those of the donors, so that no number of the original comes back."""

from __future__ import annotations

import numpy as np

__all__ = ["smoothed"]


def smoothed(
    values: np.ndarray, leaves: np.ndarray, drawn: np.ndarray, common: int, rng: np.random.Generator
) -> np.ndarray:
    """New amounts for the donors ``drawn``: anywhere up to half-way to the neighbours in their leaf.

    A donor's mass is spread evenly between the midpoints to the next smaller and the next larger amount in its leaf (at
    the ends as far outwards as inwards, reflected at the range of the column): a kernel as wide as the data are thin, by
    which crowded amounts move a little and lone ones far. A donor whose leaf has no other amount takes the neighbours in
    the whole column. An amount that ``common`` records or more share (no income at all, a minimum wage) is no secret
    of one of them, and stays. O(n log n) time.
    """
    distinct, of_row, counts = np.unique(values, return_inverse=True, return_counts=True)
    down, up = _reach(values, leaves)
    alone = (down == 0) & (up == 0)
    if alone.any():
        wide = _reach(distinct, np.zeros(len(distinct), dtype=np.int64))
        down, up = (np.where(alone, side[of_row], own) for side, own in zip(wide, (down, up), strict=True))
    made = values[drawn] - down[drawn] + rng.random(len(drawn)) * (down + up)[drawn]
    low, high = distinct[0], distinct[-1]
    inside = np.clip(np.where(made < low, 2 * low - made, np.where(made > high, 2 * high - made, made)), low, high)
    kept: np.ndarray = np.where(counts[of_row][drawn] < common, inside, values[drawn])
    return kept


def _reach(values: np.ndarray, leaves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far down and up to the midpoints of each amount and its neighbours in the leaf; 0 where there are none."""
    order = np.lexsort((values, leaves))
    ranked, leaf = values[order], leaves[order]
    other = np.append(True, (np.diff(leaf) != 0) | (np.diff(ranked) != 0))
    place, each = np.cumsum(other) - 1, np.flatnonzero(other)
    half = np.where(np.diff(leaf[each]) == 0, np.diff(ranked[each]) / 2, np.nan)
    down, up = np.append(np.nan, half), np.append(half, np.nan)
    down, up = np.where(np.isnan(down), up, down), np.where(np.isnan(up), down, up)
    found = np.empty((2, len(values)))
    found[:, order] = np.nan_to_num(np.stack([down, up]))[:, place]
    return found[0], found[1]
