"""How far the cells of a pattern can move together: one linear program that is kept and asked again and again."""

from __future__ import annotations

import numpy as np

from ...kernels.highs import pass_program, quiet_solver
from ..problem import Problem
from .widths import interval_widths

WIDEST = 1e9
"""Movements are computed in a unit that keeps figures below this, and open bounds at it."""

ALIVE = 1e-9
"""Deviations below this share of the largest one are arithmetic, not movement."""


class DeviationProgram:
    r"""The deviations d that an outsider cannot tell from none, over the suppressed cells S.

    .. math:: A_S\, d = 0, \qquad low - a \le d \le high - a.

    Cells can be closed (their figure is published after all) and opened again; the solver goes on from its last basis, so
    a question costs a few pivots; ``asked`` counts them. Memory O(non-zeros of A_S).
    """

    def __init__(self, problem: Problem, hidden: np.ndarray) -> None:
        self.cells = np.flatnonzero(hidden)
        self.asked = 0
        self.place = np.full(problem.size, -1)
        self.place[self.cells] = np.arange(len(self.cells))
        self._unit = solver_unit(problem)
        self.low, self.high = (side[self.cells] / self._unit for side in deviation_bounds(problem))
        part = problem.table.equations.matrix[:, self.cells]
        part = part[np.flatnonzero(np.diff(part.indptr))]
        self._matrix = part
        self._solver = quiet_solver(presolve="off", simplex_strategy=4)
        none = np.zeros(part.shape[0])
        pass_program(
            self._solver, part, columns=(self.low, self.high), rows=(none, none), costs=np.zeros(len(self.cells))
        )

    def reach(self, cell: int, sign: int, level: float = np.inf) -> tuple[float, np.ndarray]:
        """How far the cell can move that way, but not asked beyond ``level``, and a deviation over all of S that shows it.

        The deviation is stretched as far as the bounds let it, so that it may serve other cells too.
        """
        at, level = int(self.place[cell]), level / self._unit
        low, high = float(self.low[at]), float(self.high[at])
        self._solver.changeColBounds(at, max(low, -level) if sign < 0 else 0.0, min(high, level) if sign > 0 else 0.0)
        self._solver.changeColCost(at, -float(sign))
        self._solver.run()
        self.asked += 1
        found = np.asarray(self._solver.getSolution().col_value)
        self._solver.changeColCost(at, 0.0)
        self._solver.changeColBounds(at, low, high)
        return self._scale_solution(found, at)

    def scale_to_bounds(self, movements: np.ndarray) -> np.ndarray:
        """Rows that are movements but for the bounds, shrunk or stretched to fit these; rows that do not add up become 0."""
        most = np.abs(movements).max(axis=1, keepdims=True)
        movements = np.where(np.abs(movements) > ALIVE * np.maximum(most, 1.0), movements, 0.0)
        ends = np.where(movements > 0, self.high, self.low) * self._unit
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.where(movements != 0, ends / movements, np.inf).min(axis=1)
        movements *= np.where(np.isfinite(factors), factors, 0.0)[:, None]
        off = np.abs(self._matrix @ movements.T).max(axis=0, initial=0.0)
        movements[off > 1e-9 * np.maximum(self._unit, np.abs(movements).max(axis=1))] = 0.0
        return movements

    def close(self, cell: int) -> None:
        """The cell is published: it cannot move."""
        self._solver.changeColBounds(int(self.place[cell]), 0.0, 0.0)
        self.low[self.place[cell]] = self.high[self.place[cell]] = 0.0

    def open(self, cell: int, low: float, high: float) -> None:
        """The cell is suppressed again; ``low`` and ``high`` as they stood before it was closed."""
        self._solver.changeColBounds(int(self.place[cell]), low, high)
        self.low[self.place[cell]], self.high[self.place[cell]] = low, high

    def _scale_solution(self, found: np.ndarray, at: int) -> tuple[float, np.ndarray]:
        found = np.where(np.abs(found) > ALIVE * max(1.0, float(np.abs(found).max(initial=0.0))), found, 0.0)
        moved = np.flatnonzero(found)
        if not len(moved):
            return 0.0, found
        ends = np.where(found[moved] > 0, self.high[moved], self.low[moved])
        found *= max(1.0, float((ends / found[moved]).min()))
        found *= self._unit
        return abs(float(found[at])), found


def solver_unit(problem: Problem) -> float:
    """The smallest level wanted, but never so small that figures pass :data:`WIDEST`; the solver computes in it."""
    levels = np.concatenate(
        [side[problem.primaries] for side in (problem.lower, problem.upper, interval_widths(problem))]
    )
    levels = levels[np.isfinite(levels) & (levels > 0)]
    largest = float(np.abs(problem.table.values).max(initial=0.0))
    found = max(float(levels.min()) if len(levels) else 1.0, 1e3 * largest / WIDEST)
    return found if found > 0 else 1.0


def deviation_bounds(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """How far each cell could move down (≤ 0) and up (≥ 0) by what an outsider knows before anything is published."""
    widest = WIDEST * solver_unit(problem)
    low = np.clip(problem.low - problem.table.values, -widest, 0.0)
    high = np.clip(problem.high - problem.table.values, 0.0, widest)
    return low, high
