"""SciPy sparse adjacency matrices, in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TacitError
from ..graph import Graph
from .raw_graph import RawGraph

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def from_sparse(source: Any, *, weight: str | None, directed: bool | None) -> RawGraph:
    """The edges of a square sparse matrix; a symmetric one is undirected. O(entries).

    Entries that are stored but zero are no edges. With ``weight`` (any name) the entries are the weights.
    """
    import polars as pl

    if source.ndim != 2 or source.shape[0] != source.shape[1]:
        raise TacitError(
            "the adjacency matrix is not square", code="wrong_type", fix="give one row and one column for each node"
        )
    if directed is None or not directed:
        unequal = abs(source - source.T).nnz
        if unequal and directed is None:
            fix = "say directed=True (entry i, j is an edge from i to j) or directed=False"
            raise TacitError(
                "the adjacency matrix is not symmetric: is the network directed?", code="wrong_type", fix=fix
            )
        directed = False
    entries = source.tocoo()
    there = entries.data != 0
    rows, columns, values = entries.row[there], entries.col[there], entries.data[there]
    if not directed:
        upper = _unmirrored_entries(rows, columns, source.shape[0])
        rows, columns, values = rows[upper], columns[upper], values[upper]
    return RawGraph(
        first=pl.Series("row", rows.astype(np.int64)),
        second=pl.Series("column", columns.astype(np.int64)),
        weights=None if weight is None else pl.Series(weight, values.astype(np.float64)),
        labels=pl.Series("label", np.arange(source.shape[0])),
        directed=directed,
    )


def _unmirrored_entries(rows: np.ndarray, columns: np.ndarray, size: int) -> np.ndarray:
    """Which entries of an undirected matrix to take: the mirror image of an edge is no second edge."""
    upper = rows <= columns
    there = rows[upper].astype(np.int64) * size + columns[upper]
    alone = ~upper & ~np.isin(columns.astype(np.int64) * size + rows, there)
    return upper | alone


def to_sparse(graph: Graph) -> csr_array:
    """The adjacency matrix with the weights as its entries (1 where edges have none), symmetric where undirected. O(m).

    Row i is node i: names and attributes have no place in it. A weight of 0 is stored, and is no edge when read again.

    >>> to_sparse(Graph(size=3, edges=np.array([[0, 1], [1, 2]]), weights=np.array([2.0, 5.0]))).toarray().tolist()
    [[0.0, 2.0, 0.0], [2.0, 0.0, 5.0], [0.0, 5.0, 0.0]]
    """
    from scipy.sparse import csr_array

    rows, columns = graph.edges.T
    weights = np.ones(graph.links) if graph.weights is None else graph.weights
    if not graph.directed:
        rows, columns, weights = np.append(rows, columns), np.append(columns, rows), np.append(weights, weights)
    return csr_array((weights, (rows, columns)), shape=(graph.size, graph.size))
