"""Inequalities that every pattern that protects meets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....kernels.highs import pass_program, quiet_solver
from .block import Block, Goal
from .effort import Effort

NOISE = 1e-9
"""Dual sums below this are arithmetic, not part of a cut."""

LEAST = 1e-5
"""Smaller coefficients are raised to this: the cut stays valid, and the solver does not drop them."""

VIOLATED = 1e-5
"""By so much a cut is missed to be worth adding."""


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Σ weights·y over ``cells`` is ``least`` or more."""

    cells: np.ndarray
    weights: np.ndarray
    least: float = 1.0

    @property
    def key(self) -> bytes:
        """Equal for equal cuts."""
        return self.cells.tobytes() + np.round(self.weights, 7).tobytes()

    def left_side(self, y: np.ndarray) -> float:
        """The left side of the cut."""
        return float(self.weights @ y[self.cells])

    def is_violated(self, y: np.ndarray) -> bool:
        """Whether y breaks the cut by more than arithmetic."""
        return self.left_side(y) < self.least - VIOLATED


class Cutter:
    r"""Finds cuts for one goal at a time; the argument for each kind is in ``exact.md``.

    *Capacity* (Fischetti and Salazar): duals of the attacker's program give, for every y,
    :math:`room(y) \le \sum_j c_j y_j`; so :math:`\sum_j \min(c_j, r)\, y_j \ge r` over the free cells, r what the cells
    that are hidden anyway leave of the level. The duals are taken with deviations cut off at the level: any duals give
    a valid cut, and these give the one that clipping weakens least.

    *Cover*: when a goal is missed with all cells of a set T hidden, one cell outside T must be hidden. T is grown, cells with
    a large y first, until no cell more leaves the goal missed.
    """

    def __init__(self, block: Block, effort: Effort) -> None:
        self._block, self._effort = block, effort
        self.fix_published(np.zeros(block.size, dtype=bool))

    def fix_published(self, gone: np.ndarray) -> None:
        """Hide these cells no more in all that follows: they cannot move."""
        self._up, self._down = np.where(gone, 0.0, self._block.up), np.where(gone, 0.0, self._block.down)
        self._probe, self._sets = (Probe(self._block, self._effort, ~gone) for _ in range(2))

    def is_missed(self, goal: Goal, hidden: np.ndarray) -> bool:
        """Whether a goal is missed with the given cells hidden."""
        self._sets.set_bounds(self._down * hidden, self._up * hidden, goal)
        return not _is_goal_reached(self._sets.goal_room(goal)[0], goal)

    def capacity_cut(self, goal: Goal, y: np.ndarray, *, capped: bool = True) -> Cut | None:
        """The capacity cut over the free cells that y is nearest to missing, None when there is none."""
        block = self._block
        most = goal.level if capped else np.inf
        self._probe.set_bounds(np.minimum(self._down, most) * y, np.minimum(self._up, most) * y, goal)
        weights = self._dual_weights(goal, self._probe.goal_room(goal)[1])
        least = goal.level - float(weights[block.fixed].sum())
        if least <= 1e-7 * goal.level:
            return None
        weights[block.fixed] = 0.0
        cells = np.flatnonzero(weights)
        return Cut(cells, np.clip(weights[cells] / least, LEAST, 1.0))

    def cover_cut(self, goal: Goal, start: np.ndarray, y: np.ndarray) -> Cut:
        """The cover cut of a largest set around ``start``, with which the goal is missed.

        The duals of the last program bound what further cells can add: only where that reaches the level is a program solved.
        """
        outside = np.flatnonzero(~start & (self._up + self._down > 0))
        outside = outside[np.lexsort((outside, self._block.cost[outside], -np.round(y[outside], 9)))]
        self._sets.set_bounds(self._down * start, self._up * start, goal)
        weights = self._dual_weights(goal, self._sets.goal_room(goal)[1])
        inside, reach = start.copy(), float(weights[start].sum())
        waiting: list[int] = []
        left: list[int] = []
        for cell in outside.tolist():
            waiting.append(cell)
            if reach + weights[cell] < goal.level * (1 - 1e-7):
                inside[cell] = True
                reach += float(weights[cell])
                continue
            self._release_cells(waiting)
            waiting = []
            room, duals = self._sets.goal_room(goal)
            if _is_goal_reached(room, goal):
                left.append(cell)
                self._sets.set_cell_bounds(np.array([cell]), np.zeros(1), np.zeros(1))
            else:
                inside[cell] = True
                weights = self._dual_weights(goal, duals)
                reach = float(weights[inside].sum())
        cells = np.sort(np.array(left, dtype=np.int64))
        return Cut(cells, np.ones(len(cells)))

    def _release_cells(self, waiting: list[int]) -> None:
        cells = np.array(waiting)
        self._sets.set_cell_bounds(cells, self._down[cells], self._up[cells])

    def _dual_weights(self, goal: Goal, duals: list[np.ndarray]) -> np.ndarray:
        """What each cell, once hidden, adds to the room of the goal at most, by duality."""
        weights = np.zeros(self._block.size)
        for sign, row in zip(goal.signs, duals, strict=True):
            push = self._block.transposed @ row
            push[goal.cell] += sign
            push[np.abs(push) < NOISE] = 0.0
            weights += np.maximum(push, 0.0) * self._up + np.maximum(-push, 0.0) * self._down
        return weights


def _is_goal_reached(room: float, goal: Goal) -> bool:
    return room >= goal.level * (1 - 1e-9) - NOISE


def bridgeless_cuts(block: Block, y: np.ndarray) -> list[Cut]:
    """The cells that y hides alone in an equation: y of one is at most that of all others there (*bridge-less* inequalities).

    Such a cell can be computed, so hiding it protects nothing, and some cheapest pattern hides none.
    """
    matrix = block.matrix
    present = matrix.copy()
    present.data = np.ones(len(matrix.data))
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    watched = ~(present @ block.fixed.astype(np.float64) > 0)[row]
    alone = np.flatnonzero(watched & (2 * y[matrix.indices] > (present @ y)[row] + VIOLATED))
    return [_bridgeless_cut(matrix, int(row[entry]), int(matrix.indices[entry])) for entry in alone]


def all_company(block: Block, among: np.ndarray, *, most: int) -> list[Cut]:
    """All such cuts among some cells, or none if they had more than ``most`` coefficients."""
    matrix = block.matrix[:, np.flatnonzero(among)]
    free = [row for row in range(matrix.shape[0]) if not block.fixed[_row_cells(block.matrix, row)].any()]
    if int((np.diff(matrix.indptr)[free].astype(np.int64) ** 2).sum()) > most:
        return []
    return [
        _bridgeless_cut(block.matrix, row, int(cell))
        for row in free
        for cell in _row_cells(block.matrix, row)
        if among[cell]
    ]


def _bridgeless_cut(matrix: Any, row: int, cell: int) -> Cut:
    cells = _row_cells(matrix, row)
    return Cut(cells, np.where(cells == cell, -1.0, 1.0), 0.0)


def _row_cells(matrix: Any, row: int) -> np.ndarray:
    found: np.ndarray = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].astype(np.int64)
    return found


class Probe:
    """How far a goal is reached when the cells ``among`` may move as far as told; each question starts from the last basis."""

    def __init__(self, block: Block, effort: Effort, among: np.ndarray) -> None:
        self._effort = effort
        self._cells = np.flatnonzero(among)
        self._place = np.full(block.size, -1, dtype=np.int32)
        self._place[self._cells] = np.arange(len(self._cells))
        self._solver = quiet_solver(presolve="off", simplex_strategy=4)
        still, none = np.zeros(len(self._cells)), np.zeros(block.matrix.shape[0])
        pass_program(self._solver, block.matrix[:, self._cells], columns=(still, still), rows=(none, none), costs=still)
        self._all = np.arange(len(self._cells), dtype=np.int32)
        self._aim = 0

    def set_bounds(self, down: np.ndarray, up: np.ndarray, goal: Goal) -> None:
        """Let every cell deviate by so much at most. The cell of the goal is not asked beyond its level."""
        up, down, at = up[self._cells], down[self._cells], self._place[goal.cell]
        up[at], down[at] = min(up[at], goal.level), min(down[at], goal.level)
        self._solver.changeColsBounds(len(self._all), self._all, -down, up)

    def set_cell_bounds(self, cells: np.ndarray, down: np.ndarray, up: np.ndarray) -> None:
        """The same for some cells."""
        self._solver.changeColsBounds(len(cells), self._place[cells], -down, up)

    def goal_room(self, goal: Goal) -> tuple[float, list[np.ndarray]]:
        """The deviations of the goal's cell in its directions, added up, and the row duals of each."""
        total, duals, at = 0.0, [], int(self._place[goal.cell])
        for sign in goal.signs:
            self._solver.changeColCost(self._aim, 0.0)
            self._solver.changeColCost(at, -float(sign))
            self._aim = at
            self._solver.run()
            self._effort.count_program(int(self._solver.getInfo().simplex_iteration_count))
            solution = self._solver.getSolution()
            total += sign * float(solution.col_value[at])
            duals.append(np.asarray(solution.row_dual))
        return total, duals
