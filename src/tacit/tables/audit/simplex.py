"""Linear programs over one part of the unknown cells: the extremes of a sum of cells, with a proof of each."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ...kernels.highs import pass_program, quiet_solver
from .system import Contradiction, System

if TYPE_CHECKING:
    from highspy import HighsModelStatus


FRACTIONS = 1000
"""Coordinates of corners and prices are whole, or fractions with denominators that are rarely larger than this."""
LARGEST = 10**6
"""No common denominator larger than this is tried."""
SCALED = 2.0**20
"""The largest range that the solver sees, also where all ranges are below 1: it works with absolute tolerances."""
WHOLE = 2.0**53


@dataclass(frozen=True, slots=True, eq=False)
class Extreme:
    """The largest (or smallest) value of a sum over the system, and a table of the system that attains it.

    ``proven`` says that table and dual prices agree to the last unit, in exact arithmetic; ``feasible`` that the table
    meets every equation and bound exactly (or, where figures are no decimal numbers, as far as the solver can tell).
    """

    value: float
    table: np.ndarray
    proven: bool
    feasible: bool


class Simplex:
    """A warm solver for one part of the system: each new question starts from the last answer (primal simplex)."""

    def __init__(self, system: System) -> None:
        self.system, self.count = system, 0
        self._transposed = system.matrix.T.tocsr()
        self._ranges = np.where(
            np.isfinite(system.low), system.low, np.where(np.isfinite(system.high), system.high, 0.0)
        )
        reach = np.abs(np.concatenate([system.low - self._ranges, system.high - self._ranges]))
        reach = reach[np.isfinite(reach)]
        size = float(reach.max(initial=0.0)) or 1.0
        self._scale = 1.0 if 1.0 <= size <= SCALED else float(2.0 ** np.ceil(np.log2(size / SCALED)))
        self._right = (system.constants - system.matrix @ self._ranges) / self._scale
        self._solver = quiet_solver(presolve="off", simplex_strategy=4)
        self._costs = np.zeros(len(system.cells))
        shifted = ((system.low - self._ranges) / self._scale, (system.high - self._ranges) / self._scale)
        pass_program(self._solver, system.matrix, columns=shifted, rows=(self._right, self._right), costs=self._costs)

    def extreme(self, weights: np.ndarray, *, way: int) -> Extreme:
        """The largest (way = 1) or smallest (−1) value of weights · x."""
        from highspy import HighsModelStatus

        costs = -way * weights
        changed = np.flatnonzero(costs != self._costs).astype(np.int32)
        if len(changed):
            self._solver.changeColsCost(len(changed), changed, costs[changed])
            self._costs = costs
        self._solver.run()
        self.count += 1
        status = self._solver.getModelStatus()
        if status in (HighsModelStatus.kUnbounded, HighsModelStatus.kUnboundedOrInfeasible):
            status = self._resolve_status(status)
        if status == HighsModelStatus.kUnbounded:
            return Extreme(way * np.inf, np.full(len(weights), np.nan), proven=False, feasible=False)
        if status != HighsModelStatus.kOptimal:
            raise self._find_contradiction()
        return self._proven_extreme(weights, way)

    def _resolve_status(self, status: HighsModelStatus) -> HighsModelStatus:
        """Tell a sum without limit from a system without tables: with no question asked the latter stays."""
        from highspy import HighsModelStatus

        if status == HighsModelStatus.kUnbounded:
            return status
        kept = self._costs
        every = np.arange(len(kept), dtype=np.int32)
        self._solver.changeColsCost(len(kept), every, np.zeros(len(kept)))
        self._solver.run()
        found = self._solver.getModelStatus()
        self._solver.changeColsCost(len(kept), every, kept)
        return HighsModelStatus.kUnbounded if found == HighsModelStatus.kOptimal else found

    def _proven_extreme(self, weights: np.ndarray, way: int) -> Extreme:
        """The solver's corner and prices, checked in exact arithmetic where figures are whole units."""
        solution = self._solver.getSolution()
        table = self._ranges + self._scale * np.asarray(solution.col_value)
        if not self.system.exact:
            return Extreme(float(weights @ table), table, proven=False, feasible=True)
        prices = -way * np.asarray(solution.row_dual)
        parts = common_denominator(table)
        corner = np.rint(table * parts)
        if not self._is_feasible(corner, parts):
            return Extreme(float(weights @ table), table, proven=False, feasible=False)
        reached = float(weights @ corner)
        finer = common_denominator(prices)
        proven = self._dual_bound(weights, np.rint(prices * finer), finer, way) * parts == reached * finer
        return Extreme(reached / parts, corner / parts, proven=proven, feasible=True)

    def _is_feasible(self, corner: np.ndarray, parts: int) -> bool:
        """Whether whole numbers of 1/parts units meet every equation and bound, to the last digit."""
        system = self.system
        small = float((abs(system.matrix) @ np.abs(corner)).max(initial=0.0)) < WHOLE
        inside = bool((corner >= system.low * parts).all() and (corner <= system.high * parts).all())
        return small and inside and bool((system.matrix @ corner == system.constants * parts).all())

    def _dual_bound(self, weights: np.ndarray, prices: np.ndarray, parts: int, way: int) -> float:
        r"""What whole prices y, in 1/parts, prove: :math:`y b + \sum_j \max_{x_j}(c_j - y A_j) x_j`, for way = 1."""
        rest = weights * parts - self._transposed @ prices
        used = np.flatnonzero(rest)
        ends = np.stack([rest[used] * self.system.low[used], rest[used] * self.system.high[used]])
        terms = np.concatenate([prices * self.system.constants, ends.max(axis=0) if way > 0 else ends.min(axis=0)])
        return float(terms.sum()) if np.abs(terms).sum() < WHOLE else float("nan")

    def _find_contradiction(self) -> Contradiction:
        """The equation that misses most when all together miss least."""
        rows = len(self.system.rows)
        sides = sp.identity(rows, format="csr")
        matrix = sp.hstack([self.system.matrix, sides, -sides], format="csr")
        low = np.concatenate([(self.system.low - self._ranges) / self._scale, np.zeros(2 * rows)])
        high = np.concatenate([(self.system.high - self._ranges) / self._scale, np.full(2 * rows, np.inf)])
        costs = np.concatenate([np.zeros(len(self._costs)), np.ones(2 * rows)])
        solver = quiet_solver()
        pass_program(solver, matrix, columns=(low, high), rows=(self._right, self._right), costs=costs)
        solver.run()
        extra = np.asarray(solver.getSolution().col_value)[len(self._costs) :].reshape(2, rows).sum(axis=0)
        worst = int(extra.argmax())
        return Contradiction(int(self.system.rows[worst]), float(extra[worst] * self._scale) / self.system.per)


def common_denominator(figures: np.ndarray) -> int:
    """The least number of parts of which all figures are whole numbers, to within 1e-7; 1 when there is none of use.

    >>> common_denominator(np.array([2.0, 0.5, 1 / 3])), common_denominator(np.array([7.0]))
    (6, 1)
    """
    parts, rests = 1, np.abs(figures - np.rint(figures))
    for rest in np.unique(np.round(rests[rests > 5e-8], 7)):
        parts = lcm(parts, Fraction(float(rest)).limit_denominator(FRACTIONS).denominator)
        if parts > LARGEST:
            return 1
    return parts
