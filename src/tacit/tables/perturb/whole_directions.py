"""Directions by branch and bound: for small tables, and for the part of a large one where directions contradict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ...kernels.highs import INFINITE, program, quiet
from ..suppress.limits import Limits
from .demands import Demands
from .directions import Directed

__all__ = ["Searched", "whole_directions"]


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """Directions (None: none found), a bound over all choices of the free cells, and whether none exists at all."""

    upward: np.ndarray | None
    bound: float
    impossible: bool
    clock: bool


def whole_directions(demands: Demands, now: Directed, *, free: np.ndarray, within: float, limits: Limits) -> Searched:
    r"""The best directions of the ``free`` cells, the others kept as they are (G-05).

    ``within`` such a share of the least cost is good enough.

    With b = 1 for up: :math:`u\,b \le d^+ \le U\,b` and :math:`l\,(1-b) \le d^- \le L\,(1-b)`. O(2^free) at worst.
    """
    from highspy import HighsSolution

    size, cells = len(demands.price), demands.cells
    count = len(cells)
    matrix = demands.problem.table.equations.matrix
    rows, sides = _choices(demands)
    system = sp.vstack([sp.hstack([matrix, -matrix, sp.csr_matrix((matrix.shape[0], count))]), rows])
    zero = np.zeros(matrix.shape[0])
    low, high = np.where(demands.may_down, 0.0, 1.0), np.where(demands.may_up, 1.0, 0.0)
    low, high = np.where(free, low, now.upward), np.where(free, high, now.upward)
    clock = {} if limits.seconds is None else {"time_limit": limits.seconds}
    solver = quiet(
        mip_max_nodes=limits.nodes, mip_rel_gap=max(within, 1e-6), simplex_iteration_limit=limits.iterations, **clock
    )
    program(
        solver,
        system,
        columns=(np.r_[np.zeros(2 * size), low], np.r_[demands.above, demands.below, high]),
        rows=(np.r_[zero, sides[0]], np.r_[zero, sides[1]]),
        costs=np.r_[demands.price, demands.price, np.zeros(count)],
        whole=np.r_[np.zeros(2 * size, dtype=bool), np.ones(count, dtype=bool)],
    )
    if not now.short.any():
        known = HighsSolution()
        known.col_value = np.r_[np.maximum(now.moves, 0), np.maximum(-now.moves, 0), now.upward].tolist()
        known.value_valid = True
        solver.setSolution(known)
    solver.run()
    said = solver.modelStatusToString(solver.getModelStatus())
    info, found = solver.getInfo(), solver.getSolution()
    some = found.value_valid and info.primal_solution_status == 2
    upward = np.asarray(found.col_value)[2 * size :] > 0.5 if some else None
    return Searched(upward, float(info.mip_dual_bound), "nfeasible" in said, said == "Time limit reached")


def _choices(demands: Demands) -> tuple[sp.csr_matrix, tuple[np.ndarray, np.ndarray]]:
    """The rows that tie the two columns of an unsafe cell to its choice."""
    size, cells = len(demands.price), demands.cells
    count = len(cells)
    number, choice = np.arange(count), 2 * size + np.arange(count)

    def tied(columns: np.ndarray, factors: np.ndarray) -> sp.csr_matrix:
        places = (np.r_[number, number], np.r_[columns, choice])
        return sp.csr_matrix((np.r_[np.ones(count), factors], places), shape=(count, 2 * size + count))

    most_up, most_down = demands.above[cells], demands.below[cells]
    rows = sp.vstack(
        [
            tied(cells, -demands.up),
            tied(cells, -most_up),
            tied(size + cells, demands.down),
            tied(size + cells, most_down),
        ]
    )
    none = np.full(count, INFINITE)
    low = np.r_[np.zeros(count), -none, demands.down, -none]
    high = np.r_[none, np.zeros(count), none, most_down]
    return rows, (low, high)
