"""Any list of pairs as the edges of a simple graph: no loop, no edge twice; what was dropped is counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimpleEdges:
    """Edges, their weights, and how many loops and repetitions went; ``unequal`` repetitions had another weight."""

    edges: np.ndarray
    weights: np.ndarray | None
    loops: int
    repeated: int
    unequal: int
    isolated: int


def simplify_edges(edges: np.ndarray, weights: np.ndarray | None, *, size: int, directed: bool) -> SimpleEdges:
    """The simple graph of a list of pairs; of the weights of one edge the largest is kept. O(m log m).

    >>> found = simplify_edges(np.array([[0, 1], [1, 0], [2, 2]]), np.array([1.0, 3.0, 1.0]), size=3, directed=False)
    >>> found.edges.tolist(), found.weights.tolist(), (found.loops, found.repeated, found.unequal, found.isolated)
    ([[0, 1]], [3.0], (1, 1, 1, 1))
    """
    loop = edges[:, 0] == edges[:, 1]
    kept = edges[~loop] if directed else np.sort(edges[~loop], axis=1)
    key, place = np.unique(kept[:, 0] * size + kept[:, 1], return_inverse=True)
    single = np.column_stack([key // size, key % size]) if size else kept
    most, unequal = None, 0
    if weights is not None:
        held = weights[~loop]
        most = np.full(len(key), -np.inf)
        np.maximum.at(most, place, held)
        unequal = int((held != most[place]).sum())
    isolated = size - len(np.unique(single))
    return SimpleEdges(
        edges=single,
        weights=most,
        loops=int(loop.sum()),
        repeated=len(kept) - len(key),
        unequal=unequal,
        isolated=isolated,
    )
