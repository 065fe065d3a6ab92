"""What every unsafe cell needs, as single demands: this cell, this way, so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..problem import TOLERANCE, Problem, is_level_reached
from .deviations import DeviationProgram
from .widths import interval_widths


@dataclass(frozen=True, slots=True, eq=False)
class CellDemands:
    """Demands (cell, sign, level): the cell must be able to move by ``level`` up (+1) or down (−1); largest levels first.

    A sliding level asks for width without saying on which side. It is put on the upper side as far as any pattern at all
    can give room there, and the rest on the lower side: enough for the width, and never more than is possible. An unsafe
    cell without any level must not be known exactly: it is to move by a hair (:func:`.widths.widths`).

    >>> from tacit.tables.build.cross import cross_dimensions
    >>> from tacit.tables.dimension import Dimension
    >>> from tacit.tables.problem import Status
    >>> from tacit.tables.table import Table
    >>> labels, sums = cross_dimensions([Dimension.flat("size", "ab")])
    >>> table = Table(labels=labels, values=np.array([30.0, 10.0, 20.0]), equations=sums)
    >>> none = np.zeros(3)
    >>> problem = Problem(
    ...     table=table,
    ...     status=np.array([0, Status.UNSAFE, 0]),
    ...     lower=np.array([0, 4.0, 0]),
    ...     upper=np.array([0, 5.0, 0]),
    ...     sliding=none,
    ...     low=none,
    ...     high=none + 90,
    ...     cost=table.values,
    ... )
    >>> list(CellDemands.of(problem))
    [(1, 1, 5.0), (1, -1, 4.0)]
    """

    cells: np.ndarray
    signs: np.ndarray
    levels: np.ndarray

    @classmethod
    def of(cls, problem: Problem) -> CellDemands:
        """All demands of a problem; O(p log p) but for sliding levels, which take a linear program each."""
        cells = problem.primaries
        up, down = problem.upper[cells].astype(np.float64), problem.lower[cells].astype(np.float64)
        asked_widths = interval_widths(problem)[cells]
        wide = np.flatnonzero(~is_level_reached(up + down, asked_widths))
        if len(wide):
            every = DeviationProgram(problem, problem.must_suppress | problem.may_suppress)
            for at in wide:
                cell, width = int(cells[at]), float(asked_widths[at])
                above = every.reach(cell, 1, width)[0]
                up[at] = max(up[at], min(width - down[at], above))
                down[at] = max(down[at], width - up[at])
        both = np.r_[cells, cells], np.repeat([1, -1], len(cells)), np.r_[up, down]
        asked = both[2] > 0
        found = [part[asked] for part in both]
        order = np.lexsort((-found[1], found[0], -found[2]))
        return cls(*(part[order] for part in found))

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        return zip(self.cells.tolist(), self.signs.tolist(), self.levels.tolist(), strict=True)

    def select_demands(self, places: np.ndarray) -> CellDemands:
        """Some of the demands."""
        return CellDemands(self.cells[places], self.signs[places], self.levels[places])


def level_slack(levels: np.ndarray) -> np.ndarray:
    """How much of each level may be lost to arithmetic here: half of what the audit forgives, so that both agree."""
    found: np.ndarray = 0.5 * TOLERANCE * levels
    return found
