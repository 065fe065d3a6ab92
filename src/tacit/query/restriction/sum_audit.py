"""The audit of exact sums: what follows from the answered ones must not be about too few units (H-06).

Chin and Özsoyoğlu keep the answered sums as a system of linear equations in reduced row-echelon form. Ours has one
unknown for each *cell*, a set of units that no answered question tells apart, and column: the columns that identities tie to
each other are audited as one system, in which every cell keeps every identity. Cells are cut when a question does.

References
----------
Chin and Özsoyoğlu (1982), Auditing and inference control in statistical databases, IEEE TSE 8(6), 574–582.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..atoms import Labels
from .small_sums import small_sums
from .space import Space

__all__ = ["SumAudit"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SumAudit:
    """The answered sums of ``width`` columns; ``cell`` numbers the cell of every atom. A value: asking makes another.

    The unknown of a cell and a column stands at ``cell · width + column``; ``ties`` are the coefficients of the identities.
    """

    units: Labels
    cell: Labels
    space: Space
    width: int = 1
    ties: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def empty(cls, units: Labels, prime: int, *, width: int = 1, ties: tuple[tuple[int, ...], ...] = ()) -> SumAudit:
        """Nothing was answered; nobody is told apart from anybody."""
        cell = np.zeros(len(units), np.int64)
        start = cls(units=units, cell=cell, space=Space.empty(width, prime), width=width, ties=ties)
        return start._tied([0])

    @property
    def cells(self) -> int:
        """How many there are."""
        return int(self.space.rows.shape[1]) // self.width

    def asked(self, sets: Iterable[Labels], column: int = 0) -> SumAudit:
        """With the sums of a column over some more sets of atoms. Each O(atoms + rank · unknowns)."""
        audit = self
        for chosen in sets:
            audit = audit._asked(chosen, column)
        return audit

    def _asked(self, chosen: Labels, column: int) -> SumAudit:
        count = self.cells
        inside, size = np.bincount(self.cell[chosen], minlength=count), np.bincount(self.cell, minlength=count)
        cut = np.flatnonzero((inside > 0) & (inside < size))
        renamed = np.arange(count)
        renamed[cut] = count + np.arange(len(cut))
        cell = self.cell.copy()
        cell[chosen] = renamed[cell[chosen]]
        parents = (cut[:, None] * self.width + np.arange(self.width)).ravel()
        divided = replace(self, cell=cell, space=self.space.split(parents))._tied(range(count, count + len(cut)))
        vector = np.zeros((count + len(cut)) * self.width, np.int64)
        vector[cell[chosen] * self.width + column] = 1
        return replace(divided, space=divided.space.joined(vector))

    def _tied(self, cells: Iterable[int]) -> SumAudit:
        """With the identities of some cells; of a cell that was cut, those of one half tell those of the other."""
        space = self.space
        for cell in cells:
            for tie in self.ties:
                vector = np.zeros(space.rows.shape[1], np.int64)
                vector[cell * self.width : (cell + 1) * self.width] = [factor % space.prime for factor in tie]
                space = space.joined(vector)
        return replace(self, space=space)

    def exposed(self, least: int) -> frozenset[tuple[int, ...]]:
        """The sets of fewer than ``least`` units whose sum follows, as far as three cells make them: atoms, and the column."""
        return frozenset(self._exposed(least))

    def _exposed(self, least: int) -> Iterator[tuple[int, ...]]:
        totals = np.bincount(self.cell, weights=self.units, minlength=self.cells).astype(np.int64)
        few = np.flatnonzero((totals > 0) & (totals < least))
        for column in range(self.width):
            for place in small_sums(self.space, few * self.width + column, totals[few], least):
                yield (*np.flatnonzero(np.isin(self.cell, few[list(place)])).tolist(), -1 - column)
