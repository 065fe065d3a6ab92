"""Pairs of nodes that have no edge, drawn uniformly, without a list of all pairs."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError
from ..graph import Graph
from .given import edge_keys

__all__ = ["drawn_non_edges", "pairs"]


def pairs(graph: Graph) -> int:
    """How many edges the graph could have."""
    return graph.size * (graph.size - 1) // (1 if graph.directed else 2)


def drawn_non_edges(graph: Graph, count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` different pairs without an edge, each set of them equally likely.

    Pairs are drawn and those that are edges, or were drawn before, drawn again; where more than half of all pairs are
    taken, the free ones are listed instead. So O(m + count) expected time and memory in either case.
    """
    free = pairs(graph) - graph.links
    if count > free:
        raise TacitError(
            f"{count} edges are to be added and only {free} pairs of nodes have none", fix="add a smaller share"
        )
    taken = edge_keys(graph.edges, graph.size)
    if 2 * (graph.links + count) > pairs(graph):
        keys = rng.choice(_free_keys(graph, taken), count, replace=False)
    else:
        keys = _tried(graph, taken, count, rng)
    return np.column_stack([keys // max(graph.size, 1), keys % max(graph.size, 1)])


def _tried(graph: Graph, taken: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    found = np.zeros(0, dtype=np.int64)
    while len(found) < count:
        ends = rng.integers(0, graph.size, (2 * (count - len(found)) + 8, 2))
        ends = ends[ends[:, 0] != ends[:, 1]]
        keys = edge_keys(ends if graph.directed else np.sort(ends, axis=1), graph.size)
        joined = np.concatenate([found, keys[~np.isin(keys, taken)]])
        _, first = np.unique(joined, return_index=True)
        found = joined[np.sort(first)]  # in the order of the draws: the first ones are a uniform set
    return found[:count]


def _free_keys(graph: Graph, taken: np.ndarray) -> np.ndarray:
    """Every free pair; only for graphs in which the edges are about as many."""
    one, other = np.divmod(np.arange(graph.size**2), graph.size)
    keys = edge_keys(np.column_stack([one, other]), graph.size)[one != other if graph.directed else one < other]
    return np.setdiff1d(keys, taken, assume_unique=True)
