"""What goes with what: a column is known by its company, whatever it is called and in whatever unit."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import polars as pl

from .column_view import ColumnView

LARGEST = 50
"""Columns with more categories than this go with anything by chance."""
ENOUGH = 0.5
"""Associations that sum to less than this say little."""


def column_associations(columns: Sequence[ColumnView]) -> tuple[np.ndarray, np.ndarray]:
    """For each pair of columns how strongly they go together, in [−1, 1], and which columns have an order.

    Spearman's correlation of two ordered columns; the correlation ratio of ranks (adjusted for the number of groups) where one is a
    category; Cramér's V (with its usual correction) of two categories. All but the first have no sign, and none depends on the names or the
    unit of values. NaN where it cannot be told. O(n) for each pair.

    References
    ----------
    Bergsma (2013), A bias-correction for Cramér's V and Tschuprow's T, Journal of the Korean Statistical Society 42, 323–328.
    """
    ranks = [_column_ranks(one) for one in columns]
    codes = [None if rank is not None else _column_codes(one) for one, rank in zip(columns, ranks, strict=True)]
    found = np.full((len(columns), len(columns)), np.nan)
    for i in range(len(columns)):
        for k in range(i):
            found[i, k] = found[k, i] = _pair_association(ranks[i], codes[i], ranks[k], codes[k])
    return found, np.array([rank is not None for rank in ranks], dtype=bool)


def structural_similarity(theirs: np.ndarray, ours: np.ndarray, *, weights: np.ndarray, rows: tuple[int, int]) -> float:
    r"""In [0, 1], how far two columns go alike with the columns that were matched already (their anchors).

    .. math:: T = \frac{\sum_k w_k \min(|a_k|, |b_k|)\,1[a_k b_k > 0]}{\sum_k w_k \max(|a_k|, |b_k|)},

    over the anchors with an association beyond chance on either side, differences within chance left out, times how much
    association there is: columns that go with nothing say nothing.
    """
    chance = sqrt(1 / max(1, rows[0]) + 1 / max(1, rows[1]))
    larger = np.fmax(np.abs(theirs), np.abs(ours))
    used = ~np.isnan(theirs) & ~np.isnan(ours) & (larger > 3 * chance)
    if not used.any():
        return 0.0
    a, b, w, larger = theirs[used], ours[used], weights[used], larger[used]
    alike = np.where(a * b > 0, np.minimum(np.minimum(np.abs(a), np.abs(b)) + 2 * chance, larger), 0.0)
    total = float(w @ larger)
    return float(w @ alike) / total * min(1.0, total / ENOUGH) if total else 0.0


def _column_ranks(column: ColumnView) -> np.ndarray | None:
    cells = column.ordered_cells()
    if cells is None:
        return None
    return pl.Series(cells).fill_nan(None).rank().fill_null(float("nan")).to_numpy()


def _column_codes(column: ColumnView) -> np.ndarray | None:
    values = column.values
    if values is None or not 2 <= len(values.dictionary) <= LARGEST:
        return None
    return np.where(values.codes < len(values.dictionary), values.codes, -1)


def _pair_association(
    ranks: np.ndarray | None, codes: np.ndarray | None, other_ranks: np.ndarray | None, other_codes: np.ndarray | None
) -> float:
    if ranks is not None and other_ranks is not None:
        return _safe_correlation(ranks, other_ranks)
    if codes is not None and other_codes is not None:
        return _cramers_v(codes, other_codes)
    numbers, groups = (ranks, other_codes) if ranks is not None else (other_ranks, codes)
    return np.nan if numbers is None or groups is None else _correlation_ratio(numbers, groups)


def _safe_correlation(a: np.ndarray, b: np.ndarray) -> float:
    known = ~np.isnan(a) & ~np.isnan(b)
    a, b = a[known], b[known]
    if len(a) < 3 or not np.ptp(a) or not np.ptp(b):
        return np.nan
    return float(np.corrcoef(a, b)[0, 1])


def _correlation_ratio(ranks: np.ndarray, groups: np.ndarray) -> float:
    known = ~np.isnan(ranks) & (groups >= 0)
    ranks, groups = ranks[known], groups[known]
    count = np.bincount(groups)
    n, k = len(ranks), int((count > 0).sum())
    total = float(ranks.var()) * n if n else 0.0
    if n <= k or k < 2 or not total:
        return np.nan
    sums = np.bincount(groups, weights=ranks - ranks.mean())
    between = float((sums[count > 0] ** 2 / count[count > 0]).sum())
    return sqrt(max(0.0, 1 - (1 - between / total) * (n - 1) / (n - k)))


def _cramers_v(a: np.ndarray, b: np.ndarray) -> float:
    known = (a >= 0) & (b >= 0)
    a, b = a[known], b[known]
    n = len(a)
    if n < 3:
        return np.nan
    width = int(b.max()) + 1
    table = np.bincount(a * width + b, minlength=(int(a.max()) + 1) * width).reshape(-1, width).astype(float)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    r, c = table.shape
    if min(r, c) < 2:
        return np.nan
    usual = table.sum(axis=1, keepdims=True) @ table.sum(axis=0, keepdims=True) / n
    square = max(0.0, float(((table - usual) ** 2 / usual).sum()) / n - (r - 1) * (c - 1) / (n - 1))
    sides = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return min(1.0, sqrt(square / max(min(sides) - 1, 1e-9)))
