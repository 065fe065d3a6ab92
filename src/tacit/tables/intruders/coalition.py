"""A coalition: all but one of a cell act together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import TacitError, check_int
from ..published import Published
from .claims import CellClaims
from .knowledge import Knowledge
from .subtract import subtract_own_parts


@dataclass(frozen=True)
class Coalition:
    """``c`` respondents of a cell with c + 1 tell one another their parts: what is left is the last one's.

    Each of the c + 1 is once the one who is left. With c = 1 it is the cell of two. A published cell with at least
    c + 2 respondents withstands c of them; that is what a minimum frequency of c + 2 means. O(cells × c²).

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    c: int

    def __post_init__(self) -> None:
        check_int("c", self.c, least=1)

    def claims(self, published: Published, knowledge: Knowledge) -> CellClaims:
        """What the one who is no member adds, for each cell and each one of it."""
        width, size = knowledge.owners.shape[1], self.c + 1
        found = np.flatnonzero(knowledge.contributors == size)
        if not len(found):
            return CellClaims.none(f"no cell is known to have {size} respondents")
        if width < size:
            raise TacitError(
                f"a coalition of {self.c} needs {size} contributions to each cell, and the table keeps {width}",
                code="invalid_table",
                fix=f"build the table with top={size}",
            )
        found = found[(knowledge.owners[found, :size] >= 0).all(axis=1)]
        cells, target = np.repeat(found, size), np.tile(np.arange(size), len(found))
        places = np.arange(width)
        members = (places < size) & (places != target[:, None])
        return subtract_own_parts(published, knowledge, cells=cells, members=members, target=target)
