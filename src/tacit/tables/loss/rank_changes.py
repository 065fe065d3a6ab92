"""Whether the order of the cells is still the true one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...result import Result, Results
from ..table import Table
from .cells import check_cell_count, finest_cells

LONG = 500
"""Sums of more parts are counted by sorting; of fewer, all pairs side by side are faster."""


def rank_changes(table: Table, values: np.ndarray) -> Results:
    r"""How far a perturbed table ranks its cells otherwise than the true one.

    * ``rank correlation``: :math:`1 - \rho` with Spearman's ρ over the finest cells (equal figures share the mean rank), so that 0 is
      the same order and 2 the reverse; facts give ρ and Kendall's :math:`\tau_b`. Left out where all figures are equal.
    * ``order within sums``: of all pairs of parts of one sum that truly differ, the share whose order is reversed; facts give the
      share that became equal, and in how many sums another part is the largest now. "Which region is ahead?" is answered
      wrongly so often.

    Loss, measured. Time O(cells log cells + pairs of parts of sums up to 500 parts), memory O(cells).

    References
    ----------
    Kendall (1938), A new measure of rank correlation, Biometrika 30, 81–93.
    """
    found = check_cell_count(table, values, what="perturbed figures").astype(np.float64)
    inner = finest_cells(table)
    parts = [_rank_correlation(table.values[inner], found[inner]), _order_within_sums(table, found)]
    return Results(tuple(part for part in parts if part is not None))


def _rank_correlation(before: np.ndarray, after: np.ndarray) -> Result | None:
    if len(before) < 2 or (before == before[0]).all() or (after == after[0]).all():
        return None
    from scipy.stats import kendalltau, rankdata

    rho = float(np.corrcoef(rankdata(before), rankdata(after))[0, 1])
    tau = float(kendalltau(before, after).statistic)
    facts: dict[str, object] = {"spearman": rho, "kendall": tau, "finest cells": len(before)}
    return Result(name="rank correlation", value=max(0.0, 1 - rho), worse="high", about="utility", facts=facts)


def _order_within_sums(table: Table, values: np.ndarray) -> Result:
    pairs = reversed_pairs = tied = other_first = sums = 0
    for cells in _parts_of_sums(table):
        before, after = table.values[cells], values[cells]
        found = (_side_by_side if len(cells) <= LONG else _count_by_sorting)(before, after)
        pairs, reversed_pairs, tied = pairs + found[0], reversed_pairs + found[1], tied + found[2]
        other_first += int(after[before.argmax()] < after.max())
        sums += 1
    facts: dict[str, object] = {
        "became equal": tied / pairs if pairs else 0.0,
        "pairs": pairs,
        "another part is the largest": other_first,
        "sums": sums,
    }
    share = reversed_pairs / pairs if pairs else 0.0
    return Result(name="order within sums", value=share, worse="high", about="utility", facts=facts)


def _parts_of_sums(table: Table) -> Iterator[np.ndarray]:
    """The parts of each sum that has at least two."""
    matrix = table.equations.matrix
    for row in range(matrix.shape[0]):
        start, end = matrix.indptr[row : row + 2]
        cells = matrix.indices[start:end][matrix.data[start:end] > 0]
        if len(cells) > 1:
            yield cells


def _side_by_side(before: np.ndarray, after: np.ndarray) -> tuple[int, int, int]:
    """Pairs that truly differ; of these, those whose order is reversed, and those that became equal."""
    way = np.sign(before[:, None] - before[None, :])
    now = np.sign(after[:, None] - after[None, :])
    reverse, equal = way * now < 0, (way != 0) & (now == 0)
    return tuple(int(np.count_nonzero(which)) // 2 for which in (way, reverse, equal))  # type: ignore[return-value]


def _count_by_sorting(before: np.ndarray, after: np.ndarray) -> tuple[int, int, int]:
    r"""The same from Kendall's :math:`\tau_b = (C - D) / \sqrt{(all - ties_x)(all - ties_y)}`, which is found by sorting."""
    from scipy.stats import kendalltau

    every = len(before) * (len(before) - 1) // 2
    differ, differ_now = every - _count_ties(before), every - _count_ties(after)
    equal = _count_ties(after) - _count_ties(np.column_stack([before, after]))
    if not differ or not differ_now:
        return differ, 0, equal
    more = float(kendalltau(before, after).statistic) * np.sqrt(float(differ) * float(differ_now))
    return differ, round((differ - equal - more) / 2), equal


def _count_ties(figures: np.ndarray) -> int:
    """Pairs of equal figures, or of equal rows."""
    count = np.unique(figures, axis=0, return_counts=True)[1].astype(np.int64)
    return int((count * (count - 1) // 2).sum())
