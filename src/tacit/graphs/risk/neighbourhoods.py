"""The neighbourhoods of all nodes as one graph: the neighbours of each, with the links among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..graph import Graph
from ..structure.colours import half_edges, refined
from ..structure.multisets import multisets

__all__ = ["Neighbourhoods", "neighbourhoods"]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhoods:
    """``union`` holds the neighbourhood of node v on its nodes ``start[v]`` to ``start[v+1]``.

    ``colours`` are those of refinement inside the neighbourhoods, begun with how each node is linked with v (of a
    directed graph: out, in, both).
    """

    start: np.ndarray
    union: Graph
    colours: np.ndarray

    def classes(self) -> tuple[np.ndarray, int]:
        """A class for each node such that nodes of different classes have different neighbourhoods."""
        return multisets(self.start, self.colours)

    def of(self, node: int) -> tuple[Graph, np.ndarray]:
        """One neighbourhood by itself, and the colours of its nodes."""
        first, last = int(self.start[node]), int(self.start[node + 1])
        edges = self.union.edges
        inside = edges[np.searchsorted(edges[:, 0], first) : np.searchsorted(edges[:, 0], last)]
        return Graph(size=last - first, edges=inside - first, directed=self.union.directed), self.colours[first:last]


def neighbourhoods(graph: Graph) -> Neighbourhoods:
    """The neighbourhoods of all nodes; O(m^1.5) time and memory, and O(triangles · log) a round of refinement.

    Each triangle v, a, b puts the link a–b into the neighbourhood of v. Triangles are listed from the end of lower
    degree of each edge: Σ min(d_a, d_b) looks, which are O(m^1.5).
    """
    start, other, place = _around(graph)
    owner = np.repeat(np.arange(graph.size), np.diff(start))
    key = owner * graph.size + other
    centre, link = _shared(graph, key, start, other)
    ends = graph.edges[link]
    inside = np.column_stack([np.searchsorted(key, centre * graph.size + end) for end in ends.T])
    union = Graph(size=len(other), edges=inside, directed=graph.directed)
    return Neighbourhoods(start, union, refined([union], start=place).last[0])


def _around(graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The neighbours of each node in either direction, sorted, and whether a link goes out (1), in (2) or both (3)."""
    lists = half_edges([graph])
    keys = [np.repeat(np.arange(graph.size), np.diff(first)) * graph.size + other for first, other in lists]
    found, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    kind = np.concatenate([np.full(len(one), 1 << way) for way, one in enumerate(keys)])
    place = np.bincount(inverse, weights=kind, minlength=len(found)).astype(np.int64)
    owner = found // max(graph.size, 1)
    return np.append(0, np.cumsum(np.bincount(owner, minlength=graph.size))), found % max(graph.size, 1), place


def _shared(graph: Graph, key: np.ndarray, start: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of a node and an edge both ends of which are its neighbours."""
    degrees = np.diff(start)
    ends = graph.edges
    low = np.where(degrees[ends[:, 0]] <= degrees[ends[:, 1]], ends[:, 0], ends[:, 1])
    high = ends.sum(axis=1) - low
    count = degrees[low]
    link = np.repeat(np.arange(len(ends)), count)
    step = np.arange(len(link)) - np.repeat(np.cumsum(count) - count, count)
    centre = other[start[low[link]] + step]
    wanted = high[link] * graph.size + centre
    found = np.searchsorted(key, wanted)
    hit = key[np.minimum(found, len(key) - 1)] == wanted if len(key) else np.zeros(0, dtype=bool)
    return centre[hit], link[hit]
