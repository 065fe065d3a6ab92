"""Bounds on each unknown cell from the equations one at a time: what pencil and paper give before any program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .system import Contradiction, System

ROUNDS = 50
"""So often every equation is used; bounds that still move then go to the linear programs as they are."""


def propagate_bounds(system: System, *, rounds: int = ROUNDS) -> System:
    r"""Every bound tightened by every equation, again and again until none moves.

    From :math:`\sum_j a_j x_j = b`, each cell is at most (for :math:`a_k > 0`)

    .. math:: x_k \le \Big(b - \sum_{j \ne k} \min(a_j l_j, a_j h_j)\Big) / a_k

    and at least the same with max. No table of the system is lost. Where cells and equations form no circle the bounds
    are exact after a round for each equation (see ``intervals.md``). O(rounds × entries of the matrix).
    """
    entries = system.matrix.tocoo()
    row, column, sign = entries.row, entries.col, entries.data
    low, high, slack = system.low.copy(), system.high.copy(), system.slack
    for _ in range(rounds):
        least = np.minimum(sign * low[column], sign * high[column])
        most = np.maximum(sign * low[column], sign * high[column])
        others_least, others_most = (_without_each(row, side, len(slack)) for side in (least, most))
        _check_equations(system, row, (least, most), slack)
        up, down = system.constants[row] - others_least, system.constants[row] - others_most
        above = np.where(sign > 0, up, down) / sign
        below = np.where(sign > 0, down, up) / sign
        # Binary fractions: moves within the noise, and of cells as good as known, would only let errors grow.
        free = system.exact | (high - low > system.noise)[column]
        down_to, up_to = free & (above < high[column] - slack[row]), free & (below > low[column] + slack[row])
        new_high, new_low = high.copy(), low.copy()
        np.minimum.at(new_high, column[down_to], above[down_to])
        np.maximum.at(new_low, column[up_to], below[up_to])
        crossed = np.flatnonzero(new_low > new_high)
        if len(crossed):
            _check_cells(system, (row, column), new_low - new_high, slack)
            # Rounding let the bounds of a known cell pass one another by a hair: they meet in the middle.
            new_low[crossed] = new_high[crossed] = (new_low[crossed] + new_high[crossed]) / 2
        low, high = new_low, new_high
        if not (down_to.any() or up_to.any()):
            break
    point = ~(high - low > 4 * system.noise) & (low < high)
    low[point] = high[point] = low[point] + (high[point] - low[point]) / 2
    return replace(system, low=low, high=high)


def _without_each(row: np.ndarray, terms: np.ndarray, rows: int) -> np.ndarray:
    """For each term the sum of the others of its equation; infinite ones are counted, not added."""
    infinite = np.isinf(terms)
    finite = np.where(infinite, 0.0, terms)
    sums = np.bincount(row, finite, minlength=rows)[row] - finite
    others = np.bincount(row, infinite, minlength=rows)[row] - infinite
    # Terms of a smallest sum are never +inf and those of a largest never −inf, so one sign serves all.
    return np.where(others > 0, terms[infinite][0] if infinite.any() else 0.0, sums)


def _check_equations(system: System, row: np.ndarray, sides: tuple[np.ndarray, np.ndarray], slack: np.ndarray) -> None:
    """Refuse an equation that even the extreme values of its cells do not meet."""
    least, most = (np.bincount(row, side, minlength=len(slack)) for side in sides)
    misses = np.maximum(least - system.constants, system.constants - most)
    if (misses > slack).any():
        worst = int(np.where(misses > slack, misses, -np.inf).argmax())
        raise Contradiction(int(system.rows[worst]), float(misses[worst]) / system.per)


def _check_cells(system: System, entries: tuple[np.ndarray, np.ndarray], gaps: np.ndarray, slack: np.ndarray) -> None:
    """Refuse two equations that leave no value to a cell they share; the first of them is named."""
    row, column = entries
    allowed = np.zeros(len(gaps))
    np.maximum.at(allowed, column, slack[row])
    worst = int((gaps - allowed).argmax())
    if gaps[worst] > allowed[worst]:
        raise Contradiction(int(system.rows[row[column == worst][0]]), float(gaps[worst]) / system.per)
