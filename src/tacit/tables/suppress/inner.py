"""Every cell as a sum of inner cells, found from the equations alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..problem import Problem

__all__ = ["PRIME", "Column", "Inner"]

PRIME = 2_147_483_629
"""Coefficients are computed modulo this prime: exactly, and never larger than a machine word."""

Column = dict[int, int]
"""Inner cell → its coefficient, none of them 0."""


class Inner:
    """Solves the equations from the inside out: the total of an equation is the sum of its parts (G-04).

    Cells that are the total of no equation are inner. Cells that everybody knows count for nothing in the sums.
    ``relations`` are sums that are known to be fixed: those of known totals, and equations that say more than that a total
    is a sum. Time and memory O(entries of all columns).
    """

    def __init__(self, problem: Problem) -> None:
        self._known = ~(problem.must | problem.may) | (problem.low >= problem.high)
        self._solved: dict[int, Column] = {}
        self.relations: list[Column] = []
        matrix = problem.table.equations.matrix
        ends = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
        self._rows = [(matrix.indices[start:end], matrix.data[start:end]) for start, end in ends]
        self._totals = [_total(*row) for row in self._rows]
        self._solve(matrix.tocsc())

    def column(self, cell: int) -> Column:
        """The cell over the inner cells; a copy to work on."""
        if cell in self._solved:
            return dict(self._solved[cell])
        return {} if self._known[cell] else {cell: 1}

    def _solve(self, by_cell: object) -> None:
        indptr, indices = by_cell.indptr, by_cell.indices  # type: ignore[attr-defined]
        totals = {total for total in self._totals if total >= 0}
        waits = [sum(int(cell) in totals for cell in cells) - (total >= 0) for (cells, _), total in self._both()]
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
            self._settle(row, total)
            if total >= 0 and total not in settled:
                settled.add(total)
                for other in indices[indptr[total] : indptr[total + 1]].tolist():
                    waits[other] -= self._totals[other] != total
                    if waits[other] == 0 and not done[other]:
                        ready.append(other)

    def _both(self) -> list[tuple[tuple[np.ndarray, np.ndarray], int]]:
        return list(zip(self._rows, self._totals, strict=True))

    def _settle(self, row: int, total: int) -> None:
        """Take one equation in: it says what its total is, or, when that is known, what sum is fixed."""
        found: Column = {}
        scale = 1
        for cell, value in zip(self._rows[row][0].tolist(), self._rows[row][1].tolist(), strict=True):
            if cell == total:
                scale = pow(-_residue(value), -1, PRIME)
                continue
            for at, part in self.column(cell).items():
                found[at] = found.get(at, 0) + _residue(value) * part
        found = {at: value * scale % PRIME for at, value in found.items() if value % PRIME}
        if total < 0 or self._known[total]:
            self._fix(found)
        elif total in self._solved:
            for at, value in self._solved[total].items():
                found[at] = (found.get(at, 0) - value) % PRIME
            self._fix({at: value for at, value in found.items() if value})
        else:
            self._solved[total] = found

    def _fix(self, relation: Column) -> None:
        if relation:
            self.relations.append(relation)


def _total(cells: np.ndarray, signs: np.ndarray) -> int:
    """The one cell whose sign is against all others; −1 when there is none."""
    for way in (-1, 1):
        against = np.flatnonzero(signs * way > 0)
        if len(against) == 1:
            return int(cells[against[0]])
    return -1


def _residue(value: float) -> int:
    exact = Fraction(value)
    return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME
