"""The cheapest pattern that protects, with its proof, or the best one found with a proven bound."""

from __future__ import annotations

import numpy as np

from ....progress import Progress
from ...pattern import Pattern
from ...problem import Problem
from ..limits import Limits
from ..possible import check_usable, why_not
from .block import blocks
from .effort import Effort
from .search import Search

__all__ = ["exact"]


def exact(
    problem: Problem,
    *,
    limits: Limits | None = None,
    start: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Pattern:
    r"""The cheapest set of suppressed cells with which every unsafe cell reaches its levels, and the proof (G-04).

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

    >>> from tacit.tables.build.cross import crossed
    >>> from tacit.tables.dimension import Dimension
    >>> from tacit.tables.problem import Status
    >>> from tacit.tables.table import Table
    >>> labels, sums = crossed([Dimension.flat("sex", "fm"), Dimension.flat("age", ["young", "old"])])
    >>> values = np.array([100.0, 60, 40, 30, 10, 20, 70, 50, 20])
    >>> table = Table(labels=labels, values=values, equations=sums)
    >>> unsafe, none = labels["sex"].eq("f").to_numpy() & labels["age"].eq("young").to_numpy(), np.zeros(9)
    >>> problem = Problem(table=table, status=np.where(unsafe, Status.UNSAFE, Status.SAFE), lower=5 * unsafe,
    ...     upper=5 * unsafe, sliding=none, low=none, high=none + 200, cost=values)
    >>> found = exact(problem)
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
    hidden = problem.must.copy()
    bound = problem.total_cost(hidden)
    parts = [Search(block, effort) for block in blocks(problem)]
    for search in parts:
        goal = search.missed()
        if goal is not None:
            raise why_not(problem, int(search.block.cells[goal.cell]), goal.signs[0])
    for search in parts:
        block = search.block
        search.run(None if start is None else start[block.cells] | block.fixed)
        hidden[block.cells[search.best]] = True
        bound += search.bound - float(block.cost[block.fixed].sum())
    closed = not any(search.open for search in parts)
    return Pattern(
        hidden=hidden,
        cost=problem.total_cost(hidden),
        bound=bound,
        methods=("exact",),
        reproducible=closed or not effort.by_the_clock,
        stopped=None if closed else effort.ended,
        facts={
            "blocks": len(parts),
            "cuts": effort.cuts,
            "linear programs": effort.lps,
            "simplex iterations": effort.iterations,
            "nodes": effort.nodes,
            "rounds": effort.rounds,
        },
    )
