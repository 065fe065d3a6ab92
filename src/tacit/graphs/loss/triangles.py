"""Triangles, counted without an n×n array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..simple import simplify_edges

if TYPE_CHECKING:
    from ..graph import Graph


AT_ONCE = 1 << 22
"""How many open triples are looked at together: what bounds the memory."""


def both_ways(graph: Graph) -> np.ndarray:
    """The edges without direction, each once. O(m log m)."""
    return simplify_edges(graph.edges, None, size=graph.size, directed=False).edges if graph.directed else graph.edges


def triangles_per_node(graph: Graph) -> np.ndarray:
    """How many triangles each node is in; direction is left out.

    Every edge points from the node of smaller degree to that of larger degree, so that no node points at more than
    √(2m) others; a triangle is then a path i → j → k with an edge i → k (Chiba and Nishizeki 1985). O(m √m) time at worst,
    O(m) memory.
    """
    edges, size = both_ways(graph), graph.size
    degree = np.bincount(edges.ravel(), minlength=size)
    rank = np.empty(size, dtype=np.int64)
    rank[np.lexsort((np.arange(size), degree))] = np.arange(size)
    pairs = np.sort(rank[edges], axis=1)
    key = np.sort(pairs[:, 0] * size + pairs[:, 1])
    tails, heads = key // size, key % size
    start = np.searchsorted(tails, np.arange(size + 1))
    found = np.zeros(size, dtype=np.int64)
    open_triples = np.cumsum(start[heads + 1] - start[heads])
    first = 0
    while first < len(key):
        done = open_triples[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(open_triples, done + AT_ONCE, side="right")))
        found += _closed_triangles(key, start, heads, slice(first, last), size)
        first = last
    each: np.ndarray = found[rank]
    return each


def _closed_triangles(key: np.ndarray, start: np.ndarray, heads: np.ndarray, part: slice, size: int) -> np.ndarray:
    """Triangles per node among the paths that begin with some of the edges."""
    middle = heads[part]
    count = start[middle + 1] - start[middle]
    edge = np.repeat(np.arange(part.start, part.start + len(middle)), count)
    offset = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
    ends = heads[start[heads[edge]] + offset]
    tails = key[edge] // size
    wanted = tails * size + ends
    place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    closed = key[place] == wanted
    corners = np.concatenate([tails[closed], heads[edge][closed], ends[closed]])
    found: np.ndarray = np.bincount(corners, minlength=size)
    return found


def transitivity(graph: Graph, found: np.ndarray | None = None) -> float:
    """The share of paths of two links that are closed to a triangle; 0 where there is no such path. O(m √m)."""
    degree = np.bincount(both_ways(graph).ravel(), minlength=graph.size)
    paths = int((degree * (degree - 1)).sum())
    closed = triangles_per_node(graph) if found is None else found
    return 2 * int(closed.sum()) / paths if paths else 0.0


def local_clustering(graph: Graph, found: np.ndarray | None = None) -> np.ndarray:
    """For each node the share of pairs of neighbours that are linked; 0 for fewer than two neighbours. O(m √m)."""
    degree = np.bincount(both_ways(graph).ravel(), minlength=graph.size)
    closed = triangles_per_node(graph) if found is None else found
    paths = degree * (degree - 1)
    share: np.ndarray = np.divide(2.0 * closed, paths, out=np.zeros(graph.size), where=paths > 0)
    return share
