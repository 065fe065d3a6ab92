"""How many links apart nodes are, from 64 nodes at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["distances"]

TOGETHER = 64
"""Sources that are followed at once: one bit of a word each."""


def distances(graph: Graph, sources: np.ndarray) -> np.ndarray:
    """The counts of nodes at each distance from each source, itself left out: one row per source, column d for distance d.

    What is missing to n − 1 in a row cannot be reached. Breadth-first from 64 sources at once: each node has a word whose
    bits say which sources reached it, and takes over those of its neighbours round by round. O(64⁻¹ · sources · (n + m) ·
    diameter) word operations; O(n + m) memory.
    """
    parts = [_together(graph, sources[first : first + TOGETHER]) for first in range(0, len(sources), TOGETHER)]
    width = max(part.shape[1] for part in parts)
    return np.vstack([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in parts])


def _together(graph: Graph, sources: np.ndarray) -> np.ndarray:
    incoming = graph.adjacency().T.tocsr() if graph.directed else graph.adjacency()
    reached = np.zeros(graph.size, dtype=np.uint64)
    bits = np.uint64(1) << np.arange(len(sources), dtype=np.uint64)
    np.bitwise_or.at(reached, sources, bits)
    linked = np.flatnonzero(np.diff(incoming.indptr))
    starts = incoming.indptr[linked]
    counts = [np.zeros(len(sources), dtype=np.int64)]
    while len(linked):
        gained = np.bitwise_or.reduceat(reached[incoming.indices], starts) & ~reached[linked]
        changed = np.flatnonzero(gained)
        if not len(changed):
            break
        reached[linked[changed]] |= gained[changed]
        counts.append(np.array([int(((gained[changed] & bit) != 0).sum()) for bit in bits]))
    return np.column_stack(counts)
