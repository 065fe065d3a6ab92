"""Controlled tabular adjustment: unsafe cells move away from the truth, others follow, and the table adds up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp

from ...errors import TacitError, format_value
from ...kernels.highs import INFINITE, pass_program, quiet_solver
from ...progress import Progress, report_progress, sub_progress
from ...seed import child_seed, make_generator
from ..problem import Problem, Status
from ..suppress.limits import CannotProtect, Limits
from ..type_checks import require_type
from .checks import levels_met, perturbation_facts
from .grid import check_figures
from .perturbed import Perturbed

LARGEST = 1e6


"""No figure is larger than this in the units of the linear programs."""


Weighing = Literal["relative", "unit", "cost"]


"""What a unit of change costs: 1/figure, 1, or the cost that the problem gives."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Demands:
    """``cells`` must move up by ``up`` or down by ``down``; any cell at most ``above`` and ``below``; ``price`` per unit.

    ``may_up`` and ``may_down`` tell which directions a cell has at all. Cells that are empty, forced or 0 do not move, and
    none leaves the bounds that everybody knows of it, or falls below 0 where no figure does.

    All amounts are in ``unit``s of the figures, and prices per unit: a solver with tolerances of 10⁻⁷ takes no notice of moves of
    billionths, nor of prices of 1/10⁹. The unit is a power of two, so that nothing is lost by it.
    """

    problem: Problem
    cells: np.ndarray
    up: np.ndarray
    down: np.ndarray
    above: np.ndarray
    below: np.ndarray
    price: np.ndarray
    may_up: np.ndarray
    may_down: np.ndarray
    unit: float

    @classmethod
    def of(cls, problem: Problem, weigh: Weighing) -> Demands:
        """Read off a problem; an unsafe cell that can move neither way is an error that names it."""
        values, cells = problem.table.values, problem.primaries
        check_figures(problem.table)
        fixed = (values == 0) | (problem.status == Status.EMPTY) | (problem.status == Status.PUBLISHED)
        low = np.maximum(problem.low, 0.0) if (values >= 0).all() else problem.low
        above = np.where(fixed, 0.0, np.maximum(problem.high - values, 0.0))
        below = np.where(fixed, 0.0, np.maximum(values - low, 0.0))
        half = problem.sliding[cells] / 2
        up, down = np.maximum(problem.upper[cells], half), np.maximum(problem.lower[cells], half)
        asked = (up > 0) | (down > 0)
        cells, up, down = cells[asked], up[asked], down[asked]
        may_up, may_down = (up > 0) & (up <= above[cells]), (down > 0) & (down <= below[cells])
        stuck = np.flatnonzero(~may_up & ~may_down)
        if len(stuck):
            name = problem.table.name(cells[stuck[0]])
            raise CannotProtect(
                f"the cell {name} can move neither up nor down by its protection levels within its bounds",
                fix="lower its level, widen the bounds, or suppress it instead",
            )
        unit = _scaling_unit(values)
        return cls(
            problem=problem,
            cells=cells,
            up=up / unit,
            down=down / unit,
            above=above / unit,
            below=below / unit,
            price=_change_price(problem, weigh, floor=min(1.0, unit)) * unit,
            may_up=may_up,
            may_down=may_down,
            unit=unit,
        )

    def cost(self, moves: np.ndarray) -> float:
        """What a set of moves costs in all."""
        return float(self.price @ np.abs(moves))


def _scaling_unit(values: np.ndarray) -> float:
    """1 where the largest figure has up to six digits before the point; else what makes it so."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or 1 <= largest <= LARGEST:
        return 1.0
    return float(2.0 ** np.ceil(np.log2(largest / LARGEST)))


def _change_price(problem: Problem, weigh: Weighing, *, floor: float) -> np.ndarray:
    """What a unit of change costs; figures below the floor (1, or a unit where all are small) are weighed like it."""
    values = np.abs(problem.table.values)
    if weigh == "relative":
        return np.asarray(1.0 / np.maximum(values, floor))
    if weigh == "unit":
        return np.ones(problem.size)
    if weigh == "cost":
        return np.asarray(np.maximum(problem.cost, 0.0), dtype=np.float64)
    raise TacitError(
        f"weigh={weigh!r} is unknown", code="unknown_name", parameter="weigh", fix="use relative, unit or cost"
    )


ROUNDS = 20


"""So often cells that fall short are turned before branch and bound is asked."""


PROGRAMS = 600


"""So many linear programs improve the directions, for tables of up to 2 000 cells; fewer for larger ones."""


SEARCHED = 80


"""Up to so many unsafe cells branch and bound looks at all directions."""


PENALTY = 100.0


"""What a unit short of a level costs, times the largest price of all: more than any detour through other cells."""


def adjust(
    problem: Problem,
    *,
    seed: int | bytes,
    weigh: Weighing = "relative",
    within: float = 0.05,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Perturbed:
    r"""Move every unsafe cell by its level, up or down, and the other cells as little as keeps all sums.

    .. math:: \min \sum_i w_i |d_i| \quad\text{such that}\quad A (a + d) = b,\quad
              d_i \ge upper_i \;\text{or}\; d_i \le -lower_i \;\text{for every unsafe cell}

    Zeros stay zeros, no cell falls below 0 where none was, forced cells stay, and none leaves the bounds that everybody knows.
    Directions are drawn with ``seed`` near the relaxation, turned where they contradict (by chance, then by branch and bound
    on the contradicting part), and improved with the prices of the linear program; improvement ends as soon
    as the cost is proven to be ``within`` such a share of the least, since the cheapest directions of all (``within=0``) do not
    depend on the seed and could be guessed. ``gap`` compares with the proven bound of the relaxation. A table where no
    directions fit is an error that names a cell. Every level is checked again on the result.

    Time: 10⁴ cells 1 s (two dimensions) to 20 s (three); memory O(entries).

    References
    ----------
    Dandekar, Cox (2002), Synthetic tabular data: an alternative to complementary cell suppression.
    Castro (2006), Minimum-distance controlled perturbation methods for large-scale tabular data protection, EJOR 171, 39–52.
    """
    bounds, random = limits or Limits(nodes=300), make_generator(child_seed(seed, "adjustment"))
    if not 0 <= within < 1:
        raise TacitError(
            f"within={format_value(within)} is no share",
            code="out_of_range",
            parameter="within",
            fix="give a number from 0 to below 1, e.g. 0.05",
        )
    demands = Demands.of(require_type(Problem, problem), weigh)
    report_progress(progress, "relaxation", 0.0)
    bound, relaxed = relaxed_bound(demands)
    if bound == float("inf"):
        raise _infeasible_error(demands, np.ones(len(demands.cells)), proven=True)
    program = Moves(demands)
    now = DirectedMoves.of(program, drawn_directions(demands, relaxed, random))
    now = reconcile_directions(program, now, random, rounds=ROUNDS)
    now, clock = _repair_directions(demands, program, now, within, bounds)
    enough = bound / (1 - within) + 1e-9
    budget = int(PROGRAMS * min(1.0, (2_000 / max(1, problem.size)) ** 2)) + 10
    now = improve_directions(
        program, now, random, enough=enough, programs=budget, progress=sub_progress(progress, 0.3, 0.8)
    )
    if len(demands.cells) <= SEARCHED and bounds.nodes and now.worth > enough:
        all_cells = np.ones(len(demands.cells), dtype=bool)
        found = whole_directions(demands, now, free=all_cells, within=within, limits=bounds)
        bound, clock = max(bound, found.bound), clock or found.clock
        if found.upward is not None:
            new = DirectedMoves.of(program, found.upward)
            now = new if new.worth < now.worth else now
    report_progress(progress, "adjusting", 1.0)
    return _checked_result(demands, now, bound, weigh=weigh, within=within, clock=clock)


def _repair_directions(
    demands: Demands, program: Moves, now: DirectedMoves, within: float, limits: Limits
) -> tuple[DirectedMoves, bool]:
    """Branch and bound on the unsafe cells near those that fall short, in rings that grow until the directions agree."""
    free = now.short > 0
    clock = False
    touching = demands.problem.table.equations.matrix[:, demands.cells] != 0
    while now.short.any():
        wider = np.asarray(touching.T @ (touching @ free.astype(np.float64))).ravel() > 0
        whole = bool((wider == free).all())
        free = np.ones(len(free), dtype=bool) if whole else wider
        found = whole_directions(demands, now, free=free, within=within, limits=limits)
        clock = clock or found.clock
        if found.upward is not None:
            now = DirectedMoves.of(program, found.upward)
        elif free.all():
            raise _infeasible_error(demands, now.short, proven=found.impossible)
    return now, clock


def _infeasible_error(demands: Demands, short: np.ndarray, *, proven: bool) -> CannotProtect:
    name = demands.problem.table.name(demands.cells[int(short.argmax())])
    said = "no directions exist" if proven else "no directions were found within the limits"
    return CannotProtect(
        f"{said} in which every unsafe cell reaches its level; among those that fall short: {name}",
        fix="lower the levels, release cells that are forced or frozen, or suppress instead",
    )


def _checked_result(
    demands: Demands, now: DirectedMoves, bound: float, *, weigh: Weighing, within: float, clock: bool
) -> Perturbed:
    problem = demands.problem
    values = problem.table.values + demands.unit * _clean_moves(demands, now.moves)
    facts = perturbation_facts(problem.table, values)
    met = levels_met(problem, values)
    facts |= {
        "unsafe cells": len(met),
        "levels missed": int((~met).sum()),
        "moved up": int((now.moves[demands.cells] > 0).sum()),
    }
    if not facts["additive"] or not met.all() or "cells below zero" in facts or not facts["zeros kept"]:
        raise AssertionError("an adjustment broke what it guarantees")
    return Perturbed(
        original=problem.table,
        values=values,
        method="controlled tabular adjustment",
        parameters={"weigh": weigh, "within": within},
        facts=facts,
        cost=demands.cost(now.moves),
        bound=min(bound, demands.cost(now.moves)),
        reproducible=not clock,
    )


def _clean_moves(demands: Demands, moves: np.ndarray) -> np.ndarray:
    """Moves within their limits, without the dust that the solver's tolerance leaves."""
    inside = np.clip(moves, -demands.below, demands.above)
    figures = np.abs(demands.problem.table.values) / demands.unit
    return np.where(np.abs(inside) < 1e-9 * np.maximum(1.0, figures), 0.0, inside)


@dataclass(frozen=True, slots=True, eq=False)
class DirectionSearch:
    """Directions (None: none found), a bound over all choices of the free cells, and whether none exists at all."""

    upward: np.ndarray | None
    bound: float
    impossible: bool
    clock: bool


def whole_directions(
    demands: Demands, now: DirectedMoves, *, free: np.ndarray, within: float, limits: Limits
) -> DirectionSearch:
    r"""The best directions of the ``free`` cells, the others kept as they are.

    ``within`` such a share of the least cost is good enough.

    With b = 1 for up: :math:`u\,b \le d^+ \le U\,b` and :math:`l\,(1-b) \le d^- \le L\,(1-b)`. O(2^free) at worst.
    """
    from highspy import HighsSolution

    size, cells = len(demands.price), demands.cells
    count = len(cells)
    matrix = demands.problem.table.equations.matrix
    rows, sides = _choice_constraints(demands)
    system = sp.vstack([sp.hstack([matrix, -matrix, sp.csr_matrix((matrix.shape[0], count))]), rows])
    zero = np.zeros(matrix.shape[0])
    low, high = np.where(demands.may_down, 0.0, 1.0), np.where(demands.may_up, 1.0, 0.0)
    low, high = np.where(free, low, now.upward), np.where(free, high, now.upward)
    clock = {} if limits.seconds is None else {"time_limit": limits.seconds}
    solver = quiet_solver(
        mip_max_nodes=limits.nodes, mip_rel_gap=max(within, 1e-6), simplex_iteration_limit=limits.iterations, **clock
    )
    pass_program(
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
    return DirectionSearch(upward, float(info.mip_dual_bound), "nfeasible" in said, said == "Time limit reached")


def _choice_constraints(demands: Demands) -> tuple[sp.csr_matrix, tuple[np.ndarray, np.ndarray]]:
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


@dataclass(frozen=True, slots=True, eq=False)
class DirectedMoves:
    """Directions of the unsafe cells (True: up), the best moves for them, and how far cells fall short of their levels."""

    upward: np.ndarray
    moves: np.ndarray
    short: np.ndarray
    worth: float

    @classmethod
    def of(cls, program: Moves, upward: np.ndarray) -> DirectedMoves:
        """Solve for these directions."""
        moves, short = program.best_moves(upward)
        return cls(upward, moves, short, program.demands.cost(moves) + program.penalty * float(short.sum()))


def drawn_directions(demands: Demands, relaxed: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Up with the chance that the relaxed move suggests: 1 where it lies at the upper level, 0 at the lower one.

    The draw matters for protection: the cheapest direction alone could be guessed.
    """
    both = demands.may_up & demands.may_down
    chance = np.clip((relaxed[demands.cells] + demands.down) / (demands.up + demands.down), 0.0, 1.0)
    found: np.ndarray = np.where(both, random.random(len(chance)) < chance, demands.may_up)
    return found


def reconcile_directions(
    program: Moves, start: DirectedMoves, random: np.random.Generator, *, rounds: int
) -> DirectedMoves:
    """Turn cells that fall short, half of them by chance, until none does or the rounds are used; the best is returned."""
    both = program.demands.may_up & program.demands.may_down
    best = now = start
    for _ in range(rounds):
        if not best.short.any():
            break
        turned = (now.short > 0) & both & (random.random(len(both)) < 0.5)
        now = DirectedMoves.of(program, now.upward ^ turned)
        if now.worth < best.worth:
            best = now
    return best


def improve_directions(
    program: Moves,
    start: DirectedMoves,
    random: np.random.Generator,
    *,
    enough: float,
    programs: int,
    progress: Progress | None = None,
) -> DirectedMoves:
    r"""Turn cells where the prices of the last program promise a gain: many at once, then fewer, then one by one.

    With the price :math:`\rho_i` that the rest of the table pays for a unit more in cell i, to turn it from up to down
    promises :math:`u (w - \rho) - l (w + \rho)`. Every step is tried by the linear program and kept only when it is better.
    A cost of ``enough`` ends it.
    """
    best, share, end = start, 1.0, program.programs + programs
    while program.programs < end and best.worth > enough:
        gain = _expected_gains(program, best)
        able = np.flatnonzero(gain > 1e-12)
        count = int(share * len(able))
        if count < 2:
            break
        chosen = able[np.argsort(-gain[able], kind="stable")[:count]]
        best, better = _try_turning(program, best, chosen)
        share = share if better else share / 2
    both = np.flatnonzero(program.demands.may_up & program.demands.may_down)
    # one by one pays only where a pass over all unsafe cells fits into the budget
    passes = (end - program.programs) // max(1, len(both))
    for number in range(passes):
        before = best.worth
        for done, cell in enumerate(random.permutation(both)):
            if done % 50 == 0:
                report_progress(progress, "improving directions", (number + done / len(both)) / passes)
            if best.worth <= enough:
                return best
            best, _ = _try_turning(program, best, np.array([cell]))
        if best.worth > before - 1e-9:
            break
    return best


def _expected_gains(program: Moves, now: DirectedMoves) -> np.ndarray:
    demands = program.demands
    program.best_moves(now.upward)
    dual = np.asarray(program.solver.getSolution().row_dual)
    rest = np.asarray(demands.problem.table.equations.matrix[:, demands.cells].T @ dual)
    price = demands.price[demands.cells]
    up, down = demands.up * (price - rest), demands.down * (price + rest)
    gain = np.where(now.upward, up - down, down - up)
    return np.where(demands.may_up & demands.may_down, gain, -np.inf)


def _try_turning(program: Moves, now: DirectedMoves, cells: np.ndarray) -> tuple[DirectedMoves, bool]:
    upward = now.upward.copy()
    upward[cells] = ~upward[cells]
    new = DirectedMoves.of(program, upward)
    return (new, True) if new.worth < now.worth - 1e-9 * max(1.0, abs(now.worth)) else (now, False)


def relaxed_bound(demands: Demands) -> tuple[float, np.ndarray]:
    r"""A proven lower bound on the cost of any adjustment, and the moves that attain it in the relaxation.

    "Up by u or down by l" is relaxed to its convex hull: between −l and u a move costs what the straight line between the two
    ends says, and beyond them its length. One linear program with three columns per unsafe cell.
    """
    size, count = len(demands.price), len(demands.cells)
    both = demands.may_up & demands.may_down
    low = np.where(demands.may_down, -demands.down, demands.up)
    high = np.where(demands.may_up, demands.up, -demands.down)
    width = np.where(both, high - low, 0.0)
    slope = np.divide(np.abs(high) - np.abs(low), width, out=np.zeros(count), where=width > 0)
    matrix = demands.problem.table.equations.matrix
    columns = sp.hstack([matrix, -matrix, matrix[:, demands.cells]])
    above, below = demands.above.copy(), demands.below.copy()
    above[demands.cells] = np.where(demands.may_up, above[demands.cells] - high, 0.0)
    below[demands.cells] = np.where(demands.may_down, below[demands.cells] + low, 0.0)
    # a cell with one direction may still go further in it: its line has no width, and the far side is closed
    sides = -matrix[:, demands.cells] @ low
    price = demands.price
    solver = quiet_solver()
    pass_program(
        solver,
        columns,
        columns=(np.zeros(2 * size + count), np.concatenate([above, below, width])),
        rows=(sides, sides),
        costs=np.concatenate([price, price, slope * price[demands.cells]]),
    )
    solver.run()
    if solver.modelStatusToString(solver.getModelStatus()) != "Optimal":
        return float("inf"), np.zeros(size)
    found = np.asarray(solver.getSolution().col_value)
    moves = found[:size] - found[size : 2 * size]
    moves[demands.cells] += low + found[2 * size :]
    constant = float(price[demands.cells] @ np.abs(low))
    return float(solver.getInfo().objective_function_value) + constant, moves


class Moves:
    """The best moves for given directions; kept in one solver, so that a few changed directions are solved from the last answer.

    Every cell has a column for moving up and one for down. With direction up the first starts at the level; the other
    stays open at a penalty, so that directions which contradict one another show as cells that fall short.
    """

    def __init__(self, demands: Demands) -> None:
        self.demands, self.size, self.programs = demands, len(demands.price), 0
        matrix = demands.problem.table.equations.matrix
        self.penalty = PENALTY * float(demands.price.max(initial=1.0))
        self.solver = quiet_solver(presolve="off", solver="simplex")
        zero = np.zeros(len(demands.problem.table.equations))
        pass_program(
            self.solver,
            sp.hstack([matrix, -matrix]),
            columns=(np.zeros(2 * self.size), np.concatenate([demands.above, demands.below])),
            rows=(zero, zero),
            costs=np.concatenate([demands.price, demands.price]),
        )

    def best_moves(self, upward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cheapest moves and, per unsafe cell, how much it falls short of its level (0 where the directions agree)."""
        demands, cells = self.demands, self.demands.cells
        low = np.concatenate([np.where(upward, demands.up, 0.0), np.where(upward, 0.0, demands.down)])
        # short of a level by no more than the level itself: then the cell stays where it is
        high = np.concatenate(
            [np.where(upward, demands.above[cells], demands.down), np.where(upward, demands.up, demands.below[cells])]
        )
        price = demands.price[cells]
        cost = np.concatenate([np.where(upward, price, self.penalty), np.where(upward, self.penalty, price)])
        numbers = np.concatenate([cells, self.size + cells]).astype(np.int32)
        self.solver.changeColsBounds(len(numbers), numbers, low, high)
        self.solver.changeColsCost(len(numbers), numbers, cost)
        self.solver.run()
        self.programs += 1
        found = np.asarray(self.solver.getSolution().col_value)
        moves = found[: self.size] - found[self.size :]
        short = np.where(upward, found[self.size + cells], found[cells])
        return moves, np.where(short > 1e-7 * np.maximum(1.0, np.where(upward, demands.up, demands.down)), short, 0.0)
