"""A table that somebody else made, perhaps protected: what its file says, and what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problem import Problem
from ..published import Published


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ImportedTable:
    """What a file tells: the problem, which cells it suppresses (None: none is said to be), and notes for the reader.

    A suppressed figure that the file leaves out is NaN in ``problem.table.values``. Whether its protection levels are met
    cannot be judged then, but what an outsider can compute can: :attr:`published` is all that an audit needs.
    """

    problem: Problem
    hidden: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every figure is in the file, those of suppressed cells too."""
        return bool(np.isfinite(self.problem.table.values).all())

    @property
    def published(self) -> Published:
        """What everybody can read: the figures of the cells that are not suppressed, and bounds for the others."""
        none = np.zeros(self.problem.size, dtype=bool)
        return Published.from_suppression(self.problem, none if self.hidden is None else self.hidden)
