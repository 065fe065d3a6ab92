"""The audit of exact sums: what follows from the answered ones must not be about too few units (H-06).

Chin and Özsoyoğlu keep the answered sums as a system of linear equations in reduced row-echelon form. Ours has one
unknown for each *cell*: a set of units that no answered question tells apart. Cells are cut when a question does.

References
----------
Chin and Özsoyoğlu (1982), Auditing and inference control in statistical databases, IEEE TSE 8(6), 574–582.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..atoms import Labels
from .space import Space

__all__ = ["SumAudit"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SumAudit:
    """The answered sums of one confidential column; ``cell`` numbers the cell of every atom. A value: asking makes another."""

    units: Labels
    cell: Labels
    space: Space

    @classmethod
    def empty(cls, units: Labels, prime: int) -> SumAudit:
        """Nothing was answered; nobody is told apart from anybody."""
        return cls(units=units, cell=np.zeros(len(units), np.int64), space=Space.empty(1, prime))

    def asked(self, sets: Iterable[Labels]) -> SumAudit:
        """With the sums over some more sets of atoms. Each O(atoms + rank · cells)."""
        audit = self
        for chosen in sets:
            audit = audit._asked(chosen)
        return audit

    def _asked(self, chosen: Labels) -> SumAudit:
        width = self.space.rows.shape[1]
        inside, size = np.bincount(self.cell[chosen], minlength=width), np.bincount(self.cell, minlength=width)
        cut = np.flatnonzero((inside > 0) & (inside < size))
        renamed = np.arange(width)
        renamed[cut] = width + np.arange(len(cut))
        cell, vector = self.cell.copy(), np.zeros(width + len(cut), np.int64)
        cell[chosen] = renamed[cell[chosen]]
        vector[cell[chosen]] = 1
        return SumAudit(units=self.units, cell=cell, space=self.space.split(cut).joined(vector))

    def exposed(self, least: int) -> frozenset[tuple[int, ...]]:
        """The cells, as the atoms in them, of fewer than ``least`` units whose sum follows from the answers."""
        totals = np.bincount(self.cell, weights=self.units, minlength=self.space.rows.shape[1])
        determined = self.space.determined()
        return frozenset(
            tuple(np.flatnonzero(self.cell == cell).tolist()) for cell in determined[totals[determined] < least]
        )
