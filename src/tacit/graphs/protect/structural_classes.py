"""Which nodes look alike to whoever knows a degree, or a degree and the links among the neighbours."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ..graph import Graph
from ..loss.triangles import triangles_per_node

Known: TypeAlias = Literal["degree", "neighbourhood"]
"""``neighbourhood``: the numbers of neighbours and of links among them."""


def structural_classes(graph: Graph, known: Known) -> np.ndarray:
    """The class of each node, from 0 on. O(m) for degrees, O(m√m) for neighbourhoods."""
    degrees = graph.degrees()
    rows = np.column_stack([degrees, triangles_per_node(graph)]) if known == "neighbourhood" else degrees[:, None]
    found: np.ndarray = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    return found


def class_sizes(graph: Graph, known: Known) -> np.ndarray:
    """How many nodes look like each one, itself included."""
    of = structural_classes(graph, known)
    found: np.ndarray = np.bincount(of, minlength=1)[of]
    return found
