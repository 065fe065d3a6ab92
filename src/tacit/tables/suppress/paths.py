"""The cheapest movement that carries an unsafe cell to its level: the cells it touches are those to hide."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...kernels.highs import pass_program, quiet_solver
from ..problem import Problem
from .deviations import deviation_bounds, solver_unit

MOVED = 1e-7
"""Cells that move by less than this share of the level stay where they are."""

ROUNDS, SMALL = 3, 3_000
"""How often slopes are set, and up to how many cells more than once."""


class Paths:
    r"""The linear program of the least-cost movement over all cells that may be hidden, kept from one demand to the next.

    .. math:: \min \sum_j c_j |d_j| \quad \text{with } A d = 0,\; low - a \le d \le high - a,\; d_{cell} = \pm level.

    What is paid in truth is not by the unit moved but once per cell. So the slopes c are set to what each cell costs per
    unit at the level asked, and after each solution to what it costs per unit moved there; this is repeated while it gets
    cheaper. Memory O(non-zeros of A).

    References: D. Kim and P. M. Pardalos, A solution approach to the fixed charge network flow problem using a dynamic
    slope scaling procedure, Operations Research Letters 24 (1999) 195–203. M. Fischetti and J. J. Salazar-González,
    Solving the cell suppression problem on tabular data with linear constraints, Management Science 47 (2001) 1008–1027.
    """

    def __init__(self, problem: Problem) -> None:
        self.rounds = ROUNDS if problem.size <= SMALL else 1
        self.cells = np.flatnonzero(problem.must_suppress | problem.may_suppress)
        self._size, self._unit = problem.size, solver_unit(problem)
        self._place = np.full(problem.size, -1)
        self._place[self.cells] = np.arange(len(self.cells))
        low, high = deviation_bounds(problem)
        self._most = np.r_[high[self.cells], -low[self.cells]] / self._unit
        part = problem.table.equations.matrix[:, self.cells]
        part = sp.hstack([part, -part]).tocsc()
        self._solver = quiet_solver(presolve="off", simplex_strategy=1)
        none, flat = np.zeros(part.shape[0]), np.zeros(2 * len(self.cells))
        pass_program(self._solver, part, columns=(flat, self._most), rows=(none, none), costs=flat)

    def cheapest_path(self, cell: int, sign: int, level: float, *, prices: np.ndarray) -> np.ndarray | None:
        """A movement over all cells that carries one to its level at small total price of the cells moved; None if there is none."""
        level /= self._unit
        there, back = self._column_pair(cell, sign)
        if self._most[there] < level * (1 - MOVED):
            return None
        level = min(level, float(self._most[there]))
        self._set_bounds(there, level, level)
        self._set_bounds(back, 0.0, 0.0)
        best = self._cheapest_movement(prices[self.cells], level)
        self._set_bounds(there, 0.0, float(self._most[there]))
        self._set_bounds(back, 0.0, float(self._most[back]))
        if best is None:
            return None
        found = np.zeros(self._size)
        found[self.cells] = best * self._unit
        return found

    def _cheapest_movement(self, charge: np.ndarray, level: float) -> np.ndarray | None:
        """The best movement of a few rounds, by what the cells in it cost together."""
        best, least = None, np.inf
        slopes = np.tile(charge, 2) / np.clip(self._most, MOVED, level)
        for _ in range(self.rounds):
            moved = self._solve_movement(slopes)
            if moved is None:
                break
            moved = np.where(np.abs(moved) > MOVED * max(1.0, level), moved, 0.0)
            used = moved != 0
            paid = float(charge[used].sum())
            if paid >= least * (1 - 1e-9):
                break
            best, least = moved, paid
            if paid <= 0:
                break
            per = np.where(used, charge / np.maximum(np.abs(moved), MOVED), slopes[: len(charge)])
            slopes = np.tile(per, 2)
        return best

    def _column_pair(self, cell: int, sign: int) -> tuple[int, int]:
        up, down = int(self._place[cell]), int(self._place[cell]) + len(self.cells)
        return (up, down) if sign > 0 else (down, up)

    def _set_bounds(self, column: int, low: float, high: float) -> None:
        self._solver.changeColBounds(column, low, high)

    def _solve_movement(self, slopes: np.ndarray) -> np.ndarray | None:
        from highspy import HighsModelStatus

        everywhere = np.arange(len(slopes), dtype=np.int32)
        self._solver.changeColsCost(len(slopes), everywhere, slopes)
        # No movement at all is dual feasible, as slopes are not negative: from there it takes a few dozen dual pivots, while
        # the basis of another demand would take thousands.
        self._solver.clearSolver()
        self._solver.run()
        if self._solver.getModelStatus() != HighsModelStatus.kOptimal:
            return None
        found = np.asarray(self._solver.getSolution().col_value)
        half = len(self.cells)
        moved: np.ndarray = found[:half] - found[half:]
        return moved
