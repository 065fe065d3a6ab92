"""Amounts between those of the donors, so that no number of the original comes back."""

from __future__ import annotations

import numpy as np

__all__ = ["smoothed"]


def smoothed(
    values: np.ndarray, leaves: np.ndarray, drawn: np.ndarray, common: int, rng: np.random.Generator
) -> np.ndarray:
    """New amounts for the donors ``drawn``: anywhere up to half-way to the neighbours in their leaf.

    A donor's mass is spread evenly between the midpoints to the next smaller and the next larger amount in its leaf (to
    one side at the ends), a kernel as wide as the data are thin: crowded amounts hardly move, lone ones far, and no new
    amount lies outside its leaf. A donor alone in its leaf takes the neighbours in the whole column. An amount that
    ``common`` records or more share (no income at all, a minimum wage) is no secret of one of them, and stays.
    O(n log n) time.
    """
    distinct, of_row, counts = np.unique(values, return_inverse=True, return_counts=True)
    lone = counts[of_row] < common
    low, high = _reach(values, leaves, lone)
    alone = lone & (low == values) & (high == values)
    if alone.any():
        wide_low, wide_high = _reach(
            distinct, np.zeros(len(distinct), dtype=np.int64), np.ones(len(distinct), dtype=bool)
        )
        low, high = np.where(alone, wide_low[of_row], low), np.where(alone, wide_high[of_row], high)
    spread = low[drawn] + rng.random(len(drawn)) * (high[drawn] - low[drawn])
    made: np.ndarray = np.where(lone[drawn], spread, values[drawn])
    return made


def _reach(values: np.ndarray, leaves: np.ndarray, lone: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The midpoints to the neighbours of every lone amount among those of its leaf, itself where there are none."""
    rows = np.flatnonzero(lone)
    rows = rows[np.lexsort((values[rows], leaves[rows]))]
    low, high = values.astype(float), values.astype(float)
    if len(rows) > 1:
        here, there = rows[:-1], rows[1:]
        beside = leaves[here] == leaves[there]
        middle = values[here] + (values[there] - values[here]) / 2
        high[here] = np.where(beside, middle, values[here])
        low[there] = np.where(beside, middle, values[there])
    return low, high
