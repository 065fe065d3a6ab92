"""Cell suppression from the front: choose a method, run it, and let the audit say whether it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from ...errors import TacitError, suggest_alternative
from ...progress import Progress, report_progress, sub_progress
from ..audit.audit import Audit, audit
from ..audit.insiders import Insider, insider_disclosures
from ..audit.owners import lower_for
from ..equations import Equations
from ..pattern import Pattern
from ..problem import Problem, Status
from ..table import Contributions, Table
from .cell_demands import CellDemands
from .exact.exact import exact_pattern
from .feasibility import check_left, check_usable
from .flow import flow_pattern, short_of
from .heuristics import by_elimination, by_flow, by_hypercube, heuristic_pattern
from .limits import CannotProtect, Limits
from .suppressed import Suppressed

_HEURISTICS: dict[str, Callable[..., Pattern]] = {
    "heuristic": heuristic_pattern,
    "flow": by_flow,
    "elimination": by_elimination,
    "hypercube": by_hypercube,
}

METHODS = ("auto", "exact", *_HEURISTICS)
"""The names of the methods."""

Shape = Literal["network", "hierarchies", "more"]
"""How the sums of a table cross: as a network, as two hierarchies, or in more ways."""

EXACT = {"network": 12_000, "hierarchies": 2_200, "more": 400}
"""Up to how many cells the exact method is run."""

SHORT = Limits(nodes=2_000, iterations=200_000)

ROUNDS = 5
"""Hidden cells bring in new sole contributors; after so many passes those left are told of, not hidden from."""

PRUNED = 60
"""Up to so many secondary cells are tried one by one, each against all insiders."""


def suppress(
    problem: Problem,
    *,
    method: str = "auto",
    limits: Limits | None = None,
    insiders: bool | None = None,
    progress: Progress | None = None,
) -> Suppressed:
    """The unsafe cells and the cheapest further ones left out, so that no outsider gets nearer than the levels.

    ``method`` is ``exact`` (proven optimum, or the best found within ``limits`` and a bound), ``heuristic`` (several
    attempts joined), one of ``flow``, ``elimination``, ``hypercube`` alone, or ``auto``: exact where a proof is within
    reach, else the heuristic chain. ``insiders`` also protects against sole contributors, who know their own cells; that is
    done where the contributors are known, unless said otherwise. Always ends in the audit, whose verdict the result
    carries. The same table gives the same pattern, in whatever order its cells come.

    Cost: seconds for 2-D tables of 10⁴ cells; minutes for 3-D tables of as many; see the guide on table suppression.
    """
    if method not in METHODS:
        raise TacitError(
            f"the method {method!r} is unknown", code="unknown_name", fix=suggest_alternative(str(method), METHODS)
        )
    check_usable(problem)
    check_left(problem, problem.must_suppress)
    work, order = sort_problem(problem)
    found = _find_pattern(
        work, choose_method(work) if method == "auto" else method, limits, sub_progress(progress, 0.0, 0.6)
    )
    inside = work.table.contributors is not None if insiders is None else insiders
    if inside:
        more = against_insiders(work, found.hidden, progress=sub_progress(progress, 0.6, 0.7))
        if (more != found.hidden).any():
            found = _with_hidden(work, found, more, "insiders")
    hidden, verdict = _audit_pattern(problem, found, order, inside, sub_progress(progress, 0.7, 0.9))
    mended = _repair_pattern(work, found, np.isin(order, verdict.short))
    if mended is not None:
        found = mended
        hidden, verdict = _audit_pattern(problem, found, order, inside, sub_progress(progress, 0.9, 1.0))
    check_left(problem, hidden)
    return Suppressed(problem=problem, pattern=replace(found, hidden=hidden), audit=verdict)


def _find_pattern(problem: Problem, method: str, limits: Limits | None, progress: Progress | None) -> Pattern:
    if not len(problem.primaries):
        cost = problem.total_cost(problem.must_suppress)
        return Pattern(hidden=problem.must_suppress, cost=cost, bound=cost, methods=("none needed",))
    if method != "exact":
        return _HEURISTICS[method](problem, progress=progress)
    first = heuristic_pattern(problem, progress=sub_progress(progress, 0.0, 0.3))
    if first.proven:
        return first
    return exact_pattern(
        problem,
        limits=limits_for(problem) if limits is None else limits,
        start=first.hidden,
        progress=sub_progress(progress, 0.3, 1.0),
    )


def _audit_pattern(
    problem: Problem, found: Pattern, order: np.ndarray, inside: bool, progress: Progress | None
) -> tuple[np.ndarray, Audit]:
    """The pattern put back into the order of the table, and the verdict on that."""
    hidden = np.zeros(problem.size, dtype=bool)
    hidden[order] = found.hidden
    return hidden, audit(problem, hidden, insiders=int(inside), progress=progress)


def _repair_pattern(problem: Problem, found: Pattern, short: np.ndarray) -> Pattern | None:
    """One more flow, over widened levels, for cells that arithmetic left short; None when that hides nothing more."""
    if not short.any():
        return None
    levels = {name: np.where(short, 1 + 1e-3, 1.0) * getattr(problem, name) for name in ("lower", "upper", "sliding")}
    try:
        hidden = flow_pattern(replace(problem, **levels), start=found.hidden)
    except CannotProtect:
        return None
    return _with_hidden(problem, found, hidden, "repair") if (hidden != found.hidden).any() else None


def _with_hidden(problem: Problem, found: Pattern, hidden: np.ndarray, why: str) -> Pattern:
    """The pattern with further cells; its bound still holds, as it is one for fewer demands."""
    return replace(found, hidden=hidden, cost=problem.total_cost(hidden), methods=(*found.methods, why))


def shape_of(problem: Problem) -> Shape:
    """Told from the equations alone, so that ready-made problems without codes are judged alike.

    An inner cell (the total of no sum) stands in one equation per dimension. Cells that stand in three or more equations
    of a table of two dimensions come from a second hierarchy.
    """
    equations = problem.table.equations
    among = np.bincount(equations.matrix.indices, minlength=problem.size)
    if int(among[~equations.is_total].max(initial=0)) > 2:
        return "more"
    return "network" if int(among.max(initial=0)) <= 3 else "hierarchies"


def choose_method(problem: Problem) -> str:
    """``exact`` where a proof is within reach, else ``heuristic``."""
    return "exact" if problem.size <= EXACT[shape_of(problem)] else "heuristic"


def limits_for(problem: Problem) -> Limits:
    """Limits of the exact method where none are given: short where a proof is not to be hoped for."""
    return SHORT if shape_of(problem) == "more" else Limits()


def sort_problem(problem: Problem) -> tuple[Problem, np.ndarray]:
    """The problem with cells sorted by their codes and equations by their cells; and where each sorted cell stood.

    Ties between cells of equal cost are then broken by codes and not by the order of a file. O(n log n).
    """
    labels = problem.table.labels
    order = labels.with_row_index("__row").sort(labels.columns)["__row"].to_numpy().astype(np.int64)
    named = {
        name: getattr(problem, name)[order] for name in ("status", "lower", "upper", "sliding", "low", "high", "cost")
    }
    return replace(problem, table=_sort_table(problem.table, order), why={}, **named), order


def _sort_table(table: Table, order: np.ndarray) -> Table:
    matrix = table.equations.matrix[:, order].tocsr()
    matrix.sort_indices()
    ends = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    keys = [(matrix.indices[start:end].tobytes(), matrix.data[start:end].tobytes()) for start, end in ends]
    rows = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    behind = table.contributions
    return replace(
        table,
        labels=table.labels[order],
        values=table.values[order],
        equations=Equations.of(matrix[rows], table.equations.constants[rows]),
        contributors=None if table.contributors is None else table.contributors[order],
        contributions=None
        if behind is None
        else Contributions(values=behind.values[order], owners=behind.owners[order], weights=behind.weights[order]),
        shadow=None if table.shadow is None else table.shadow[order],
        more={name: column[order] for name, column in table.more.items()},
        parts={name: place[cells] for name, cells in table.parts.items()},
    )


def against_insiders(problem: Problem, hidden: np.ndarray, *, progress: Progress | None = None) -> np.ndarray:
    """The pattern with further cells, so that no sole contributor learns more of others than an outsider may.

    Whoever stands alone behind a suppressed cell knows it; if an unsafe cell is protected by that cell alone, its only
    protection is gone for this one reader. Each unsafe cell of which such a reader learns too much gets a movement that
    leaves the reader's own cells where they are. Where no such movement exists nothing is added: the audit tells.
    In small patterns the cells that are then needless are published again.
    """
    given, hopeless = hidden, set[tuple[int, ...]]()
    for turn in range(ROUNDS):
        report_progress(progress, "insiders", turn / ROUNDS)
        learning = [one for one in insider_disclosures(problem, hidden) if tuple(one.cells.tolist()) not in hopeless]
        if not learning:
            break
        for one in learning:
            try:
                hidden = flow_pattern(_seen_by(problem, one), start=hidden)
            except CannotProtect:
                hopeless.add(tuple(one.cells.tolist()))
    return hidden if hidden is given else _prune_pattern(problem, hidden)


def _prune_pattern(problem: Problem, hidden: np.ndarray) -> np.ndarray:
    """The pattern without the secondary cells that can go, dearest first, with nobody learning more; only where few are tried."""
    spare = np.flatnonzero(hidden & ~problem.must_suppress)
    needs = CellDemands.of(problem)
    if len(spare) > PRUNED or len(short_of(problem, hidden, needs)):
        return hidden
    known = _count_disclosures(problem, hidden)
    for cell in spare[np.lexsort((spare, -problem.cost[spare]))]:
        without = hidden.copy()
        without[cell] = False
        if not len(short_of(problem, without, needs)) and (_count_disclosures(problem, without) <= known).all():
            hidden = without
    return hidden


def _count_disclosures(problem: Problem, hidden: np.ndarray) -> np.ndarray:
    """How many pairs of a sole contributor and an unsafe cell are known exactly, and how many too well or exactly."""
    found = insider_disclosures(problem, hidden)
    exact = sum(len(one.exact) for one in found)
    return np.array([exact, exact + sum(len(one.short) for one in found)])


def _seen_by(problem: Problem, insider: Insider) -> Problem:
    """The problem for a reader who knows some suppressed cells: only the unsafe cells of which it learns too much count."""
    values, status = problem.table.values, problem.status.copy()
    low, high = problem.low.copy(), problem.high.copy()
    status[problem.primaries] = Status.HIDDEN
    status[np.r_[insider.exact, insider.short]] = Status.UNSAFE
    low[insider.cells] = high[insider.cells] = values[insider.cells]
    lower = lower_for(problem, insider.owners, insider.cells)
    return replace(problem, status=status, low=low, high=high, lower=lower)
