"""What a node looks like in numbers: its degree, and quantiles of the degrees around it."""

from __future__ import annotations

import numpy as np

from ..graph import Graph
from .colours import half_edges

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def degree_profiles(graph: Graph, *, reach: int = 2) -> np.ndarray:
    """One row of numbers for each node; a few changed edges move it a little, where they would change every colour.

    The logarithm of the degree (1 added, so that the hubs do not drown all others); with ``reach`` 1 quantiles of the
    neighbours' too; with ``reach`` 2 those of the medians around each neighbour, and so on. A quantile is one of the
    values, never a mean of two: nodes that look alike have equal rows to the last bit. Of a directed graph all of it
    for both directions. O(reach · m log m).

    >>> star = Graph(size=4, edges=np.array([[0, 1], [0, 2], [0, 3]]))
    >>> degree_profiles(star, reach=1)[:, 0].tolist()
    [2.0, 1.0, 1.0, 1.0]
    """
    columns: list[np.ndarray] = []
    for start, other in half_edges([graph]):
        level = np.log2(1.0 + np.diff(start))
        columns.append(level)
        for _ in range(reach):
            around = _list_quantiles(start, level[other])
            columns.extend(around)
            level = around[len(QUANTILES) // 2]
    return np.column_stack(columns)


def _list_quantiles(start: np.ndarray, values: np.ndarray) -> list[np.ndarray]:
    """The quantiles of each list, 0 where it is empty."""
    size = np.diff(start)
    owner = np.repeat(np.arange(len(size)), size)
    ordered = np.append(values[np.lexsort((values, owner))], 0.0)
    places = (start[:-1] + np.rint(share * np.maximum(size - 1, 0)).astype(np.int64) for share in QUANTILES)
    return [np.where(size > 0, ordered[place], 0.0) for place in places]
