"""Who is who, and what is true of whom: known to the judge alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import TacitError
from ..release.masked import checked_lineage

__all__ = ["Truth"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth:
    """A person's number for every row of the release and of the intruder's file; −1 is nobody.

    Equal numbers are the same person, who may stand in several rows of either side or in one of them only. For claims
    about values ``values`` holds the true ones, one for each row of the intruder's file (numbers for intervals, codes
    for distributions; NaN or −1 where unknown), and ``control_values`` those of the people of the control claims.
    """

    released: np.ndarray
    intruder: np.ndarray
    values: np.ndarray | None = None
    control_values: np.ndarray | None = None

    def __post_init__(self) -> None:
        for side in ("released", "intruder"):
            persons = np.asarray(getattr(self, side))
            if persons.ndim != 1 or (persons.size and (persons.dtype.kind not in "iu" or persons.min() < -1)):
                raise TacitError(
                    f"the truth about the {side} rows is not one whole number for each row",
                    fix="number the persons from 0 on and give −1 to rows that are nobody's",
                )
            object.__setattr__(self, side, persons.astype(np.int64))

    @staticmethod
    def by_lineage(lineage: np.ndarray | None, original_size: int) -> Truth:
        """The truth when the intruder has the original itself: row i of it is person i.

        ``lineage`` is the original row of each released row, −1 where it was invented; None: all stand as they stood.

        >>> Truth.by_lineage(np.array([2, 0, -1]), 3).present().tolist()
        [True, False, True]
        """
        everyone = np.arange(original_size)
        rows = everyone if lineage is None else np.asarray(lineage)
        checked = checked_lineage(rows, masked=len(rows), original=original_size)
        return Truth(released=checked, intruder=everyone)

    def present(self) -> np.ndarray:
        """Which rows of the intruder's file are of people in the release."""
        return np.isin(self.intruder, self.released[self.released >= 0])
