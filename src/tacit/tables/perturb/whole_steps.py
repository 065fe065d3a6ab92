"""The programs behind controlled rounding: steps between 0 and 1, as a linear program and in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...kernels.highs import program, quiet
from ..suppress.limits import Limits
from .grid import Grid

__all__ = ["Steps", "relaxed", "whole_steps"]

WHOLE = 1e-6
"""So far from a whole number a step may be and still count as one."""


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Steps above the floor per cell (None: none found), the least distance in steps that is proven, and how it ended.

    ``prices``: by how much the distance grows when a cell is forced to its other multiple, at least (linear program only).
    """

    steps: np.ndarray | None
    bound: float
    ended: Literal["optimal", "impossible", "limit", "clock"]
    prices: np.ndarray | None = None

    @property
    def integral(self) -> bool:
        """Whether all steps are whole numbers."""
        return self.steps is not None and bool((np.abs(self.steps - np.round(self.steps)) <= WHOLE).all())


def relaxed(grid: Grid, *, weights: np.ndarray, tilt: np.ndarray | None = None) -> Steps:
    r"""The linear program :math:`\min \sum w_i |x_i - a_i|` over additive tables between the two multiples of each cell (G-05).

    With a step z between 0 and 1 a cell is :math:`w\,(part + (1 - 2\,part) z)` steps away at both ends, and that is linear.
    In two dimensions with at most one hierarchy the matrix is that of a network, so the vertex that the simplex method ends
    in is whole. ``tilt`` adds to the costs, to choose among equal tables. The dual simplex without presolve is
    fastest by far: there are few rows and many columns.
    """
    costs = weights * (1 - 2 * grid.part)
    solver = quiet(presolve="off", solver="simplex")
    ends = (np.zeros(grid.table.size), grid.between.astype(np.float64))
    program(
        solver,
        grid.matrix,
        columns=ends,
        rows=(grid.sides, grid.sides),
        costs=costs if tilt is None else costs + tilt,
    )
    solver.run()
    if solver.modelStatusToString(solver.getModelStatus()) != "Optimal":
        return Steps(None, float("inf"), "impossible")
    solution = solver.getSolution()
    steps, prices = np.asarray(solution.col_value), np.abs(np.asarray(solution.col_dual))
    least = float(solver.getInfo().objective_function_value + weights @ grid.part)
    if tilt is not None:
        # No table is nearer by more than the whole tilt; between whole figures distances are whole parts of a step.
        least -= float(tilt[grid.between].sum())
        whole = all(
            (numbers == np.rint(numbers)).all() for numbers in (weights, grid.table.values, np.array(grid.base))
        )
        least = float(np.ceil(least * grid.base - 1e-6) / grid.base) if whole else least
    return Steps(steps, least, "optimal", prices)


def whole_steps(
    grid: Grid, *, weights: np.ndarray, free: np.ndarray, start: np.ndarray | None, limits: Limits
) -> Steps:
    """The same in whole numbers by branch and bound, the cells that are not ``free`` kept as in ``start``.

    The bound is one for all tables only when every cell between two multiples is free. O(2^free) at worst: limits end it.
    """
    from highspy import HighsSolution

    low, high = np.zeros(grid.table.size), grid.between.astype(np.float64)
    if start is not None:
        low, high = np.where(free, low, start), np.where(free, high, start)
    clock = {} if limits.seconds is None else {"time_limit": limits.seconds}
    solver = quiet(mip_max_nodes=limits.nodes, mip_rel_gap=1e-6, simplex_iteration_limit=limits.iterations, **clock)
    program(
        solver,
        grid.matrix,
        columns=(low, high),
        rows=(grid.sides, grid.sides),
        costs=weights * (1 - 2 * grid.part),
        whole=np.ones(grid.table.size, dtype=bool),
    )
    if start is not None:
        known = HighsSolution()
        known.col_value = start.tolist()
        known.value_valid = True
        solver.setSolution(known)
    solver.run()
    said = solver.modelStatusToString(solver.getModelStatus())
    if "nfeasible" in said:
        return Steps(None, float("inf"), "impossible")
    info, found = solver.getInfo(), solver.getSolution()
    steps = np.round(np.asarray(found.col_value)) if found.value_valid and info.primal_solution_status == 2 else None
    ended: Literal["optimal", "clock", "limit"] = (
        "optimal" if said == "Optimal" else "clock" if said == "Time limit reached" else "limit"
    )
    return Steps(steps, float(info.mip_dual_bound + weights @ grid.part), ended)
