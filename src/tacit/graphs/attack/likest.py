"""For each node of one graph the most similar node of another, by the neighbours that are mapped already."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Likest", "likest"]

BLOCK = 4_000_000
"""Products that are held at once."""


class Likest(NamedTuple):
    """The most similar node of each, −1 for none, and by how many standard deviations it stands out."""

    node: np.ndarray
    eccentricity: np.ndarray


def likest(
    one: Graph, other: Graph, mapping: csr_array, *, free: tuple[np.ndarray, np.ndarray], support: int
) -> Likest:
    """See :class:`.propagation.Propagation`; ``free`` says which nodes of both may be paired.

    The scores of a block of nodes are a product of sparse matrices, neighbours × mapping × neighbours; a node that
    shares fewer than ``support`` mapped neighbours has score 0. The standard deviation is over all free nodes of the
    other graph.
    """
    ways = [one.adjacency().astype(np.float64) @ mapping]
    around = [other.adjacency().T.tocsr().astype(np.float64)]
    if one.directed:
        ways.append(one.adjacency().T.tocsr().astype(np.float64) @ mapping)
        around.append(other.adjacency().astype(np.float64))
    scale = [1.0 / np.sqrt(np.maximum(graph.degrees(), 1)) for graph in (one, other)]
    work = sum(way @ np.diff(side.indptr).astype(float) for way, side in zip(ways, around, strict=True))
    node, eccentricity = np.full(one.size, -1, dtype=np.int64), np.zeros(one.size)
    rows = np.flatnonzero(free[0] & (work > 0))
    for block in np.split(rows, np.flatnonzero(np.diff(np.cumsum(work[rows]) // BLOCK)) + 1):
        if len(block):
            shared = sum((way[block] @ side for way, side in zip(ways, around, strict=True)), start=0)
            node[block], eccentricity[block] = _best(shared, scale[0][block], scale[1], free[1], support)
    return Likest(node, eccentricity)


def _best(
    shared: csr_array, mine: np.ndarray, theirs: np.ndarray, free: np.ndarray, support: int
) -> tuple[np.ndarray, np.ndarray]:
    """The best column of each row and its eccentricity (0 where the two best are alike)."""
    owner = np.repeat(np.arange(shared.shape[0]), np.diff(shared.indptr))
    kept = (shared.data >= support) & free[shared.indices]
    owner, column = owner[kept], shared.indices[kept]
    score = shared.data[kept] * (mine[owner] * theirs[column])
    order = np.lexsort((-score, owner))
    owner, column, score = owner[order], column[order], score[order]
    rows, first = np.unique(owner, return_index=True)
    second = np.append(score, 0.0)[np.minimum(first + 1, len(score))]
    second = np.where(np.append(owner, -1)[first + 1] == rows, second, 0.0)
    count = max(int(free.sum()), 1)
    mean = np.bincount(owner, weights=score, minlength=len(mine)) / count
    spread = np.sqrt(np.maximum(np.bincount(owner, weights=score**2, minlength=len(mine)) / count - mean**2, 0.0))
    node, eccentricity = np.full(len(mine), -1, dtype=np.int64), np.zeros(len(mine))
    node[rows] = column[first]
    apart = score[first] - second
    eccentricity[rows] = np.divide(apart, spread[rows], out=np.where(apart > 0, np.inf, 0.0), where=spread[rows] > 0)
    return node, eccentricity
