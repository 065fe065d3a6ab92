"""SciPy sparse adjacency matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import TacitError
from .given import Given

__all__ = ["from_sparse"]


def from_sparse(source: Any, *, weight: str | None, directed: bool | None) -> Given:
    """The edges of a square sparse matrix; a symmetric one is undirected. O(entries).

    Entries that are stored but zero are no edges. With ``weight`` (any name) the entries are the weights.
    """
    import polars as pl

    if source.ndim != 2 or source.shape[0] != source.shape[1]:
        raise TacitError("the adjacency matrix is not square", fix="give one row and one column for each node")
    if directed is None or not directed:
        unequal = abs(source - source.T).nnz
        if unequal and directed is None:
            fix = "say directed=True (entry i, j is an edge from i to j) or directed=False"
            raise TacitError("the adjacency matrix is not symmetric: is the network directed?", fix=fix)
        directed = False
    entries = source.tocoo()
    there = entries.data != 0
    rows, columns, values = entries.row[there], entries.col[there], entries.data[there]
    if not directed:
        upper = _once(rows, columns, source.shape[0])
        rows, columns, values = rows[upper], columns[upper], values[upper]
    return Given(
        first=pl.Series("row", rows.astype(np.int64)),
        second=pl.Series("column", columns.astype(np.int64)),
        weights=None if weight is None else pl.Series(weight, values.astype(np.float64)),
        labels=pl.Series("label", np.arange(source.shape[0])),
        directed=directed,
    )


def _once(rows: np.ndarray, columns: np.ndarray, size: int) -> np.ndarray:
    """Which entries of an undirected matrix to take: the mirror image of an edge is no second edge."""
    upper = rows <= columns
    there = rows[upper].astype(np.int64) * size + columns[upper]
    alone = ~upper & ~np.isin(columns.astype(np.int64) * size + rows, there)
    return upper | alone
