"""The competitor: the next largest in a cell estimate the largest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import check_int
from ..published import Published
from .claims import CellClaims
from .knowledge import Knowledge
from .subtract import subtract_own_parts


@dataclass(frozen=True)
class Rival:
    """The ``n`` next largest respondents of a cell subtract their own parts and estimate the largest: dominance.

    Their estimate is the upper end, figure − own parts. On a published cell it is too high by the rest of the cell, so that it
    lies within p per cent exactly where the p %-rule calls the cell unsafe; on a suppressed cell the upper end of its
    interval takes the place of the figure. O(cells × n).

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    n: int = 1

    def __post_init__(self) -> None:
        check_int("n", self.n, least=1)

    def claims(self, published: Published, knowledge: Knowledge) -> CellClaims:
        """What the largest respondent of each cell adds, in the eyes of the next."""
        width = knowledge.owners.shape[1]
        if width < 2:
            return CellClaims.none("the table keeps fewer than two contributions to a cell, so that nobody has a rival")
        cells = np.flatnonzero(knowledge.owners[:, 1] >= 0)
        places = np.arange(width)
        members = np.tile((places >= 1) & (places <= self.n), (len(cells), 1)) & (knowledge.owners[cells] >= 0)
        return subtract_own_parts(
            published, knowledge, cells=cells, members=members, target=np.zeros(len(cells), dtype=np.int64)
        )
