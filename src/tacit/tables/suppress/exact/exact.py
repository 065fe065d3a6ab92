"""The cheapest pattern that protects, with its proof, or the best one found with a proven bound."""

from __future__ import annotations

import numpy as np

from ....progress import Progress
from ...pattern import Pattern
from ...problem import Problem
from ..clean import clean_pattern
from ..feasibility import check_usable, why_not
from ..flow import flow_pattern
from ..limits import Limits
from .block import Block, Goal, movable_cells, split_blocks
from .cuts import Cut, Cutter, all_company, bridgeless_cuts
from .effort import Effort
from .master import Master

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
