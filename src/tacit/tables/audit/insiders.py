"""What a respondent who knows its own suppressed cells learns of those of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import scipy.sparse as sp

from ...errors import TacitError, format_value
from ...kernels.highs import pass_program, quiet_solver
from ...progress import Progress, report_progress
from ..problem import Problem
from ..published import Published
from .component import part_intervals
from .consistency import consistent_system, explain_contradictions
from .intervals import Intervals, intervals
from .owners import Owner, lower_for, sole_owners
from .propagate import propagate_bounds
from .shortfall import is_point, level_shortfall
from .system import System

AVOIDED = 20.0
"""A way round that is this much longer is taken rather than one through a cell that somebody knows."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Insider:
    """One respondent, or a coalition, and the unsafe cells of others of which it learns what an outsider does not.

    ``exact`` it computes to the last digit; of ``short`` it learns more than their levels allow.
    """

    owners: tuple[int, ...]
    cells: np.ndarray
    exact: np.ndarray
    short: np.ndarray


def insider_disclosures(
    problem: Problem,
    hidden: np.ndarray,
    *,
    size: int = 1,
    outside: Intervals | None = None,
    tolerance: float = 0.0,
    progress: Progress | None = None,
) -> tuple[Insider, ...]:
    """The sole contributors, alone or up to ``size`` together, who learn too much of unsafe cells that are not theirs.

    The audit again, with their own cells known. Cells that an outsider knows exactly, or too well, already (``outside``, the
    intervals of the audit, computed when not given) are not counted again, nor is what a part of a coalition learns without the
    rest; those who learn nothing are not listed.

    Only cells that hang together with theirs by equations can change; and of these only the unsafe ones that cannot move as
    far as their levels ask by a route around the cells known (see :class:`Routes`). Time: two programs for each
    unsafe cell, then two for each pair of a coalition and an unsafe cell on whose route it sits.
    """
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise TacitError(
            f"a coalition of {format_value(size)} is none",
            code="wrong_type",
            fix="give a number from 1 on, e.g. insiders=2",
        )
    published = Published.from_suppression(problem, hidden)
    owners = sole_owners(problem, hidden)
    if not owners:
        return ()
    before = outside or intervals(published, np.flatnonzero(hidden), tolerance=tolerance)
    with explain_contradictions(published, tolerance):
        parts = (
            propagate_bounds(consistent_system(published, tolerance=tolerance).without_known())
            .without_known()
            .components()
        )
        where = {int(cell): number for number, part in enumerate(parts) for cell in part.cells}
        owned = np.concatenate([owner.cells for owner in owners])
        watched = {
            one: _WatchedPart(problem, parts[one], before, owned) for one in sorted(_touched_parts(owned, where))
        }
        groups = list(_connected_coalitions(owners, where, size))
        told: dict[tuple[int, ...], Insider] = {}
        for done, members in enumerate(groups):
            report_progress(progress, "insiders", done / len(groups))
            group = [owners[member] for member in members]
            cells = np.concatenate([owner.cells for owner in group])
            numbers = tuple(owner.number for owner in group)
            lower = lower_for(problem, numbers, cells)
            learnt = [watched[one].cells_learnt(cells, lower) for one in sorted(_touched_parts(cells, where))]
            exact, short = (np.concatenate(side) for side in zip(*learnt, strict=True))
            exact, short = _new_disclosures(
                exact, short, [told[few] for few in _sub_coalitions(members) if few in told]
            )
            if len(exact) or len(short):
                told[members] = Insider(owners=numbers, cells=cells, exact=exact, short=short)
    return tuple(told.values())


def _touched_parts(cells: np.ndarray, where: dict[int, int]) -> set[int]:
    return {where[cell] for cell in cells.tolist() if cell in where}


def _connected_coalitions(owners: Sequence[Owner], where: dict[int, int], size: int) -> Iterator[tuple[int, ...]]:
    """Coalitions, small ones first, each of whose members shares a part with another: who shares none adds nothing to them."""
    parts = {place: found for place, owner in enumerate(owners) if (found := _touched_parts(owner.cells, where))}
    for count in range(1, size + 1):
        for members in combinations(parts, count):
            if count == 1 or all(
                any(parts[one] & parts[other] for other in members if other != one) for one in members
            ):
                yield members


def _sub_coalitions(members: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The coalitions within one."""
    for count in range(1, len(members)):
        yield from combinations(members, count)


def _new_disclosures(exact: np.ndarray, short: np.ndarray, parts: Sequence[Insider]) -> tuple[np.ndarray, np.ndarray]:
    """What a coalition learns that no part of it does; in the order of the cells."""
    for part in parts:
        exact = np.setdiff1d(exact, part.exact)
        short = np.setdiff1d(short, np.r_[part.exact, part.short])
    return np.sort(exact), np.sort(short)


class _WatchedPart:
    """One part of the table: its unsafe cells, what outsiders know of them, and a route for each."""

    def __init__(self, problem: Problem, part: System, before: Intervals, owned: np.ndarray) -> None:
        self.problem, self.part = problem, part
        values = problem.table.values[part.cells] * part.per
        self.values = np.rint(values) if part.exact else values
        self.unsafe = np.flatnonzero(np.isin(part.cells, problem.primaries))
        cells = part.cells[self.unsafe]
        at = np.searchsorted(before.cells, cells)
        ends = before.low[at], before.high[at]
        self.known = is_point(*ends)
        self.lacking = level_shortfall(problem, cells, *ends) > 0
        self.routes: list[np.ndarray | None] = [None] * len(self.unsafe)
        # A route leads from the true table to another; figures that were rounded one by one are no such table.
        if (np.abs(part.matrix @ self.values - part.constants) <= part.slack).all():
            routes = Routes(part, self.values, np.isin(part.cells, owned))
            self.routes = [self._find_route(routes, place, number) for number, place in enumerate(self.unsafe.tolist())]

    def _find_route(self, routes: Routes, place: int, number: int) -> np.ndarray | None:
        """The cells that must stay unknown so that this one keeps its levels (or, if it lacks them, stays open)."""
        cell, none = int(self.part.cells[place]), np.zeros(len(self.part.cells), dtype=bool)
        lower, upper, sliding = (
            float(levels[cell]) * self.part.per
            for levels in (self.problem.lower, self.problem.upper, self.problem.sliding)
        )
        if self.known[number]:
            return none
        if sliding > lower + upper:
            return None
        if self.lacking[number] or not (lower or upper):
            step = 1.0 if self.part.exact else 1e-6 * (1.0 + abs(float(self.values[place])))
            up = routes.find_route(place, 1, step)
            return routes.find_route(place, -1, step) if up is None else up
        crossed = none
        for way, need in ((1, upper), (-1, lower)):
            moved = routes.find_route(place, way, need) if need > 0 else none
            if moved is None:
                return None
            crossed = crossed | moved
        return crossed

    def cells_learnt(self, own: np.ndarray, lower: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The unsafe cells of others that become known, and those that fall short, when ``own`` are known too."""
        mine = np.flatnonzero(np.isin(self.part.cells, own))
        touched = np.array([route is None or route[mine].any() for route in self.routes], dtype=bool)
        doubtful = touched & ~np.isin(self.unsafe, mine)
        nobody = np.zeros(0, dtype=np.int64)
        if not doubtful.any():
            return nobody, nobody
        asked = self.unsafe[doubtful]
        low, high = self._interval_ends(mine, asked)
        cells = self.part.cells[asked]
        known = is_point(low, high)
        lacks = level_shortfall(replace(self.problem, lower=lower), cells, low, high) > 0
        short = lacks & ~known & ~self.lacking[doubtful]
        return cells[known & ~self.known[doubtful]], cells[short]

    def _interval_ends(self, mine: np.ndarray, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The intervals of the asked places when those of ``mine`` are known."""
        part = self.part
        fixed = propagate_bounds(part.with_known(mine, self.problem.table.values[part.cells[mine]]))
        low, high = fixed.low.copy(), fixed.high.copy()
        place = np.full(int(part.cells.max()) + 1, -1)
        place[part.cells] = np.arange(len(part.cells))
        wanted = np.zeros(len(low), dtype=bool)
        wanted[asked] = True
        for piece in fixed.without_known().components():
            here = place[piece.cells]
            if wanted[here].any():
                found = part_intervals(piece, wanted[here], tick=lambda _: None)
                low[here], high[here] = found.low, found.high
        return low[asked] / part.per, high[asked] / part.per


class Routes:
    r"""Changes of a few cells that keep every sum: the fewest and smallest that move one cell by a given amount.

    .. math:: \min \sum_j c_j |d_j| \quad\text{such that}\quad A d = 0,\; d_k = \pm need,\; l \le a + d \le h

    a + d is then a table that agrees with the publication, and also with whatever somebody knows of cells where d is 0. One
    warm linear program (dual simplex) for each route.
    """

    def __init__(self, part: System, values: np.ndarray, avoided: np.ndarray) -> None:
        self.part, self.values, self.size = part, values, len(values)
        self._solver = quiet_solver(presolve="off")
        self._room = np.concatenate([part.high - values, values - part.low])
        costs = np.where(avoided, AVOIDED, 1.0)
        nothing = np.zeros(len(part.rows))
        pass_program(
            self._solver,
            sp.hstack([part.matrix, -part.matrix], format="csc"),
            columns=(np.zeros(2 * self.size), np.maximum(self._room, 0.0)),
            rows=(nothing, nothing),
            costs=np.concatenate([costs, costs]),
        )

    def find_route(self, place: int, way: int, need: float) -> np.ndarray | None:
        """Which cells move when one rises (way = 1) or falls by ``need``; None when it cannot go so far."""
        from highspy import HighsModelStatus

        column = place if way > 0 else place + self.size
        back = place + self.size if way > 0 else place
        if need > self._room[column]:
            return None
        self._solver.changeColBounds(column, need, need)
        self._solver.changeColBounds(back, 0.0, 0.0)
        self._solver.run()
        found = None
        if self._solver.getModelStatus() == HighsModelStatus.kOptimal:
            moves = np.asarray(self._solver.getSolution().col_value)
            found = self._checked_cells(moves[: self.size] - moves[self.size :], place, way * need)
        for one in (column, back):
            self._solver.changeColBounds(one, 0.0, max(0.0, float(self._room[one])))
        return found

    def _checked_cells(self, deviation: np.ndarray, place: int, wanted: float) -> np.ndarray | None:
        """The cells of a route, once it is checked that what is left of it keeps every sum and bound."""
        size = max(1.0, abs(wanted))
        kept = np.where(np.abs(deviation) > 1e-9 * size, deviation, 0.0)
        table = self.values + kept
        inside = (table >= self.part.low - 1e-9 * size).all() and (table <= self.part.high + 1e-9 * size).all()
        if not inside or kept[place] != wanted or np.abs(self.part.matrix @ kept).max(initial=0.0) > 1e-7 * size:
            return None
        return np.asarray(kept != 0)
