"""Pictures that are not quite right: what an intruder has who looked at another time or asked around."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, typed
from ...seed import generator
from ..graph import Graph

if TYPE_CHECKING:
    from ...seed import Seed

__all__ = ["imperfect_picture"]

TRIES = 100


def imperfect_picture(graph: Graph, *, dropped: float, added: float, seed: Seed) -> Graph:
    """The graph with a share of its edges unknown and another share of false ones, for studies of imperfect intruders.

    ``dropped`` and ``added`` are shares of the number of edges; the edges left out and the false ones are drawn
    uniformly. Nodes, names and attributes stay. With ``dropped = added = wrong`` it is the picture that ``Knowledge(…,
    wrong=wrong)`` describes. O(m log m).

    >>> ring = Graph(size=10, edges=np.column_stack([np.arange(10), (np.arange(10) + 1) % 10]))
    >>> other = imperfect_picture(ring, dropped=0.2, added=0.1, seed=7)
    >>> other.links, len(set(map(tuple, other.edges.tolist())) & set(map(tuple, ring.edges.tolist())))
    (9, 8)
    """
    for name, share in (("dropped", dropped), ("added", added)):
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise TacitError(f"{name}={typed(share)} is not a share in [0, 1]", fix=f"e.g. {name}=0.05")
    rng = generator(seed)
    kept = np.sort(rng.permutation(graph.links)[: graph.links - round(dropped * graph.links)])
    false = _absent(graph, round(added * graph.links), rng)
    return graph.with_edges(np.concatenate([graph.edges[kept], false]))


def _absent(graph: Graph, count: int, rng: np.random.Generator) -> np.ndarray:
    """So many different pairs without an edge, drawn uniformly."""
    pairs = graph.size * (graph.size - 1) // (1 if graph.directed else 2)
    if count > pairs - graph.links:
        raise TacitError("there are not so many pairs without an edge", fix="add fewer false edges")
    taken = graph.edges @ [graph.size, 1]
    found = np.empty(0, dtype=np.int64)
    for _ in range(TRIES):
        if len(found) >= count:
            break
        ends = rng.integers(0, graph.size, (2 * count + 16, 2))
        ends = ends[ends[:, 0] != ends[:, 1]]
        ends = ends if graph.directed else np.sort(ends, axis=1)
        fresh = np.append(found, ends @ [graph.size, 1])
        found = fresh[np.sort(np.unique(fresh, return_index=True)[1])]
        found = found[~np.isin(found, taken)]
    if len(found) < count:  # nearly complete graphs: list what is left
        every = np.setdiff1d(_pairs(graph) @ [graph.size, 1], np.append(taken, found))
        found = np.append(found, rng.permutation(every))
    return np.column_stack(np.divmod(found[:count], graph.size))


def _pairs(graph: Graph) -> np.ndarray:
    first, second = np.triu_indices(graph.size, 1)
    every = np.column_stack([first, second])
    return np.concatenate([every, every[:, ::-1]]) if graph.directed else every
