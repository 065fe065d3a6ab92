"""Groups of k nodes or more that have nearly the same neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...progress import report
from ..graph import Graph

if TYPE_CHECKING:
    from ...progress import Progress

__all__ = ["similar_groups"]

BLOCK = 1024
"""Nodes among which partners are looked for: bounds memory and time, whatever the size of the graph."""


def similar_groups(graph: Graph, k: int, rng: np.random.Generator, progress: Progress | None = None) -> np.ndarray:
    """The group of each node, from 0 on; each has k to 2k − 1 nodes.

    The distance of two nodes is the number of nodes that only one of them is linked with. In every block a node that is
    left is taken, the one of largest degree first, and the k − 1 nearest of those left join it; the last ones, fewer
    than k, go to the nearest group each. Blocks are cut from an order that keeps neighbours together (reverse
    Cuthill–McKee). O(n · BLOCK) time, O(BLOCK²) memory.
    """
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = reverse_cuthill_mckee(graph.adjacency().tocsr(), symmetric_mode=True).astype(np.int64)
    found, groups = np.empty(graph.size, dtype=np.int64), 0
    blocks = np.array_split(order, max(1, graph.size // max(BLOCK, 2 * k)))
    for done, block in enumerate(blocks):
        report(progress, "grouping nodes", done / len(blocks))
        inside = _grouped(_apart(graph, block), k, rng)
        found[block] = inside + groups
        groups += int(inside.max()) + 1
    return found


def _apart(graph: Graph, block: np.ndarray) -> np.ndarray:
    """Of every two nodes of the block, how many other nodes only one of them is linked with."""
    rows = graph.adjacency().astype(np.int64).tocsr()[block]
    shared = (rows @ rows.T).toarray()
    degrees = np.diff(rows.indptr)
    found: np.ndarray = degrees[:, None] + degrees[None, :] - 2 * shared - 2 * rows[:, block].toarray()
    return found


def _grouped(apart: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    size = len(apart)
    group = np.full(size, -1, dtype=np.int64)
    # the sum of the distances grows with the degree: hubs, for whom partners are few, choose first
    first = np.lexsort((rng.random(size), -apart.sum(axis=1)))
    count = 0
    for node in first:
        left = np.flatnonzero(group < 0)
        if group[node] >= 0 or len(left) < k:
            continue
        others = left[left != node]
        near = others[np.lexsort((rng.random(len(others)), apart[node, others]))[: k - 1]]
        group[near], group[node] = count, count
        count += 1
    for node in np.flatnonzero(group < 0):
        there = np.flatnonzero((group >= 0) & (np.bincount(group + 1, minlength=count + 1)[group + 1] < 2 * k - 1))
        group[node] = group[there[np.argmin(apart[node, there])]]
    return group
