"""The largest eigenvalues, which bound how fast anything spreads, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import check_int
from ...result import Results
from ...seed import DEFAULT_SEED, make_generator
from .graph_pair import loss_result, pair_graphs
from .triangles import both_ways

if TYPE_CHECKING:
    from ..graph import Graph
    from ..masked import MaskedGraph


TOLERANCE = 1e-5
"""Relative size of the residual; the eigenvalue of a symmetric matrix is then right to about its square."""


def spectrum(
    masked: Graph | MaskedGraph, *, original: Graph, lineage: np.ndarray | None = None, count: int = 10
) -> Results:
    r"""How far the ``count`` largest eigenvalues moved, of the adjacency matrix and of the Laplacian D − A.

    The value is :math:`\sum|\lambda_i - \lambda'_i| / \sum(|\lambda_i| + |\lambda'_i|)`, 0 for the same and 1 for nothing left; the
    facts tell the largest one. Direction is left out.

    Utility, measured. Lanczos on sparse matrices (scipy ``eigsh``): O(iterations · (m + n · count)).

    References
    ----------
    Ying and Wu (2008), Randomizing social networks: a spectrum preserving approach, SDM, 739–750.
    """
    check_int("count", count, least=1)
    pair = pair_graphs(masked, original, lineage)
    # Under the numbers of the original, so that an unchanged network gives the same values to the last digit.
    graphs = (pair.before, pair.in_original_numbers())
    parts = []
    for name, values in (("adjacency spectrum", adjacency_values), ("Laplacian spectrum", laplacian_values)):
        before, after = (_pad_values(values(graph, count), count) for graph in graphs)
        size = (np.abs(before) + np.abs(after)).sum()
        moved = np.abs(before - after).sum() / size if size else 0.0
        facts = {"largest before": float(before[0]), "largest after": float(after[0])}
        parts.append(loss_result(name, moved, facts))
    return Results(tuple(parts))


def adjacency_values(graph: Graph, count: int) -> np.ndarray:
    """The largest eigenvalues of the adjacency matrix, downwards; fewer in a network of fewer nodes."""
    return _largest_eigenvalues(_symmetric_adjacency(graph), count)


def laplacian_values(graph: Graph, count: int) -> np.ndarray:
    """The largest eigenvalues of D − A, downwards."""
    from scipy.sparse import diags_array

    adjacency = _symmetric_adjacency(graph)
    return _largest_eigenvalues((diags_array(np.asarray(adjacency.sum(axis=1)).ravel()) - adjacency).tocsr(), count)


def _symmetric_adjacency(graph: Graph) -> Any:
    from scipy.sparse import csr_array

    one, two = both_ways(graph).T
    ones = np.ones(2 * len(one))
    ends = (np.concatenate([one, two]), np.concatenate([two, one]))
    return csr_array((ones, ends), shape=(graph.size, graph.size))


def _largest_eigenvalues(matrix: Any, count: int) -> np.ndarray:
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    size = matrix.shape[0]
    wanted = min(count, size - 1)
    if not matrix.nnz or wanted < 1:
        return np.zeros(min(count, size))
    # Any start gives the same values; this one is no eigenvector of regular networks, which would hide the others.
    start = make_generator(DEFAULT_SEED).random(size) + 0.5
    subspace = min(size, max(2 * wanted + 1, 40))
    try:
        found = eigsh(matrix, k=wanted, which="LA", v0=start, ncv=subspace, tol=TOLERANCE, return_eigenvectors=False)
    except ArpackNoConvergence as part:
        found = part.eigenvalues
    return np.sort(np.asarray(found))[::-1]


def _pad_values(values: np.ndarray, count: int) -> np.ndarray:
    return np.pad(values[:count], (0, count - len(values[:count])))
