"""What an attack on a table says: for some cells, or contributions to them, the interval in which the figure must lie."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

CELL = -1
"""The owner of a claim that is about the cell itself."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CellClaims:
    """Claim i: the figure of cell ``cells[i]`` (owner −1), or what ``owners[i]`` adds to it, lies from low to high.

    ``estimate`` is the one number that the intruder would name, where the attack names one: a competitor takes the upper
    end for what its rival adds. Without it a claim is as good as its worse end. ``low`` may be −inf and ``high`` inf.
    """

    cells: np.ndarray
    owners: np.ndarray
    low: np.ndarray
    high: np.ndarray
    estimate: np.ndarray | None = None
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.cells)

    @classmethod
    def none(cls, *notes: str) -> CellClaims:
        """An attack that has nothing to say, and why."""
        nobody = np.zeros(0, dtype=np.int64)
        return cls(cells=nobody, owners=nobody, low=np.zeros(0), high=np.zeros(0), estimate=np.zeros(0), notes=notes)
