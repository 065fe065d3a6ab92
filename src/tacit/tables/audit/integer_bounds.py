"""Intervals for an attacker who knows that every cell is a whole number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import TacitError
from ...kernels.highs import pass_program, quiet_solver
from .component import PartIntervals
from .system import System

MOST = 2000
"""Whole-number programs over more cells than this may take hours; rounding inwards is the answer there."""
NEAR = 1e-6
"""An end that is so near to a whole number is that number."""


def round_inwards(low: np.ndarray, high: np.ndarray, per: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends moved inwards to whole numbers (of ``per`` units each): no whole table is lost by that, nor by the solver's error.

    >>> [side.tolist() for side in round_inwards(np.array([0.3, 2.0]), np.array([4.7, 2.0]), 1.0)]
    [[1.0, 2.0], [4.0, 2.0]]
    """
    return np.ceil(low / per - NEAR) * per, np.floor(high / per + NEAR) * per


def integer_intervals(part: System, found: PartIntervals, wanted: np.ndarray) -> PartIntervals:
    r"""The smallest and largest WHOLE value of each wanted cell over the whole tables of one part.

    .. math:: \min / \max\ x_k \quad \text{such that}\quad A x = b,\; l \le x \le h,\; x \in \mathbb{Z}^n

    Never wider than the interval of linear programming, and the same where its corners are whole: in every table of two
    dimensions with at most one hierarchy, whose equations are those of flows in a network. In three dimensions the two
    differ. A part without circles needs no program.
    """
    low, high = round_inwards(found.low, found.high, part.per)
    if part.is_forest or not len(part.rows):
        return replace(found, low=low, high=high)
    if len(part.cells) > MOST:
        raise TacitError(
            f"whole='exact' is asked of {len(part.cells):,} cells that hang together",
            code="invalid_parameter",
            parameter="whole",
            fix=f"use whole=True, or hide fewer cells: up to {MOST:,} that hang together can be solved in whole numbers",
        )
    model = _Model(part)
    for place in np.flatnonzero(wanted):
        for way, ends in ((-1, low), (1, high)):
            reached = model.most[place] >= high[place] if way > 0 else model.least[place] <= low[place]
            if not reached:
                ends[place] = model.extreme(int(place), way)
    return PartIntervals(low, high, found.proven & False, found.programs + model.count)


class _Model:
    """One whole-number program whose question changes, and the extremes of all tables that it met."""

    def __init__(self, part: System) -> None:
        self.part, self.count = part, 0
        self.solver = quiet_solver(mip_rel_gap=0.0, mip_abs_gap=0.5)
        sides = part.constants / part.per
        low, high = part.low / part.per, part.high / part.per
        cells = len(part.cells)
        every = np.ones(cells, dtype=bool)
        pass_program(
            self.solver, part.matrix, columns=(low, high), rows=(sides, sides), costs=np.zeros(cells), whole=every
        )
        self.least, self.most = np.full(cells, np.inf), np.full(cells, -np.inf)
        self.asked = 0

    def extreme(self, place: int, way: int) -> float:
        """The largest (way = 1) or smallest whole value of a cell."""
        from highspy import HighsModelStatus

        self.solver.changeColCost(self.asked, 0.0)
        self.solver.changeColCost(place, float(-way))
        self.asked = place
        self.solver.run()
        self.count += 1
        status = self.solver.getModelStatus()
        if status in (HighsModelStatus.kUnbounded, HighsModelStatus.kUnboundedOrInfeasible):
            return way * np.inf
        if status != HighsModelStatus.kOptimal:
            raise TacitError(
                "no table of whole numbers agrees with what is published",
                code="not_whole_number",
                fix="leave whole out, or give the tolerance within which the figures were rounded",
            )
        table = np.rint(np.asarray(self.solver.getSolution().col_value)) * self.part.per
        self.least, self.most = np.minimum(self.least, table), np.maximum(self.most, table)
        return float(table[place])
