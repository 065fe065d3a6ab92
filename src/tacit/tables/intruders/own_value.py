"""A respondent with its own value inside a cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..published import Published
from .claims import CellClaims
from .knowledge import Knowledge
from .subtract import largest_other, subtract_own_parts


@dataclass(frozen=True)
class OwnValue:
    """Every respondent that is kept for a cell takes its own part from the figure and bounds the largest of the others.

    This is the internal attack for figures: in a cell of two, each learns the other's answer exactly. In larger cells
    the claim of the second largest is the best about anybody (:class:`.rival.Rival`). O(cells × kept contributions²).

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    def claims(self, published: Published, knowledge: Knowledge) -> CellClaims:
        """What the largest other respondent of each cell adds, in the eyes of each one."""
        width = knowledge.owners.shape[1]
        cells, places = np.nonzero(knowledge.owners >= 0)
        members = np.arange(width) == places[:, None]
        target = largest_other(knowledge, cells, members)
        kept = target >= 0
        return subtract_own_parts(published, knowledge, cells=cells[kept], members=members[kept], target=target[kept])
