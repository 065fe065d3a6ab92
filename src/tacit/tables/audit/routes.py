"""Short ways to move an unsafe cell as far as its levels ask: whoever knows no cell on the way cannot tell."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...kernels.highs import program, quiet
from .system import System

__all__ = ["Routes"]

AVOIDED = 20.0
"""A way round that is this much longer is taken rather than one through a cell that somebody knows."""


class Routes:
    r"""Changes of a few cells that keep every sum: the fewest and smallest that move one cell by a given amount (G-02).

    .. math:: \min \sum_j c_j |d_j| \quad\text{such that}\quad A d = 0,\; d_k = \pm need,\; l \le a + d \le h

    a + d is then a table that agrees with the publication, and also with whatever somebody knows of cells where d is 0. One
    warm linear program (dual simplex) for each route.
    """

    def __init__(self, part: System, values: np.ndarray, avoided: np.ndarray) -> None:
        self.part, self.values, self.size = part, values, len(values)
        self._solver = quiet(presolve="off")
        self._room = np.concatenate([part.high - values, values - part.low])
        costs = np.where(avoided, AVOIDED, 1.0)
        nothing = np.zeros(len(part.rows))
        program(
            self._solver,
            sp.hstack([part.matrix, -part.matrix], format="csc"),
            columns=(np.zeros(2 * self.size), np.maximum(self._room, 0.0)),
            rows=(nothing, nothing),
            costs=np.concatenate([costs, costs]),
        )

    def route(self, place: int, way: int, need: float) -> np.ndarray | None:
        """Which cells move when one rises (way = 1) or falls by ``need``; None when it cannot go so far."""
        from highspy import HighsModelStatus

        column = place if way > 0 else place + self.size
        back = place + self.size if way > 0 else place
        if need > self._room[column]:
            return None
        self._solver.changeColBounds(column, need, need)
        self._solver.changeColBounds(back, 0.0, 0.0)
        self._solver.run()
        found = None
        if self._solver.getModelStatus() == HighsModelStatus.kOptimal:
            moves = np.asarray(self._solver.getSolution().col_value)
            found = self._moved(moves[: self.size] - moves[self.size :], place, way * need)
        for one in (column, back):
            self._solver.changeColBounds(one, 0.0, max(0.0, float(self._room[one])))
        return found

    def _moved(self, deviation: np.ndarray, place: int, wanted: float) -> np.ndarray | None:
        """The cells of a route, once it is checked that what is left of it keeps every sum and bound."""
        size = max(1.0, abs(wanted))
        kept = np.where(np.abs(deviation) > 1e-9 * size, deviation, 0.0)
        table = self.values + kept
        inside = (table >= self.part.low - 1e-9 * size).all() and (table <= self.part.high + 1e-9 * size).all()
        if not inside or kept[place] != wanted or np.abs(self.part.matrix @ kept).max(initial=0.0) > 1e-7 * size:
            return None
        return np.asarray(kept != 0)
