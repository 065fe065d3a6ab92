"""Every cell as a sum of inner cells: what must be settled so that a table adds up by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..equations import Equations

DEEPEST = 60
"""More levels of totals over totals than any table has; beyond them the equations go in a circle."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """``matrix`` (cells × inner cells, whole numbers): all cells from the inner ones, those that are no total (G-01)."""

    inner: np.ndarray
    matrix: Any

    @classmethod
    def of(cls, equations: Equations) -> Sums | None:
        """None where the equations do not define totals: constants, two totals in one equation, circles.

        A total with several equations is taken from the first; that the others then hold as well is checked.
        """
        signs = equations.matrix
        below = sp.csr_matrix((np.asarray(signs.data < 0, dtype=np.float64), signs.indices, signs.indptr), signs.shape)
        if equations.constants.any() or not (np.abs(signs.data) == 1).all() or (below.sum(axis=1) != 1).any():
            return None
        totals = signs.indices[signs.data < 0]
        _, first = np.unique(totals, return_index=True)
        parts = signs[first].maximum(0)
        size = signs.shape[1]
        into = sp.csr_matrix((np.ones(len(first)), (totals[first], np.arange(len(first)))), (size, len(first)))
        step = (into @ parts).tocsr()
        inner = np.setdiff1d(np.arange(size), totals)
        start = sp.csr_matrix((np.ones(len(inner)), (inner, np.arange(len(inner)))), (size, len(inner)))
        found = start
        for _ in range(DEEPEST):
            new = (start + step @ found).tocsr()
            if (new != found).nnz == 0:
                return cls(inner, found) if np.abs(signs @ found).sum() == 0 else None
            found = new
        return None
