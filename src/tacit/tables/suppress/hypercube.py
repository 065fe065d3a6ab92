"""Protect each unsafe cell by the cheapest box that has it as a corner."""

from __future__ import annotations

from collections import deque
from itertools import product

import numpy as np

from ...errors import TacitError
from ..dimension import Dimension
from ..problem import Problem
from .rooms import span

__all__ = ["hypercube"]


def hypercube(problem: Problem) -> np.ndarray:
    r"""The cheapest hypercube for each unsafe cell, sub-table by sub-table, hardest cells first (G-04).

    Two codes of each dimension that lie in one sum give :math:`2^d` corners. Moving corners up and down in turn leaves all
    sums as they are, so the cell can move as far as the corner with the least room. Corners hidden already are free. In a
    table with hierarchies a cell stands in several sub-tables; every hidden cell gets a box in each of them, so that the
    sub-tables protect one another. A cell for which no box has room is left to
    :func:`~tacit.tables.suppress.flow.flow`. O(cells of the sub-table) per cell and sub-table; needs no solver.

    References: S. Giessing and D. Repsilber, Tools and strategies to protect multiple tables with the GHQUAR cell
    suppression engine, Inference Control in Statistical Databases, Springer LNCS 2316 (2002) 181–192.
    """
    if not problem.table.dimensions:
        raise TacitError(
            "the hypercube method needs the dimensions of the table; these cells come without codes",
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
        for groups in grid.groups(cell):
            if (cell, groups) in seen:
                continue
            seen.add((cell, groups))
            box = grid.cheapest(cell, groups, level)
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
        self._codes = np.array([labels[one.name].replace_strict(one.place).to_numpy() for one in self._dimensions]).T
        self._cells = np.full(shape, -1)
        self._cells[tuple(self._codes.T)] = np.arange(problem.size)
        self._inside = [_groups(one) for one in self._dimensions]
        low, high = span(problem)
        may = problem.must | problem.may
        self._room = np.where(may, np.minimum(-low, high), -1.0)
        self._cost = problem.cost + 1e-9 * max(1.0, float(np.abs(problem.cost).max(initial=0.0)))
        self.hidden = problem.must

    def groups(self, cell: int) -> list[tuple[int, ...]]:
        """The sub-tables a cell stands in: one sum of each dimension."""
        return list(product(*(inside[0][code] for inside, code in zip(self._inside, self._codes[cell], strict=True))))

    def cheapest(self, cell: int, groups: tuple[int, ...], level: float) -> tuple[int, ...]:
        """The other corners of the cheapest box with enough room; none when there is no such box."""
        at = self._codes[cell]
        lists = [inside[1][group] for inside, group in zip(self._inside, groups, strict=True)]
        others = [codes[codes != code] for codes, code in zip(lists, at, strict=True)]
        corners = list(product((False, True), repeat=len(at)))[1:]
        total = np.zeros([len(codes) for codes in others])
        for corner in corners:
            cells = self._cells[np.ix_(*self._axes(corner, others, at))]
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
    def _axes(corner: tuple[bool, ...], others: list[np.ndarray], at: np.ndarray) -> list[np.ndarray]:
        return [codes if moved else np.array([code]) for moved, codes, code in zip(corner, others, at, strict=True)]


def _groups(dimension: Dimension) -> tuple[list[list[int]], list[np.ndarray]]:
    """For each code the sums it stands in, and the codes of each sum."""
    members = [np.array([total, *parts]) for total, parts in dimension.sums]
    inside: list[list[int]] = [[] for _ in dimension.codes]
    for number, codes in enumerate(members):
        for code in codes.tolist():
            inside[code].append(number)
    return inside, members
