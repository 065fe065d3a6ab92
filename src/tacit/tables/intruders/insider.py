"""What respondents know of the cells they are in: the start for an insider who does the arithmetic."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...errors import TacitError
from ..table import Table
from .knowledge import Knowledge

__all__ = ["known_by", "knowledge_of"]


def knowledge_of(table: Table, owners: int | Iterable[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a respondent, a coalition or a holding knows: cells, and the least and largest value of each (G-02, B-07).

    ``published.knowing(*knowledge_of(table, owners))`` is the publication in their eyes, on which the arithmetic attacker then
    works; how it is found is said at :func:`known_by`. O(cells × kept contributions).
    """
    if table.contributors is None:
        raise TacitError(
            "the table does not tell how many respondents stand behind each cell",
            fix="name the column that holds it (contributors=…), or build the table from records",
        )
    return known_by(Knowledge.of(table), owners)


def known_by(knowledge: Knowledge, owners: int | Iterable[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cells that some respondents are in, and the least and largest value that each has in their eyes.

    Where nobody else is, they know the figure exactly. In any other cell it is at least their own part, when
    contributions are 0 or more. Only contributions that the table keeps (its ``top``) count.
    """
    wanted = np.array([owners] if isinstance(owners, int | np.integer) else list(owners), dtype=np.int64)
    theirs = np.isin(knowledge.owners, wanted) & (knowledge.owners >= 0)
    members = theirs.sum(axis=1)
    own = np.where(theirs, knowledge.added, 0.0).sum(axis=1)
    alone = (members > 0) & (knowledge.contributors == members)
    cells = np.flatnonzero(alone | ((members > 0) & knowledge.positive))
    high = np.where(alone, own, np.inf)
    return cells, own[cells], high[cells]
