"""The candidates for an edge of each node: the nearest others, with their chances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .nearness import Nearness

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

    from ...kernels.near_stubs import Near

__all__ = ["candidates"]


def candidates(places: np.ndarray, degrees: np.ndarray, nearness: Nearness, nearest: int) -> Near:
    """For each node the ``nearest`` others, for a hub twice its degree or more, each weighed by its distance.

    Weights are relative to the likeliest candidate of the node, so that none vanishes for a node far from all others.
    O(n · nearest · log n) time by a k-d tree, O(n · nearest) memory.
    """
    from scipy.spatial import cKDTree

    from ...kernels.near_stubs import Near

    nodes = len(places)
    doubled = 1 << np.ceil(np.log2(np.maximum(2 * degrees, 1))).astype(np.int64)
    sizes = np.minimum(np.maximum(doubled, nearest), nodes - 1)
    start = np.concatenate([[0], np.cumsum(sizes)])
    found, weight = np.empty(start[-1], dtype=np.int32), np.empty(start[-1])
    tree = cKDTree(places)
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        distances, others = _others(tree, places, rows, int(size))
        logs = nearness.logs(distances)
        at = start[rows][:, None] + np.arange(size)
        found[at], weight[at] = others, np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf))
    return Near(start, found, weight)


def _others(tree: cKDTree, places: np.ndarray, rows: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest ``size`` others of some nodes: distances and numbers. A node itself is left out."""
    distances, others = tree.query(places[rows], k=np.arange(1, size + 2))
    kept = others != rows[:, None]
    kept[kept.all(axis=1), -1] = False
    return distances[kept].reshape(len(rows), size), others[kept].reshape(len(rows), size)
