"""The outsider: a cell of one respondent is that respondent's answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..published import Published
from .claims import CellClaims
from .knowledge import Knowledge
from .subtract import subtract_own_parts


@dataclass(frozen=True)
class External:
    """Somebody who reads the table and the numbers of respondents beside it (external attack).

    Where one respondent stands behind a cell, the figure is what this respondent reported: exactly when it is published,
    else to within what the publication leaves open. Needs ``knowledge.contributors``. O(cells).

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    def claims(self, published: Published, knowledge: Knowledge) -> CellClaims:
        """What each sole respondent added."""
        if not knowledge.owners.shape[1]:
            return CellClaims.none("the table keeps no contributions, so that there is nobody to make claims about")
        cells = np.flatnonzero((knowledge.contributors == 1) & (knowledge.owners[:, 0] >= 0))
        nobody = np.zeros((len(cells), knowledge.owners.shape[1]), dtype=bool)
        return subtract_own_parts(
            published, knowledge, cells=cells, members=nobody, target=np.zeros(len(cells), dtype=np.int64)
        )
