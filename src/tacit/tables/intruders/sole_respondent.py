"""The sole respondent of a suppressed cell, who knows it and does the arithmetic for the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ...errors import TacitError
from ..audit.intervals import intervals
from ..published import Published
from ..table import Table
from .claims import CELL, CellClaims
from .knowledge import Knowledge


@dataclass(frozen=True)
class SoleRespondent:
    """Each respondent who is alone in a suppressed cell fills its figure in and computes the others by linear programming.

    A row with two suppressed cells protects them from outsiders; if one of them is mine, I know the other. For each cell of
    others the narrowest interval over all such respondents is claimed. One audit of the connected part of the table for each
    of them: for tables with many, the audit's own test of insiders is faster.

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    def claims(self, published: Published, knowledge: Knowledge) -> CellClaims:
        """The cells of others that are suppressed, as the best placed sole respondent knows them."""
        unknown = published.low < published.high
        first = knowledge.owners[:, 0] if knowledge.owners.shape[1] else np.full(len(unknown), -1)
        alone = unknown & (knowledge.contributors == 1) & (first >= 0)
        low, high = np.full(len(unknown), -np.inf), np.full(len(unknown), np.inf)
        part = _component_numbers(published, unknown)
        for owner in np.unique(first[alone]).tolist():
            mine = np.flatnonzero(alone & (first == owner))
            cells = np.flatnonzero(unknown & np.isin(part, part[mine]) & ~(alone & (first == owner)))
            if not len(cells):
                continue
            found = intervals(published.with_known_bounds(*known_by(knowledge, owner)), cells)
            narrower = found.high - found.low < high[found.cells] - low[found.cells]
            better = found.cells[narrower]
            low[better], high[better] = found.low[narrower], found.high[narrower]
        claimed = np.flatnonzero(np.isfinite(low) & np.isfinite(high))
        owners = np.full(len(claimed), CELL, dtype=np.int64)
        return CellClaims(cells=claimed, owners=owners, low=low[claimed], high=high[claimed])


def _component_numbers(published: Published, unknown: np.ndarray) -> np.ndarray:
    """A number per cell: those of one number hang together by equations between unknown cells."""
    matrix = sp.csr_matrix(abs(published.equations.matrix) @ sp.diags(unknown.astype(float)))
    rows, columns = matrix.shape
    graph = sp.bmat([[None, matrix], [matrix.T, None]], format="csr") if rows else sp.csr_matrix((columns, columns))
    return np.asarray(connected_components(graph, directed=False)[1])[rows:]


def knowledge_of(table: Table, owners: int | Iterable[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a respondent, a coalition or a holding knows: cells, and the least and largest value of each.

    ``published.knowing(*knowledge_of(table, owners))`` is the publication in their eyes, on which the arithmetic attacker then
    works; how it is found is said at :func:`known_by`. O(cells × kept contributions).
    """
    if table.contributors is None:
        raise TacitError(
            "the table does not tell how many respondents stand behind each cell",
            code="invalid_table",
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
