"""Cells that become computable at once because they stand alone in a sum: the cheap part of the arithmetic."""

from __future__ import annotations

import numpy as np

from ..problem import Problem
from .needs import Needs

__all__ = ["Alone"]


class Alone:
    """How many suppressed cells every equation has; a cell alone in one is known, and so are those it leaves alone (G-04).

    Answers "does an unsafe cell become known when this cell is published?" without a linear program; "no" is no promise.
    O(equations touched) per question.
    """

    def __init__(self, problem: Problem, hidden: np.ndarray, needs: Needs) -> None:
        matrix = problem.table.equations.matrix
        by_cell = matrix.tocsc()
        self._start, self._rows = by_cell.indptr, by_cell.indices
        ones = matrix.copy()
        ones.data = np.ones_like(ones.data)
        self._counts = np.asarray(ones @ hidden.astype(np.float64)).astype(np.int64)
        # The sum of the cell numbers in an equation: what is left of it when one cell is, is that cell.
        self._sums = np.asarray(ones @ np.where(hidden, np.arange(len(hidden)), 0).astype(np.float64)).astype(np.int64)
        self._needed = np.zeros(len(hidden), dtype=bool)
        self._needed[needs.cells] = True

    def gives_away(self, cell: int) -> bool:
        """Whether publishing the cell makes an unsafe one known; nothing is changed by asking."""
        taken, todo, gone = [], [cell], {cell}
        while todo:
            now = todo.pop()
            for row in self._rows[self._start[now] : self._start[now + 1]].tolist():
                self._counts[row] -= 1
                self._sums[row] -= now
                taken.append((row, now))
                if self._counts[row] == 1 and (left := int(self._sums[row])) not in gone:
                    if self._needed[left]:
                        self._undo(taken)
                        return True
                    gone.add(left)
                    todo.append(left)
        self._undo(taken)
        return False

    def publish(self, cell: int) -> None:
        """Take the cell out of the equations for good."""
        rows = self._rows[self._start[cell] : self._start[cell + 1]]
        self._counts[rows] -= 1
        self._sums[rows] -= cell

    def _undo(self, taken: list[tuple[int, int]]) -> None:
        for row, cell in taken:
            self._counts[row] += 1
            self._sums[row] += cell
