"""Classes of nodes that look alike: their sizes as a Result."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError, format_value
from ...per_record import PerRecord
from ...result import Result
from ..graph import Graph
from ..masked import MaskedGraph


def graph_of(given: Graph | MaskedGraph) -> Graph:
    """The graph itself, of a protected one the graph that is released; an error without nodes."""
    graph = given.graph if isinstance(given, MaskedGraph) else given
    if not isinstance(graph, Graph):
        raise TacitError(
            f"{format_value(given)} is no graph", code="wrong_type", fix="make one with tacit.graphs.graph(…)"
        )
    if graph.size == 0:
        raise TacitError("the graph has no nodes", code="invalid_graph", fix="check the file that it was made from")
    return graph


def size_of_own_class(classes: np.ndarray) -> np.ndarray:
    """The size of the class of each node, from the numbers of the classes.

    >>> size_of_own_class(np.array([0, 1, 0, 0])).tolist()
    [3, 1, 3, 3]
    """
    found: np.ndarray = np.bincount(classes)[classes]
    return found


def smallest_class(name: str, classes: np.ndarray, **facts: object) -> Result:
    """k, the size of the smallest class; ``per_record`` is the size of each node's own."""
    sizes = size_of_own_class(classes)
    shares = {"unique nodes": int((sizes == 1).sum()), "share unique": float((sizes == 1).mean())}
    return Result(
        name=name,
        value=int(sizes.min()),
        worse="low",
        about="identity",
        kind="model",
        facts={"nodes": len(sizes), "classes": len(np.unique(classes)), **shares, **facts},
        per_record=PerRecord(array=sizes.astype(float)),
    )
