"""The sole respondent of a suppressed cell, who knows it and does the arithmetic for the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..audit.intervals import intervals
from ..published import Published
from .claims import CELL, CellClaims
from .insider import known_by
from .knowledge import Knowledge

__all__ = ["SoleRespondent"]


@dataclass(frozen=True)
class SoleRespondent:
    """Each respondent who is alone in a suppressed cell fills its figure in and computes the others by linear programming (G-02).

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
        part = _parts(published, unknown)
        for owner in np.unique(first[alone]).tolist():
            mine = np.flatnonzero(alone & (first == owner))
            cells = np.flatnonzero(unknown & np.isin(part, part[mine]) & ~(alone & (first == owner)))
            if not len(cells):
                continue
            found = intervals(published.knowing(*known_by(knowledge, owner)), cells)
            narrower = found.high - found.low < high[found.cells] - low[found.cells]
            better = found.cells[narrower]
            low[better], high[better] = found.low[narrower], found.high[narrower]
        claimed = np.flatnonzero(np.isfinite(low) & np.isfinite(high))
        owners = np.full(len(claimed), CELL, dtype=np.int64)
        return CellClaims(cells=claimed, owners=owners, low=low[claimed], high=high[claimed])


def _parts(published: Published, unknown: np.ndarray) -> np.ndarray:
    """A number per cell: those of one number hang together by equations between unknown cells."""
    matrix = sp.csr_matrix(abs(published.equations.matrix) @ sp.diags(unknown.astype(float)))
    rows, columns = matrix.shape
    graph = sp.bmat([[None, matrix], [matrix.T, None]], format="csr") if rows else sp.csr_matrix((columns, columns))
    return np.asarray(connected_components(graph, directed=False)[1])[rows:]
