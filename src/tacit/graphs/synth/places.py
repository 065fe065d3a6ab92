"""Where the nodes of a network lie: the attributes x and y, which is all that a map needs beside the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ..graph import Graph

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["lengths", "placed", "places"]


def placed(at: np.ndarray) -> Release:
    """Places (n×2) as attributes of nodes: two columns of the kind geographic."""
    import polars as pl

    from ...release.release import Release

    frame = pl.DataFrame({"x": at[:, 0], "y": at[:, 1]})
    return Release(frame, kinds={"x": "geographic", "y": "geographic"})


def places(graph: Graph) -> np.ndarray:
    """The places of the nodes, n×2, by their attributes ``x`` and ``y``."""
    if graph.attributes is None or not {"x", "y"} <= set(graph.attributes.columns):
        raise TacitError("the network has no map", fix="its nodes need the attributes x and y")
    return np.column_stack([graph.attributes.floats("x"), graph.attributes.floats("y")])


def lengths(graph: Graph) -> np.ndarray:
    """How long each edge of a network on a map is. O(m).

    >>> at = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> lengths(Graph(size=2, edges=np.array([[0, 1]]), attributes=placed(at))).tolist()
    [5.0]
    """
    at = places(graph)
    found: np.ndarray = np.hypot(*(at[graph.edges[:, 0]] - at[graph.edges[:, 1]]).T)
    return found
