"""Categories that were exchanged by published chances, as a table of costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from .._columns import ColumnPair

Rows = Mapping[str, Mapping[str, Any]]
"""True value → released value → chance, the values as text."""


def category_texts(values: pl.Series) -> pl.Series:
    """Categories as traces write them."""
    return values.cast(pl.String)


def transition_costs(
    theirs: pl.Series,
    row_of: Callable[[int], Mapping[str, Any] | None],
    *,
    kinds: np.ndarray,
    floor: float,
) -> ColumnPair:
    r"""A column of both files with the costs :math:`-\log P(y \mid x) / P(y)`, P(y) its share in the release.

    The intruder's records are of the numbered ``kinds`` (−1 where the value is missing), and ``row_of`` says what each
    kind becomes with which chance; None where nobody knows, which costs nothing. Chances below ``floor`` are raised to
    it, because they may be the rounding of a small one; with a floor of 0 they are impossible. A missing cell has the
    likelihood ratio one. O(kinds · categories) time and memory.
    """
    shown = theirs.drop_nulls().unique().sort()
    place = {str(value): number for number, value in enumerate(shown.to_list())}
    released = theirs.replace_strict(
        list(place), list(range(len(place))), default=None, return_dtype=pl.Float64
    ).fill_null(float("nan"))
    known = released.fill_nan(None).drop_nulls().cast(pl.Int64).to_numpy()
    shares = np.bincount(known, minlength=max(1, len(place))) / max(1, len(known))
    table = np.zeros((int(kinds.max(initial=0)) + 1, max(1, len(place))))
    for kind in range(len(table)):
        row = row_of(kind)
        if row is None:
            continue
        chance = np.zeros(table.shape[1])
        for value, number in place.items():
            chance[number] = float(row.get(value, 0.0))
        with np.errstate(divide="ignore"):
            table[kind] = np.log(np.maximum(shares, 1e-300)) - np.log(np.maximum(chance, floor))
    own = np.where(kinds < 0, np.nan, kinds.astype(float))
    return ColumnPair(released.to_numpy(), own, kind="table", usual=1.0, share=0.0, weight=1.0, table=table)


def mix_rows(rows: Sequence[Mapping[str, Any]], weights: np.ndarray) -> dict[str, float]:
    """The chances of a value of which nobody knows by which of several rows it was changed."""
    found: dict[str, float] = {}
    for row, weight in zip(rows, weights / weights.sum(), strict=True):
        for value, chance in row.items():
            found[value] = found.get(value, 0.0) + float(weight) * float(chance)
    return found
