"""The cheapest pattern that protects, with its proof, or the best one found with a proven bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ....kernels.highs import INFINITE, pass_program, quiet_solver
from ....progress import Progress
from ...pattern import Pattern
from ...problem import Problem
from ..clean import clean_pattern
from ..feasibility import check_usable, why_not
from ..flow import flow_pattern
from ..limits import Limits
from .block import Block, Goal, movable_cells, split_blocks
from .cuts import VIOLATED, Cut, Cutter, all_company, bridgeless_cuts
from .effort import Effort

if TYPE_CHECKING:
    from highspy import Highs, HighsSolution


WINDOW = 8


"""So many rounds of cuts are waited for a gain …"""


GAIN = 1e-4


"""… of this share of the bound; then cutting has run its course."""


ROUNDING = 1e-7


"""This share of a bound may be arithmetic."""


POLISH = 15


"""So many programs near the best pattern are solved at most …"""


SHARE = 0.05


"""… over its cells and those that the relaxation hides by more than this share."""


AGAIN = 3


"""So many rounds of cuts follow each whole pattern."""


COMPANY = 100_000


"""So many coefficients of company cuts are handed over for whole patterns all at once."""


CLOSE = 1e-6


"""A gap below this share of the cost counts as none."""


def exact_pattern(
    problem: Problem,
    *,
    limits: Limits | None = None,
    start: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Pattern:
    r"""The cheapest set of suppressed cells with which every unsafe cell reaches its levels, and the proof.

    .. math:: \min_{y \in \{0,1\}^n} cost \cdot y \quad\text{such that for every unsafe cell}\quad
       room^-(y) \ge lower,\; room^+(y) \ge upper,\; room^-(y) + room^+(y) \ge sliding,

    where the rooms are the optima of an attacker's linear programs. A program over patterns y is relaxed and cut off from
    patterns that leave an unsafe cell short, by capacity, cover and company cuts; ``exact.md`` argues that all are valid.
    A pattern that protects is found by repair at every stage; cells that no cheaper pattern can hide are left out; then the
    solver looks for whole patterns, round by round, until the cheapest one under the cuts protects: it is the optimum.

    ``start`` is a pattern to begin with, e.g. that of a heuristic. When a limit ends the search, the pattern is the best one
    found, ``bound`` is proven still, and ``stopped`` names the limit. Parts of the table without a common equation are
    solved apart. The search is exponential in the worst case; in two dimensions ten thousand cells take seconds, in three
    a few hundred cells a minute to a gap of some per cent. Memory O(non-zeros of the equations + cuts).

    >>> from tacit.tables.build.cross import cross_dimensions
    >>> from tacit.tables.dimension import Dimension
    >>> from tacit.tables.problem import Status
    >>> from tacit.tables.table import Table
    >>> labels, sums = cross_dimensions([Dimension.flat("sex", "fm"), Dimension.flat("age", ["young", "old"])])
    >>> values = np.array([100.0, 60, 40, 30, 10, 20, 70, 50, 20])
    >>> table = Table(labels=labels, values=values, equations=sums)
    >>> unsafe, none = labels["sex"].eq("f").to_numpy() & labels["age"].eq("young").to_numpy(), np.zeros(9)
    >>> problem = Problem(
    ...     table=table,
    ...     status=np.where(unsafe, Status.UNSAFE, Status.SAFE),
    ...     lower=5 * unsafe,
    ...     upper=5 * unsafe,
    ...     sliding=none,
    ...     low=none,
    ...     high=none + 200,
    ...     cost=values,
    ... )
    >>> found = exact_pattern(problem)
    >>> [table.name(cell) for cell in np.flatnonzero(found.hidden)], found.cost, found.proven
    (['f × young', 'f × old', 'm × young', 'm × old'], 100.0, True)

    Raises :class:`~tacit.tables.suppress.limits.CannotProtect` when some unsafe cell falls short with every cell hidden.

    References
    ----------
    Fischetti and Salazar (2001), Solving the cell suppression problem on tabular data with linear constraints, Management
    Science 47(7), 1008–1027.
    """
    effort = Effort(Limits() if limits is None else limits, progress)
    check_usable(problem)
    hidden = problem.must_suppress.copy()
    bound = problem.total_cost(hidden)
    parts = [Search(block, effort) for block in split_blocks(problem)]
    for search in parts:
        goal = search.unreachable_goal()
        if goal is not None:
            raise why_not(problem, int(search.block.cells[goal.cell]), goal.signs[0])
    for search in parts:
        block = search.block
        search.run(None if start is None else start[block.cells] | block.fixed)
        hidden[block.cells[search.best]] = True
        bound += search.bound - float(block.cost[block.fixed].sum())
    closed = not any(search.is_open for search in parts)
    return Pattern(
        hidden=hidden,
        cost=problem.total_cost(hidden),
        bound=bound,
        methods=("exact",),
        reproducible=closed or not effort.by_the_clock,
        stopped=None if closed else effort.limit_that_ended,
        facts={
            "blocks": len(parts),
            "cuts": effort.cuts,
            "linear programs": effort.lps,
            "simplex iterations": effort.iterations,
            "nodes": effort.nodes,
            "rounds": effort.rounds,
        },
    )


class Search:
    """One block's best pattern so far and the proven bound; ``run`` improves both until they meet or a limit is reached."""

    def __init__(self, block: Block, effort: Effort) -> None:
        self.block, self._effort = block, effort
        self._cutter, self._master = Cutter(block, effort), Master(block, effort)
        self._step = _cost_step(block.cost)
        self._gone = np.zeros(block.size, dtype=bool)
        self._polished, self._stuck = np.inf, False
        self._goals: tuple[Goal, ...] = ()
        self.best, self.cost, self.bound = block.fixed.copy(), np.inf, float(block.cost[block.fixed].sum())

    def unreachable_goal(self) -> Goal | None:
        """A goal that no pattern reaches, if there is one."""
        every = np.ones(self.block.size, dtype=bool)
        return next((goal for goal in self.block.goals if self._cutter.is_missed(goal, every)), None)

    def run(self, start: np.ndarray | None = None) -> None:
        """From the relaxation to the proof."""
        self._goals = tuple(goal for goal in self.block.goals if self._cutter.is_missed(goal, self.block.fixed))
        if not self._goals:
            self.cost = self.bound
            return
        if start is not None:
            self._repair_pattern(start, None)
        for deep in (False, True):
            if self.is_open:
                self._cutting_planes(deep=deep)
                self._repair_pattern(None, self._master.y)
                self._narrow_cells()
        if self.is_open:
            self._master.add(all_company(self.block, ~self._gone, most=COMPANY), lasting=True)
        while self.is_open and not self._stuck and self._effort.limit_reached is None:
            self._solve_integer()
        if not np.isfinite(self.cost):
            self.best, self.cost = np.ones(self.block.size, dtype=bool), float(self.block.cost.sum())
        if not self.is_open and self._step:
            self.bound = self.cost

    @property
    def is_open(self) -> bool:
        """Whether a cheaper pattern is still possible."""
        return self.bound < self._cutoff_bound

    @property
    def _cutoff_bound(self) -> float:
        """A bound above which no pattern is cheaper than the best one."""
        if not np.isfinite(self.cost):
            return np.inf
        return self.cost - max(CLOSE * abs(self.cost), self._step * (1 - CLOSE))

    def _cutting_planes(self, *, deep: bool, most: int = 1000) -> None:
        """Relax and add cuts until none is missed, or they no longer gain."""
        gained: list[float] = []
        while self._effort.limit_reached is None and len(gained) < most:
            self._master.relax()
            self._raise_bound(self._master.bound)
            gained.append(self._master.bound)
            waited = len(gained) > WINDOW and gained[-1] - gained[-1 - WINDOW] < GAIN * abs(gained[-1])
            self._effort.report_progress("cutting")
            if not self.is_open or waited or not self._master.add(self._violated_cuts(self._master.y, deep=deep)):
                return
            if len(gained) % WINDOW == 0:
                self._master.drop_slack_cuts()

    def _violated_cuts(self, y: np.ndarray, *, deep: bool) -> list[Cut]:
        """Cuts that a relaxed pattern misses."""
        found = bridgeless_cuts(self.block, y)
        for goal in self._goals:
            cut = self._cutter.capacity_cut(goal, y)
            if cut is None:
                continue
            if cut.is_violated(y):
                found.append(cut)
            if deep:
                start = np.ones(self.block.size, dtype=bool)
                start[cut.cells] = False
                cover = self._cutter.cover_cut(goal, start, y)
                if cover.is_violated(y):
                    found.append(cover)
        return found

    def _solve_integer(self) -> None:
        """Solve for whole patterns, first near a new best one, then among all; repair what comes out, and cut it off."""
        self._master.drop_slack_cuts()
        if self.cost < self._polished:
            self._polish_best()
            self._polished = self.cost
        bound, found = self._master.solve_integer(self.best, ~self._gone)
        self._effort.rounds += 1
        self._raise_bound(bound)
        self._effort.report_progress("searching whole patterns")
        if not self.is_open:
            return
        if found is None or (found == self.best).all():
            self._effort.mark_exhausted()
            self._stuck = True
            return
        self._learn_from(found)
        self._cutting_planes(deep=True, most=AGAIN)
        self._narrow_cells()

    def _polish_best(self) -> None:
        """Solve among the cells of the best pattern and of the relaxed one; a small program, whose cuts hold for all."""
        for _ in range(POLISH):
            near = ~self._gone & (self.best | (self._master.y > SHARE))
            _, found = self._master.solve_integer(self.best, near)
            if (
                found is None
                or (found == self.best).all()
                or not self.is_open
                or self._effort.limit_reached is not None
            ):
                return
            self._learn_from(found)

    def _learn_from(self, found: np.ndarray) -> None:
        """Cut off a pattern that does not protect, after repair; take one that does."""
        recalled = self._master.recall_cuts(found.astype(np.float64))
        cuts = self._cuts_for_pattern(found, self._master.y)
        if cuts:
            self._master.add(cuts, lasting=True)
            self._repair_pattern(found, None)
        elif not recalled:
            self._accept_if_better(found)

    def _narrow_cells(self) -> None:
        """Leave out the cells that no pattern cheaper than the best one hides, and those that cannot move without them."""
        if not self.is_open:
            return
        gone = self._gone | self._master.too_costly_cells(self._cutoff_bound)
        if (gone != self._gone).any():
            self._gone = gone | ~movable_cells(~gone, self.block.matrix)
            self._gone &= ~self.block.fixed
            self._master.fix_published(self._gone)
            self._cutter.fix_published(self._gone)

    def _cuts_for_pattern(self, hidden: np.ndarray, y: np.ndarray) -> list[Cut]:
        """Cuts that a pattern of whole cells misses: for each goal that it does not reach."""
        whole = hidden.astype(np.float64)
        found = bridgeless_cuts(self.block, whole)
        for goal in self._goals:
            if not self._cutter.is_missed(goal, hidden):
                continue
            for capped in (False, True):
                cut = self._cutter.capacity_cut(goal, whole, capped=capped)
                start = hidden.copy()
                if cut is not None:
                    found.append(cut)
                    start |= ~np.isin(np.arange(self.block.size), cut.cells)
                found.append(self._cutter.cover_cut(goal, start if self._cutter.is_missed(goal, start) else hidden, y))
        return found

    def _raise_bound(self, bound: float) -> None:
        """A bound on patterns that beat the best one bounds all, up to the cost of the best."""
        if np.isfinite(bound):
            # What the solver's own tolerances may have added is taken off; costs come in whole steps.
            bound -= ROUNDING * abs(bound)
            bound = self._step * np.ceil(bound / self._step - CLOSE) if self._step else bound
        self.bound = max(self.bound, min(bound, self.cost))

    def _repair_pattern(self, start: np.ndarray | None, guide: np.ndarray | None) -> None:
        block = self.block
        first = None if start is None else block.to_pattern(start)
        share = None
        if guide is not None:
            share = np.zeros(block.problem.size)
            share[block.cells] = guide
        self._accept_if_better(
            clean_pattern(block.problem, flow_pattern(block.problem, start=first, guide=share))[block.cells]
        )

    def _accept_if_better(self, hidden: np.ndarray) -> None:
        cost = float(self.block.cost[hidden].sum())
        if cost < self.cost and not any(self._cutter.is_missed(goal, hidden) for goal in self._goals):
            self.best, self.cost = hidden, cost


def _cost_step(cost: np.ndarray) -> float:
    """The least difference between the costs of two patterns: a common divisor of whole costs, 0 when they are not whole."""
    if not len(cost) or float(cost.max()) > 1e9 or not bool((cost == np.round(cost)).all()):
        return 0.0
    return float(np.gcd.reduce(cost.astype(np.int64)))


BRIEF = {
    "mip_heuristic_effort": 0.0,
    "mip_heuristic_run_feasibility_jump": False,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_root_reduced_cost": False,
    "mip_rel_gap": 5e-7,
}


"""Good patterns come from repair here, not from the solver's own heuristics, which take most of its time."""


class Master:
    """Minimise the cost of y in [0, 1] under a pool of cuts, of which only those that bind are handed to the solver."""

    def __init__(self, block: Block, effort: Effort) -> None:
        self._block, self._effort = block, effort
        self._known: set[bytes] = set()
        self._aside: list[Cut] = []
        self._held: list[Cut] = []
        self._lasting: set[bytes] = set()
        self._high = np.ones(block.size)
        self._scale = _cost_scale(block.cost)
        self._solver = quiet_solver()
        none = np.zeros(0)
        pass_program(
            self._solver,
            sp.csr_matrix((0, block.size)),
            columns=(block.fixed.astype(np.float64), self._high),
            rows=(none, none),
            costs=block.cost / self._scale,
        )
        self.bound, self.y, self._reduced = -INFINITE, block.fixed.astype(np.float64), np.zeros(block.size)

    def add(self, cuts: list[Cut], *, lasting: bool = False) -> int:
        """Take cuts into the program, ``lasting`` ones never to be set aside; how many of them are new."""
        if lasting:
            self._lasting.update(cut.key for cut in cuts)
        new = []
        for cut in cuts:
            if cut.key not in self._known:
                self._known.add(cut.key)
                new.append(cut)
        self._add_rows(new)
        self._effort.cuts += len(new)
        return len(new)

    def relax(self) -> None:
        """The cheapest shares: ``y``, and ``bound``, infinite when there are none. Cuts set aside come back when missed."""
        from highspy import HighsModelStatus

        while True:
            self._solver.run()
            info = self._solver.getInfo()
            self._effort.count_program(int(info.simplex_iteration_count))
            if self._solver.getModelStatus() == HighsModelStatus.kInfeasible:
                self.bound = INFINITE
                return
            solution = self._solver.getSolution()
            self.y = np.clip(np.asarray(solution.col_value), 0.0, 1.0)
            self._reduced = np.asarray(solution.col_dual) * self._scale
            self.bound = (float(info.objective_function_value) - self._tolerance_loss(solution)) * self._scale
            if not self.recall_cuts(self.y):
                return

    def _tolerance_loss(self, solution: HighsSolution) -> float:
        """What the solver's tolerances may have added to the optimum: its gap to the bound that the duals prove by themselves."""
        reduced, y = np.asarray(solution.col_dual), np.asarray(solution.col_value)
        free = ~self._block.fixed & (self._high > 0)
        beyond = np.asarray(solution.row_value) - np.array([cut.least for cut in self._held])
        return float((reduced * y - np.minimum(reduced, 0.0))[free].sum() + np.asarray(solution.row_dual) @ beyond)

    def recall_cuts(self, y: np.ndarray) -> int:
        """Take cuts that were set aside and that y misses back into the program; how many."""
        missed = [cut.is_violated(y) for cut in self._aside]
        back = [cut for cut, gone in zip(self._aside, missed, strict=True) if gone]
        self._aside = [cut for cut, gone in zip(self._aside, missed, strict=True) if not gone]
        self._add_rows(back)
        return len(back)

    def drop_slack_cuts(self) -> None:
        """Set aside the cuts that do not bind in the last relaxation."""
        loose = [cut.key not in self._lasting and cut.left_side(self.y) > cut.least + VIOLATED for cut in self._held]
        rows = np.flatnonzero(loose)
        self._solver.deleteRows(len(rows), rows.astype(np.int32))
        self._aside += [cut for cut, free in zip(self._held, loose, strict=True) if free]
        self._held = [cut for cut, free in zip(self._held, loose, strict=True) if not free]

    def too_costly_cells(self, most: float) -> np.ndarray:
        """The cells whose hiding alone takes the relaxed cost beyond ``most``."""
        found: np.ndarray = ~self._block.fixed & (self.bound + self._reduced > most)
        return found

    def fix_published(self, gone: np.ndarray) -> None:
        """Hide these cells no more in all that follows."""
        cells = np.flatnonzero(gone)
        self._high[cells] = 0.0
        self._solver.changeColsBounds(len(cells), cells.astype(np.int32), np.zeros(len(cells)), np.zeros(len(cells)))

    def solve_integer(self, start: np.ndarray, among: np.ndarray) -> tuple[float, np.ndarray | None]:
        """A proven bound and the cheapest pattern of whole cells ``among`` some, under the cuts held; None when there is none."""
        high = np.where(among, self._high, 0.0)
        solver = quiet_solver(**BRIEF, mip_max_nodes=self._effort.nodes_of_a_round)
        if self._effort.limits.seconds is not None:
            solver.setOptionValue("time_limit", max(0.01, self._effort.seconds_left))
        least = np.array([cut.least for cut in self._held])
        pass_program(
            solver,
            _cut_matrix(self._held, self._block.size),
            columns=(self._block.fixed.astype(np.float64), high),
            rows=(least, np.full(len(least), INFINITE)),
            costs=self._block.cost / self._scale,
            whole=np.ones(self._block.size, dtype=bool),
        )
        if not (start & (high == 0)).any():
            _offer_start(solver, start)
        solver.run()
        return self._read_solution(solver)

    def _read_solution(self, solver: Highs) -> tuple[float, np.ndarray | None]:
        from highspy import HighsModelStatus

        info = solver.getInfo()
        self._effort.nodes += max(1, int(info.mip_node_count))
        self._effort.count_program(int(info.simplex_iteration_count))
        if solver.getModelStatus() == HighsModelStatus.kTimeLimit:
            self._effort.time_out()
        if solver.getModelStatus() == HighsModelStatus.kInfeasible:
            return INFINITE, None
        bound = float(info.mip_dual_bound) * self._scale
        solution = solver.getSolution()
        return bound, np.asarray(solution.col_value) > 0.5 if solution.value_valid else None

    def _add_rows(self, cuts: list[Cut]) -> None:
        if not cuts:
            return
        rows = _cut_matrix(cuts, self._block.size)
        least = np.array([cut.least for cut in cuts])
        self._solver.addRows(
            len(cuts), least, np.full(len(cuts), INFINITE), rows.nnz, rows.indptr[:-1], rows.indices, rows.data
        )
        self._held += cuts


def _cut_matrix(cuts: list[Cut], size: int) -> sp.csr_matrix:
    starts = np.cumsum([0, *(len(cut.cells) for cut in cuts)]).astype(np.int32)
    cells = np.concatenate([cut.cells for cut in cuts]).astype(np.int32) if cuts else np.zeros(0, dtype=np.int32)
    weights = np.concatenate([cut.weights for cut in cuts]) if cuts else np.zeros(0)
    return sp.csr_matrix((weights, cells, starts), shape=(len(cuts), size))


def _offer_start(solver: Highs, start: np.ndarray) -> None:
    from highspy import HighsSolution

    solution = HighsSolution()
    solution.col_value = start.astype(np.float64)
    solver.setSolution(solution)


def _cost_scale(cost: np.ndarray) -> float:
    """Whole numbers of ordinary size stay as they are, so that the solver can use that they are whole."""
    largest = float(cost.max(initial=0.0))
    if largest == 0 or (largest <= 1e7 and bool((cost == np.round(cost)).all())):
        return 1.0
    return float(cost[cost > 0].mean()) / 100.0
