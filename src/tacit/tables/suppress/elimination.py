"""Publish the dearest cells first, as long as no unsafe cell can be computed from what stands there."""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np

from ...progress import Progress, report_progress
from ..problem import Problem

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
