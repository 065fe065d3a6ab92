"""The attacker's linear program over the cells of a block, asked again and again with other bounds."""

from __future__ import annotations

import numpy as np

from ....kernels.highs import program, quiet
from .block import Block, Goal
from .effort import Effort

__all__ = ["Probe"]


class Probe:
    """How far a goal is reached when the cells ``among`` may move as far as told; each question starts from the last basis."""

    def __init__(self, block: Block, effort: Effort, among: np.ndarray) -> None:
        self._effort = effort
        self._cells = np.flatnonzero(among)
        self._place = np.full(block.size, -1, dtype=np.int32)
        self._place[self._cells] = np.arange(len(self._cells))
        self._solver = quiet(presolve="off", simplex_strategy=4)
        still, none = np.zeros(len(self._cells)), np.zeros(block.matrix.shape[0])
        program(self._solver, block.matrix[:, self._cells], columns=(still, still), rows=(none, none), costs=still)
        self._all = np.arange(len(self._cells), dtype=np.int32)
        self._aim = 0

    def bound(self, down: np.ndarray, up: np.ndarray, goal: Goal) -> None:
        """Let every cell deviate by so much at most. The cell of the goal is not asked beyond its level."""
        up, down, at = up[self._cells], down[self._cells], self._place[goal.cell]
        up[at], down[at] = min(up[at], goal.level), min(down[at], goal.level)
        self._solver.changeColsBounds(len(self._all), self._all, -down, up)

    def let(self, cells: np.ndarray, down: np.ndarray, up: np.ndarray) -> None:
        """The same for some cells."""
        self._solver.changeColsBounds(len(cells), self._place[cells], -down, up)

    def room(self, goal: Goal) -> tuple[float, list[np.ndarray]]:
        """The deviations of the goal's cell in its directions, added up, and the row duals of each."""
        total, duals, at = 0.0, [], int(self._place[goal.cell])
        for sign in goal.signs:
            self._solver.changeColCost(self._aim, 0.0)
            self._solver.changeColCost(at, -float(sign))
            self._aim = at
            self._solver.run()
            self._effort.ran(int(self._solver.getInfo().simplex_iteration_count))
            solution = self._solver.getSolution()
            total += sign * float(solution.col_value[at])
            duals.append(np.asarray(solution.row_dual))
        return total, duals
