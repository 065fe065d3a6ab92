"""The heuristic chain: several first patterns, each cleaned up, and the best that can be made from them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import product

import numpy as np

from ...errors import TacitError
from ...progress import Progress, report_progress, sub_progress
from ..dimension import Dimension
from ..pattern import Pattern
from ..problem import Problem, Status
from .cell_demands import CellDemands
from .clean import clean_pattern
from .deviations import deviation_bounds
from .exact.exact import exact_pattern
from .flow import flow_pattern, grow_pattern
from .limits import Limits
from .paths import Paths

WORK = 600_000


"""Secondary cells × cells up to which further attempts are made."""


TURNS = (2.0, 0.5, 2.0, 0.5)


"""How much dearer cells that were used before are made, one attempt after the other, to get different patterns."""


MOST = 110


"""So many secondary cells are chosen from: few enough for a search that ends."""


LIMITS = Limits(nodes=2_000, iterations=60_000)


def heuristic_pattern(problem: Problem, *, progress: Progress | None = None) -> Pattern:
    """Flow with clean-up; in tables of some thousand cells also from other starts, joined by a small exact search.

    The cost of what must be hidden anyway is the bound: a pattern without secondary cells is optimal.
    Deterministic: no draw and no clock.
    """
    paths = Paths(problem)
    grown = flow_pattern(problem, paths=paths, progress=sub_progress(progress, 0.0, 0.2))
    if int((grown & ~problem.must_suppress).sum()) * problem.size > WORK:
        grown = slim_pattern(problem, grown, progress=sub_progress(progress, 0.2, 0.3))
    first = clean_pattern(problem, grown, progress=sub_progress(progress, 0.3, 0.4))
    extra = int((first & ~problem.must_suppress).sum())
    if not extra or extra * problem.size > WORK:
        return _with_trivial_bound(problem, first, "flow", "clean-up")
    found = [first, _refit_pattern(problem, elimination_pattern(problem), paths)]
    if extra > MOST:  # too many to be joined: further attempts would only take time
        return _with_trivial_bound(problem, min(found, key=problem.total_cost), "flow", "elimination", "clean-up")
    if problem.table.dimensions:
        found.append(_refit_pattern(problem, hypercube_pattern(problem), paths))
    base = problem.cost + 1e-6 * max(1.0, float(problem.cost.max(initial=0.0)))
    for turn in TURNS:
        used = np.mean(found, axis=0)
        found.append(clean_pattern(problem, flow_pattern(problem, prices=base * (1 + turn * used), paths=paths)))
    best = clean_pattern(problem, combine_patterns(problem, found, progress=sub_progress(progress, 0.6, 1.0)))
    return _with_trivial_bound(problem, best, "flow", "elimination", "joined", "clean-up")


def by_flow(problem: Problem, *, progress: Progress | None = None) -> Pattern:
    """Flow and clean-up alone."""
    grown = flow_pattern(problem, progress=sub_progress(progress, 0.0, 0.5))
    return _with_trivial_bound(
        problem, clean_pattern(problem, grown, progress=sub_progress(progress, 0.5, 1.0)), "flow", "clean-up"
    )


def by_elimination(problem: Problem, *, progress: Progress | None = None) -> Pattern:
    """Elimination, flow for what is short of its levels, and clean-up."""
    start = elimination_pattern(problem, progress=sub_progress(progress, 0.0, 0.3))
    refitted = _refit_pattern(problem, start, Paths(problem), progress=sub_progress(progress, 0.3, 1.0))
    return _with_trivial_bound(problem, refitted, "elimination", "flow", "clean-up")


def by_hypercube(problem: Problem, *, progress: Progress | None = None) -> Pattern:
    """Hypercubes, flow for what is short of its levels, and clean-up."""
    refitted = _refit_pattern(problem, hypercube_pattern(problem), Paths(problem), progress=progress)
    return _with_trivial_bound(problem, refitted, "hypercube", "flow", "clean-up")


def _refit_pattern(
    problem: Problem, start: np.ndarray, paths: Paths, *, progress: Progress | None = None
) -> np.ndarray:
    """A first pattern made to hold, cut down to what flow takes of it, then cleaned."""
    holds = flow_pattern(problem, start=start, paths=paths, progress=sub_progress(progress, 0.0, 0.3))
    lean = flow_pattern(restrict_to_pattern(problem, holds), progress=sub_progress(progress, 0.3, 0.6))
    return clean_pattern(problem, lean, progress=sub_progress(progress, 0.6, 1.0))


def _with_trivial_bound(problem: Problem, hidden: np.ndarray, *methods: str) -> Pattern:
    return Pattern(
        hidden=hidden,
        cost=problem.total_cost(hidden),
        bound=float(problem.cost[problem.must_suppress].sum()) if (problem.cost >= 0).all() else float("-inf"),
        methods=methods,
    )


def slim_pattern(problem: Problem, hidden: np.ndarray, *, progress: Progress | None = None) -> np.ndarray:
    """A pattern within the given one that still protects, and costs less if that can be had at once.

    The first cells of a flow are chosen when nothing is hidden yet, so later ones make some of them needless. Going through the
    demands again from the other end, over the cells of the pattern alone, leaves these out. Never dearer.
    """
    needs = CellDemands.of(problem)
    inside, again = restrict_to_pattern(problem, hidden), problem.must_suppress
    prices = problem.cost + 1e-6 * max(1.0, float(problem.cost.max(initial=0.0)))
    grow_pattern(inside, again, needs.select_demands(np.arange(len(needs))[::-1]), prices, Paths(inside), progress)
    return again if problem.total_cost(again) < problem.total_cost(hidden) else hidden


def combine_patterns(
    problem: Problem, patterns: Sequence[np.ndarray], *, progress: Progress | None = None
) -> np.ndarray:
    """The cheapest pattern found within the union of the patterns, all of which protect; never dearer than the cheapest.

    Patterns are taken in, cheapest first, while the union has no more than :data:`MOST` secondary cells. Over so few cells
    the exact method ends soon, or stops at a small limit with what it has.
    """
    ordered = sorted(patterns, key=problem.total_cost)
    best = union = ordered[0]
    for pattern in ordered[1:]:
        if int(((union | pattern) & ~problem.must_suppress).sum()) <= MOST:
            union = union | pattern
    if int((union & ~best).sum()) == 0:
        return best
    found = exact_pattern(restrict_to_pattern(problem, union), limits=LIMITS, start=best, progress=progress).hidden
    return found if problem.total_cost(found) < problem.total_cost(best) else best


def restrict_to_pattern(problem: Problem, hidden: np.ndarray) -> Problem:
    """The same problem when no cell outside a pattern may be hidden."""
    outside = problem.may_suppress & ~hidden
    return replace(problem, status=np.where(outside, Status.PUBLISHED, problem.status).astype(problem.status.dtype))


def hypercube_pattern(problem: Problem) -> np.ndarray:
    r"""The cheapest hypercube for each unsafe cell, sub-table by sub-table, hardest cells first.

    Two codes of each dimension that lie in one sum give :math:`2^d` corners. Moving corners up and down in turn leaves all
    sums as they are, so the cell can move as far as the corner with the least room. Corners hidden already are free. In a
    table with hierarchies a cell stands in several sub-tables; every hidden cell gets a box in each of them, so that the
    sub-tables protect one another. A cell for which no box has room is left to
    :func:`~tacit.tables.suppress.flow.flow_pattern`. O(cells of the sub-table) per cell and sub-table; needs no solver.

    References: S. Giessing and D. Repsilber, Tools and strategies to protect multiple tables with the GHQUAR cell
    suppression engine, Inference Control in Statistical Databases, Springer LNCS 2316 (2002) 181–192.
    """
    if not problem.table.dimensions:
        raise TacitError(
            "the hypercube method needs the dimensions of the table; these cells come without codes",
            code="missing_parameter",
            fix="use method='flow' or method='elimination'",
        )
    grid = _Grid(problem)
    need = np.maximum(problem.upper, problem.lower)
    need = np.maximum(need, problem.sliding / 2)
    start = problem.primaries
    queue = deque((int(cell), float(need[cell])) for cell in start[np.lexsort((start, -need[start]))])
    seen: set[tuple[int, tuple[int, ...]]] = set()
    while queue:
        cell, level = queue.popleft()
        for groups in grid.sub_tables(cell):
            if (cell, groups) in seen:
                continue
            seen.add((cell, groups))
            box = grid.cheapest_box(cell, groups, level)
            seen.update((corner, groups) for corner in box)
            queue.extend((corner, level) for corner in box if not grid.hidden[corner])
            grid.hidden[list(box)] = True
    return grid.hidden


class _Grid:
    """The cells by their codes; corners that are no cell, or cannot be hidden, are never used."""

    def __init__(self, problem: Problem) -> None:
        self._dimensions = problem.table.dimensions
        shape = tuple(len(one.codes) for one in self._dimensions)
        labels = problem.table.labels
        self._codes = np.array(
            [labels[one.name].replace_strict(one.code_index).to_numpy() for one in self._dimensions]
        ).T
        self._cells = np.full(shape, -1)
        self._cells[tuple(self._codes.T)] = np.arange(problem.size)
        self._inside = [_sums_by_code(one) for one in self._dimensions]
        low, high = deviation_bounds(problem)
        may = problem.must_suppress | problem.may_suppress
        self._room = np.where(may, np.minimum(-low, high), -1.0)
        self._cost = problem.cost + 1e-9 * max(1.0, float(np.abs(problem.cost).max(initial=0.0)))
        self.hidden = problem.must_suppress

    def sub_tables(self, cell: int) -> list[tuple[int, ...]]:
        """The sub-tables a cell stands in: one sum of each dimension."""
        return list(product(*(inside[0][code] for inside, code in zip(self._inside, self._codes[cell], strict=True))))

    def cheapest_box(self, cell: int, groups: tuple[int, ...], level: float) -> tuple[int, ...]:
        """The other corners of the cheapest box with enough room; none when there is no such box."""
        at = self._codes[cell]
        lists = [inside[1][group] for inside, group in zip(self._inside, groups, strict=True)]
        others = [codes[codes != code] for codes, code in zip(lists, at, strict=True)]
        corners = list(product((False, True), repeat=len(at)))[1:]
        total = np.zeros([len(codes) for codes in others])
        for corner in corners:
            cells = self._cells[np.ix_(*self._box_axes(corner, others, at))]
            usable = (cells >= 0) & (self._room[cells] >= level)
            total = total + np.where(usable, np.where(self.hidden[cells], 0.0, self._cost[cells]), np.inf)
        best = int(np.argmin(total))
        if not np.isfinite(total.flat[best]):
            return ()
        place = np.unravel_index(best, total.shape)
        far = [codes[where] for codes, where in zip(others, place, strict=True)]
        return tuple(
            int(self._cells[tuple(b if moved else a for moved, a, b in zip(corner, at, far, strict=True))])
            for corner in corners
        )

    @staticmethod
    def _box_axes(corner: tuple[bool, ...], others: list[np.ndarray], at: np.ndarray) -> list[np.ndarray]:
        return [codes if moved else np.array([code]) for moved, codes, code in zip(corner, others, at, strict=True)]


def _sums_by_code(dimension: Dimension) -> tuple[list[list[int]], list[np.ndarray]]:
    """For each code the sums it stands in, and the codes of each sum."""
    members = [np.array([total, *parts]) for total, parts in dimension.sums]
    inside: list[list[int]] = [[] for _ in dimension.codes]
    for number, codes in enumerate(members):
        for code in codes.tolist():
            inside[code].append(number)
    return inside, members


PRIME = 2_147_483_629


"""Coefficients are computed modulo this prime: exactly, and never larger than a machine word."""


Column = dict[int, int]


"""Inner cell → its coefficient, none of them 0."""


def elimination_pattern(problem: Problem, *, progress: Progress | None = None) -> np.ndarray:
    """A pattern in which no unsafe cell can be computed exactly; intervals are not looked at.

    Every cell is a sum of inner cells. A cell is published when, with all that is published already, no unsafe cell falls
    into the span of the published ones; cells are tried dearest first, and those that are computable anyway are free.
    Gaussian elimination on sparse columns modulo a prime: exact but for a chance of about cells / 2³¹ of taking
    independent columns for dependent ones, so levels are to be checked afterwards. Fast, and below the optimum in cost where levels are
    missed: follow it by :func:`~tacit.tables.suppress.flow.flow_pattern` and a clean-up.

    References: Ø. Langsrud, Secondary cell suppression by Gaussian elimination: an algorithm suitable for handling issues
    with zeros and singletons, Privacy in Statistical Databases, Springer (2024).
    """
    inner = InnerSolver(problem)
    span = _Span([inner.inner_column(int(cell)) for cell in problem.primaries])
    for relation in inner.relations:
        span.try_publish(relation)
    hidden = problem.must_suppress
    tried = np.flatnonzero(problem.may_suppress)
    tried = tried[np.lexsort((tried, -problem.cost[tried]))]
    for done, cell in enumerate(tried.tolist()):
        if done % 256 == 0:
            report_progress(progress, "elimination", done / len(tried))
        hidden[cell] = not span.try_publish(inner.inner_column(cell))
    return hidden


class _Span:
    """What the published cells span, and the unsafe cells reduced by it."""

    def __init__(self, unsafe: list[Column]) -> None:
        self._unsafe = unsafe
        self._with: dict[int, set[int]] = {}
        for number, column in enumerate(unsafe):
            for at in column:
                self._with.setdefault(at, set()).add(number)
        self._pivots: dict[int, Column] = {}
        self._age: dict[int, int] = {}

    def try_publish(self, column: Column) -> bool:
        """Take the column in unless an unsafe cell would become computable; whether it was taken."""
        column = self._reduce_column(column)
        if not column:
            return True
        pivot = min(column, key=lambda at: (len(self._with.get(at, ())), at))
        hit = sorted(self._with.get(pivot, ()))
        inverse = pow(column[pivot], -1, PRIME)
        column = {at: value * inverse % PRIME for at, value in column.items()}
        if any(_is_multiple(self._unsafe[number], column, pivot) for number in hit):
            return False
        self._age[pivot] = len(self._age)
        self._pivots[pivot] = column
        for number in hit:
            self._take_out(number, column, pivot)
        return True

    def _reduce_column(self, column: Column) -> Column:
        """The column without pivots; oldest pivots first, so that each is used once."""
        todo = [(self._age[at], at) for at in column if at in self._pivots]
        heapify(todo)
        seen = {at for _, at in todo}
        while todo:
            _, at = heappop(todo)
            factor = column.get(at)
            if factor is None:
                continue
            for other, value in self._pivots[at].items():
                new = (column.get(other, 0) - factor * value) % PRIME
                if not new:
                    column.pop(other, None)
                    continue
                column[other] = new
                if other in self._pivots and other not in seen:
                    heappush(todo, (self._age[other], other))
                    seen.add(other)
        return column

    def _take_out(self, number: int, column: Column, pivot: int) -> None:
        unsafe = self._unsafe[number]
        factor = unsafe[pivot]
        for at, value in column.items():
            new = (unsafe.get(at, 0) - factor * value) % PRIME
            if new:
                if at not in unsafe:
                    self._with.setdefault(at, set()).add(number)
                unsafe[at] = new
            elif at in unsafe:
                del unsafe[at]
                self._with[at].discard(number)


def _is_multiple(one: Column, other: Column, pivot: int) -> bool:
    """Whether one column is a multiple of another whose pivot is 1."""
    if len(one) != len(other):
        return False
    factor = one[pivot]
    return all((value * factor - one.get(at, 0)) % PRIME == 0 for at, value in other.items())


class InnerSolver:
    """Solves the equations from the inside out: the total of an equation is the sum of its parts.

    Cells that are the total of no equation are inner. Cells that everybody knows count for nothing in the sums.
    ``relations`` are sums that are known to be fixed: those of known totals, and equations that say more than that a total
    is a sum. Time and memory O(entries of all columns).
    """

    def __init__(self, problem: Problem) -> None:
        self._known = ~(problem.must_suppress | problem.may_suppress) | (problem.low >= problem.high)
        self._solved: dict[int, Column] = {}
        self.relations: list[Column] = []
        matrix = problem.table.equations.matrix
        ends = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
        self._rows = [(matrix.indices[start:end], matrix.data[start:end]) for start, end in ends]
        self._totals = [_find_total(*row) for row in self._rows]
        self._solve_equations(matrix.tocsc())

    def inner_column(self, cell: int) -> Column:
        """The cell over the inner cells; a copy to work on."""
        if cell in self._solved:
            return dict(self._solved[cell])
        return {} if self._known[cell] else {cell: 1}

    def _solve_equations(self, by_cell: object) -> None:
        indptr, indices = by_cell.indptr, by_cell.indices  # type: ignore[attr-defined]
        totals = {total for total in self._totals if total >= 0}
        waits = [
            sum(int(cell) in totals for cell in cells) - (total >= 0) for (cells, _), total in self._rows_with_totals()
        ]
        ready = [row for row, wait in enumerate(waits) if wait == 0]
        loose = iter(range(len(waits)))
        done = np.zeros(len(waits), dtype=bool)
        settled: set[int] = set()
        while not done.all():
            if not ready:
                ready.append(next(row for row in loose if not done[row]))
            row = ready.pop()
            if done[row]:
                continue
            done[row] = True
            total = self._totals[row]
            self._settle_equation(row, total)
            if total >= 0 and total not in settled:
                settled.add(total)
                for other in indices[indptr[total] : indptr[total + 1]].tolist():
                    waits[other] -= self._totals[other] != total
                    if waits[other] == 0 and not done[other]:
                        ready.append(other)

    def _rows_with_totals(self) -> list[tuple[tuple[np.ndarray, np.ndarray], int]]:
        return list(zip(self._rows, self._totals, strict=True))

    def _settle_equation(self, row: int, total: int) -> None:
        """Take one equation in: it says what its total is, or, when that is known, what sum is fixed."""
        found: Column = {}
        scale = 1
        for cell, value in zip(self._rows[row][0].tolist(), self._rows[row][1].tolist(), strict=True):
            if cell == total:
                scale = pow(-_prime_residue(value), -1, PRIME)
                continue
            for at, part in self.inner_column(cell).items():
                found[at] = found.get(at, 0) + _prime_residue(value) * part
        found = {at: value * scale % PRIME for at, value in found.items() if value % PRIME}
        if total < 0 or self._known[total]:
            self._add_relation(found)
        elif total in self._solved:
            for at, value in self._solved[total].items():
                found[at] = (found.get(at, 0) - value) % PRIME
            self._add_relation({at: value for at, value in found.items() if value})
        else:
            self._solved[total] = found

    def _add_relation(self, relation: Column) -> None:
        if relation:
            self.relations.append(relation)


def _find_total(cells: np.ndarray, signs: np.ndarray) -> int:
    """The one cell whose sign is against all others; −1 when there is none."""
    for way in (-1, 1):
        against = np.flatnonzero(signs * way > 0)
        if len(against) == 1:
            return int(cells[against[0]])
    return -1


def _prime_residue(value: float) -> int:
    exact = Fraction(value)
    return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME
