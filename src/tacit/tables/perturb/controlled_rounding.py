"""Controlled rounding: every figure to a multiple of a base next to it, and the table still adds up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ...errors import TacitError
from ...kernels.highs import pass_program, quiet_solver
from ...progress import Progress, report_progress, sub_progress
from ...seed import child_seed, make_generator
from ..equations import Equations
from ..suppress.limits import CannotProtect, Limits
from ..table import Table
from .checks import is_multiple_of_base, perturbation_facts
from .grid import Grid
from .perturbed import Perturbed

DEEPEST = 60
"""More levels of totals over totals than any table has; beyond them the equations go in a circle."""


@dataclass(frozen=True, slots=True, eq=False)
class InnerSums:
    """``matrix`` (cells × inner cells, whole numbers): all cells from the inner ones, those that are no total."""

    inner: np.ndarray
    matrix: Any

    @classmethod
    def of(cls, equations: Equations) -> InnerSums | None:
        """None where the equations do not define totals: constants, two totals in one equation, circles.

        A total with several equations is taken from the first; that the others then hold as well is checked.
        """
        signs = equations.matrix
        below = sp.csr_matrix((np.asarray(signs.data < 0, dtype=np.float64), signs.indices, signs.indptr), signs.shape)
        if equations.constants.any() or not (np.abs(signs.data) == 1).all() or (below.sum(axis=1) != 1).any():
            return None
        totals = signs.indices[signs.data < 0]
        _, first = np.unique(totals, return_index=True)
        parts = signs[first].maximum(0)
        size = signs.shape[1]
        into = sp.csr_matrix((np.ones(len(first)), (totals[first], np.arange(len(first)))), (size, len(first)))
        step = (into @ parts).tocsr()
        inner = np.setdiff1d(np.arange(size), totals)
        start = sp.csr_matrix((np.ones(len(inner)), (inner, np.arange(len(inner)))), (size, len(inner)))
        found = start
        for _ in range(DEEPEST):
            new = (start + step @ found).tocsr()
            if (new != found).nnz == 0:
                return cls(inner, found) if np.abs(signs @ found).sum() == 0 else None
            found = new
        return None


SEARCHED = 1_600
"""Branch and bound takes so many cells between two multiples at once; more of them rarely end within a minute."""

NEARBY = 600
"""Where they are more, only so many cells whose other multiple costs least are searched again."""

MOVES = 10_000
"""So many single steps the repair of totals may take."""

WHOLE = 1e-6
"""So far from a whole number a step may be and still count as one."""

PRICE = 0.2
"""What one step of distance weighs against one step beyond the two multiples around a total, at the start."""

REST = (5, 10)
"""So many moves, plus a number below the second, a cell rests after it was changed."""

PATIENCE = 300
"""Once no total is beyond, so many moves without a shorter distance end the search."""


def round_controlled(
    table: Table,
    *,
    base: float,
    weights: np.ndarray | None = None,
    seed: int | bytes | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Perturbed:
    r"""Round every cell to a multiple of ``base`` next to it so that all sums hold, as near to the truth as can be.

    .. math:: \min \sum_i w_i\,|r_i - a_i| \quad\text{such that}\quad A r = b,\;
              r_i \in \{base \lfloor a_i/base \rfloor,\; base \lceil a_i/base \rceil\}

    A figure that is a multiple stays as it is (the rounding is *zero-restricted*). One and two dimensions with at most one
    hierarchy: such a rounding always exists, and a linear program finds the best. Beyond that it may not exist, and to find
    out is hard: totals are mended by single steps, then branch and bound improves the table or proves it best. Where no
    zero-restricted table is found, inner cells keep their two multiples and some totals lie further off; ``notes`` and
    ``facts`` then say so, with their number and the largest change. The result is additive in every case.

    ``weights``: what a unit of change costs per cell (1 each by default). ``seed`` chooses at random among tables
    that are equally near. ``limits.nodes`` bounds the search tree; 0 leaves branch and bound out.
    Time: 90 000 cells of two dimensions 1 s, 10³ cells 2 s, 20³ 5 s; memory O(entries).

    >>> from tacit.tables.build.cross import added_up, cross_dimensions
    >>> from tacit.tables.dimension import Dimension
    >>> sides = [Dimension.flat("row", "abc"), Dimension.flat("column", "xy")]
    >>> inner = np.zeros((4, 3))
    >>> inner[1:, 1:] = [[2, 7], [5, 12], [12, 0]]
    >>> labels, equations = cross_dimensions(sides)
    >>> table = Table(labels=labels, values=added_up(sides, inner).ravel(), equations=equations)
    >>> rounded = round_controlled(table, base=5)
    >>> rounded.facts["additive"], rounded.cost, rounded.gap
    (True, 20.0, 0.0)

    References
    ----------
    Causey, Cox, Ernst (1985), Applications of transportation theory to statistical problems, JASA 80, 903–909.
    Cox (1987), A constructive procedure for unbiased controlled rounding, JASA 82, 520–524.
    Salazar-González (2006), Controlled rounding and cell perturbation, Mathematical Programming 105, 583–603.
    """
    grid, bounds = Grid.of(table, base), limits or Limits(nodes=200)
    price = _check_weights(table, weights)
    report_progress(progress, "rounding", 0.0)
    first = relaxed_rounding(grid, weights=price, tilt=_random_tilt(grid, price, seed))
    if first.is_integral and first.steps is not None:
        return _checked_result(grid, price, first.steps, first.bound, way=("linear program", False))
    found, sums = None, InnerSums.of(table.equations)
    if sums is not None:
        start = first.steps if first.steps is not None else grid.part
        found = repair_rounding(
            grid, sums, start=start, weights=price, moves=MOVES, progress=sub_progress(progress, 0.1, 0.5)
        )
    report_progress(progress, "branch and bound", 0.5)
    better = _branch_and_bound(grid, price, first, found, bounds)
    report_progress(progress, "branch and bound", 1.0)
    return _choose_rounding(grid, price, first, found, better)


def _check_weights(table: Table, weights: np.ndarray | None) -> np.ndarray:
    if weights is None:
        return np.ones(table.size)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (table.size,) or not np.isfinite(given).all() or (given < 0).any():
        raise TacitError(
            "weights are not a number from 0 on for each cell",
            code="wrong_type",
            fix=f"give {table.size} of them, or none",
        )
    return given


def _random_tilt(grid: Grid, weights: np.ndarray, seed: int | bytes | None) -> np.ndarray | None:
    """Random costs too small to outweigh a real difference: counts differ in distance by 1/base of a step at least."""
    if seed is None:
        return None
    least = 1.0 / (2 * grid.base * max(1, grid.table.size))
    drawn = make_generator(child_seed(seed, "equal roundings")).random(grid.table.size)
    return np.asarray(drawn * least * float(weights[weights > 0].min(initial=1.0)))


def _branch_and_bound(
    grid: Grid, weights: np.ndarray, first: RoundingSteps, found: RepairedRounding | None, limits: Limits
) -> RoundingSteps | None:
    """Branch and bound over all cells, or, when they are too many, over those whose other multiple costs least."""
    between = grid.is_between
    legal = found.steps if found is not None and not found.beyond.any() else None
    if limits.nodes == 0 or first.ended == "impossible":
        return None
    if between.sum() <= SEARCHED:
        return whole_steps(grid, weights=weights, free=between, start=legal, limits=limits)
    if legal is None or first.steps is None or first.prices is None:
        return None
    differs = (legal != first.steps) & between
    rank = np.where(differs, -1.0, np.where(between, first.prices, np.inf))
    free = np.zeros(len(rank), dtype=bool)
    free[np.argsort(rank, kind="stable")[: max(NEARBY, int(differs.sum()))]] = True
    part_only = whole_steps(grid, weights=weights, free=free & between, start=legal, limits=limits)
    return RoundingSteps(part_only.steps, first.bound, "limit" if part_only.ended == "optimal" else part_only.ended)


def _choose_rounding(
    grid: Grid, weights: np.ndarray, first: RoundingSteps, found: RepairedRounding | None, better: RoundingSteps | None
) -> Perturbed:
    bound = max(first.bound, better.bound) if better is not None else first.bound
    clock = better is not None and better.ended == "clock"
    if better is not None and better.steps is not None:
        return _checked_result(grid, weights, better.steps, bound, way=("branch and bound", clock))
    if found is None:
        raise CannotProtect(
            "no table of adjacent multiples that adds up was found, and the equations do not say which cells are totals",
            fix="give the table with its dimensions, a larger limits.nodes, or another base",
        )
    if not found.beyond.any():
        return _checked_result(grid, weights, found.steps, bound, way=("repair of totals", clock))
    none = first.ended == "impossible" or (better is not None and better.ended == "impossible")
    why = "no zero-restricted rounding exists" if none else "no zero-restricted rounding was found within the limits"
    beyond = int((found.beyond > 0).sum())
    note = (
        f"{why}: inner cells were rounded to an adjacent multiple and added up; {beyond} of the totals lie up to "
        f"{int(found.beyond.max())} steps of {grid.base:g} beyond the multiples next to them"
    )
    return _checked_result(grid, weights, found.steps, None, way=("repair of totals", clock), notes=(note,))


def _checked_result(
    grid: Grid,
    weights: np.ndarray,
    steps: np.ndarray,
    bound: float | None,
    *,
    way: tuple[str, bool],
    notes: tuple[str, ...] = (),
) -> Perturbed:
    """Checked again, and told; ``way``: what found it, and whether the clock ended the search."""
    values = grid.figures(steps)
    facts = perturbation_facts(grid.table, values)
    within = np.abs(values - grid.table.values) < grid.base * (1 - 1e-9)
    facts |= {
        "multiples of the base": is_multiple_of_base(values, grid.base),
        "cells a base or more away": int((~within).sum()),
        "found by": way[0],
    }
    if not facts["additive"] or not facts["multiples of the base"]:
        raise AssertionError("controlled rounding gave a table that does not add up")
    return Perturbed(
        original=grid.table,
        values=values,
        method="controlled rounding",
        parameters={"base": grid.base},
        facts=facts,
        notes=notes,
        cost=float(weights @ np.abs(values - grid.table.values)),
        bound=None if bound is None else grid.base * bound,
        reproducible=not way[1],
    )


@dataclass(frozen=True, slots=True, eq=False)
class RoundingSteps:
    """Steps above the floor per cell (None: none found), the least distance in steps that is proven, and how it ended.

    ``prices``: by how much the distance grows when a cell is forced to its other multiple, at least (linear program only).
    """

    steps: np.ndarray | None
    bound: float
    ended: Literal["optimal", "impossible", "limit", "clock"]
    prices: np.ndarray | None = None

    @property
    def is_integral(self) -> bool:
        """Whether all steps are whole numbers."""
        return self.steps is not None and bool((np.abs(self.steps - np.round(self.steps)) <= WHOLE).all())


def relaxed_rounding(grid: Grid, *, weights: np.ndarray, tilt: np.ndarray | None = None) -> RoundingSteps:
    r"""The linear program :math:`\min \sum w_i |x_i - a_i|` over additive tables between the two multiples of each cell.

    With a step z between 0 and 1 a cell is :math:`w\,(part + (1 - 2\,part) z)` steps away at both ends, and that is linear.
    In two dimensions with at most one hierarchy the matrix is that of a network, so the vertex that the simplex method ends
    in is whole. ``tilt`` adds to the costs, to choose among equal tables. The dual simplex without presolve is
    fastest by far: there are few rows and many columns.
    """
    costs = weights * (1 - 2 * grid.part)
    solver = quiet_solver(presolve="off", solver="simplex")
    ends = (np.zeros(grid.table.size), grid.is_between.astype(np.float64))
    pass_program(
        solver,
        grid.matrix,
        columns=ends,
        rows=(grid.right_hand_side, grid.right_hand_side),
        costs=costs if tilt is None else costs + tilt,
    )
    solver.run()
    if solver.modelStatusToString(solver.getModelStatus()) != "Optimal":
        return RoundingSteps(None, float("inf"), "impossible")
    solution = solver.getSolution()
    steps, prices = np.asarray(solution.col_value), np.abs(np.asarray(solution.col_dual))
    least = float(solver.getInfo().objective_function_value + weights @ grid.part)
    if tilt is not None:
        # No table is nearer by more than the whole tilt; between whole figures distances are whole parts of a step.
        least -= float(tilt[grid.is_between].sum())
        whole = all(
            (numbers == np.rint(numbers)).all() for numbers in (weights, grid.table.values, np.array(grid.base))
        )
        least = float(np.ceil(least * grid.base - 1e-6) / grid.base) if whole else least
    return RoundingSteps(steps, least, "optimal", prices)


def whole_steps(
    grid: Grid, *, weights: np.ndarray, free: np.ndarray, start: np.ndarray | None, limits: Limits
) -> RoundingSteps:
    """The same in whole numbers by branch and bound, the cells that are not ``free`` kept as in ``start``.

    The bound is one for all tables only when every cell between two multiples is free. O(2^free) at worst: limits end it.
    """
    from highspy import HighsSolution

    low, high = np.zeros(grid.table.size), grid.is_between.astype(np.float64)
    if start is not None:
        low, high = np.where(free, low, start), np.where(free, high, start)
    clock = {} if limits.seconds is None else {"time_limit": limits.seconds}
    solver = quiet_solver(
        mip_max_nodes=limits.nodes, mip_rel_gap=1e-6, simplex_iteration_limit=limits.iterations, **clock
    )
    pass_program(
        solver,
        grid.matrix,
        columns=(low, high),
        rows=(grid.right_hand_side, grid.right_hand_side),
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
        return RoundingSteps(None, float("inf"), "impossible")
    info, found = solver.getInfo(), solver.getSolution()
    steps = np.round(np.asarray(found.col_value)) if found.value_valid and info.primal_solution_status == 2 else None
    ended: Literal["optimal", "clock", "limit"] = (
        "optimal" if said == "Optimal" else "clock" if said == "Time limit reached" else "limit"
    )
    return RoundingSteps(steps, float(info.mip_dual_bound + weights @ grid.part), ended)


@dataclass(frozen=True, slots=True, eq=False)
class RepairedRounding:
    """Steps above the floor for every cell, additive by construction; ``beyond``: how far totals exceed the two multiples."""

    steps: np.ndarray
    beyond: np.ndarray
    distance: float


def repair_rounding(
    grid: Grid, sums: InnerSums, *, start: np.ndarray, weights: np.ndarray, moves: int, progress: Progress | None = None
) -> RepairedRounding:
    r"""The best additive table found: least steps of totals beyond the multiples around them, then least distance.

    Inner cells take one of their two multiples, so every sum is a multiple too, and additive. Each move changes the inner
    cell that lowers :math:`\sum_t w_t\,\text{beyond}_t + \lambda \sum |r - a|` most, among those not changed lately; where
    none does, the weights :math:`w_t` of the totals that are still out grow. ``moves`` bounds the search. Ties go to the
    first cell, so the same table gives the same answer. Time O(moves × entries of the sums).
    """
    state = _RepairState.of(grid, sums, start, weights)
    best = state.to_rounding()
    rest, last = np.zeros(len(state.cells), dtype=np.int64), 0
    for move in range(moves):
        if move % 256 == 0:
            report_progress(progress, "mending totals", move / moves)
        gain = np.where(rest > move, np.inf, state.move_gains())
        done = not best.beyond.any() and move - last > PATIENCE
        if done or not len(gain) or np.isinf(gain[chosen := int(gain.argmin())]):
            break
        if gain[chosen] >= 0:
            state.raise_urgency()
        state.move_cell(chosen)
        rest[chosen] = move + REST[0] + (7 * move + chosen) % REST[1]
        if state.is_better(best):
            best, last = state.to_rounding(), move
    return best


@dataclass(slots=True, eq=False)
class _RepairState:
    """The search: inner steps, the totals they give, and how much each total matters by now."""

    grid: Grid
    sums: InnerSums
    cells: np.ndarray
    totals: np.ndarray
    taken: np.ndarray
    reached: np.ndarray
    urgency: np.ndarray
    weights: np.ndarray
    over: Any
    under: Any

    @classmethod
    def of(cls, grid: Grid, sums: InnerSums, start: np.ndarray, weights: np.ndarray) -> _RepairState:
        cells = np.flatnonzero(grid.is_between[sums.inner])
        totals = np.setdiff1d(np.arange(grid.table.size), sums.inner)
        over = sums.matrix[totals][:, cells].tocsc()
        taken = np.clip(np.round(start[sums.inner][cells]), 0, 1)
        base = sums.matrix[totals] @ grid.floor[sums.inner] - grid.floor[totals]
        urgency = np.ones(len(totals))
        reached = np.round(base + over @ taken)
        return cls(grid, sums, cells, totals, taken, reached, urgency, weights, over, over.T.tocsr())

    def steps_outside(self, reached: np.ndarray) -> np.ndarray:
        top = self.grid.is_between[self.totals].astype(np.float64)
        return np.asarray(np.maximum(-reached, 0.0) + np.maximum(reached - top, 0.0))

    def weighted_cost(self, reached: np.ndarray) -> np.ndarray:
        far = np.abs(reached - self.grid.part[self.totals]) * self.weights[self.totals]
        return np.asarray(self.urgency * self.steps_outside(reached) + PRICE * far)

    def move_gains(self) -> np.ndarray:
        now = self.weighted_cost(self.reached)
        up, down = self.weighted_cost(self.reached + 1) - now, self.weighted_cost(self.reached - 1) - now
        numbers = self.sums.inner[self.cells]
        own = PRICE * self.weights[numbers] * (1 - 2 * self.grid.part[numbers])
        return np.asarray(np.where(self.taken == 0, self.under @ up + own, self.under @ down - own))

    def raise_urgency(self) -> None:
        self.urgency += self.steps_outside(self.reached) > 0

    def move_cell(self, cell: int) -> None:
        way = 1 - 2 * self.taken[cell]
        self.taken[cell] += way
        start, end = self.over.indptr[cell : cell + 2]
        self.reached[self.over.indices[start:end]] += way * self.over.data[start:end]

    def total_distance(self) -> float:
        numbers = self.sums.inner[self.cells]
        own = np.abs(self.taken - self.grid.part[numbers]) @ self.weights[numbers]
        return float(own + np.abs(self.reached - self.grid.part[self.totals]) @ self.weights[self.totals])

    def is_better(self, best: RepairedRounding) -> bool:
        out = float(self.steps_outside(self.reached).sum())
        least = float(best.beyond.sum())
        return out < least or (out == least and self.total_distance() < best.distance - 1e-9)

    def to_rounding(self) -> RepairedRounding:
        steps, beyond = np.zeros(self.grid.table.size), np.zeros(self.grid.table.size)
        steps[self.sums.inner[self.cells]] = self.taken
        steps[self.totals] = self.reached
        beyond[self.totals] = self.steps_outside(self.reached)
        return RepairedRounding(steps, beyond, self.total_distance())
