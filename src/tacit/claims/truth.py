"""Who is who: known to the judge alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Truth"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth:
    """A person number for every row of the release and of the intruder's file; −1 is nobody.

    For claims about values ``values`` holds the true ones, a row for each row of the intruder's file.
    """

    released: np.ndarray
    intruder: np.ndarray
    values: np.ndarray | None = None

    @staticmethod
    def by_lineage(lineage: np.ndarray, original_size: int) -> Truth:
        """The truth when the intruder has the original itself: row i of it is person i."""
        return Truth(released=np.asarray(lineage), intruder=np.arange(original_size))

    def present(self) -> np.ndarray:
        """Which persons of the intruder's file are in the release."""
        return np.isin(self.intruder, self.released[self.released >= 0]) & (self.intruder >= 0)
