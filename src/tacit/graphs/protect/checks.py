"""What the methods for graphs check alike: k, shares, and that the graph is one that they can take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_int, format_value
from ...protect.parameters import is_number
from ...release.trace import Finding

if TYPE_CHECKING:
    from ..graph import Graph


def checked_k(k: object) -> None:
    """Refuse a k that hides nobody."""
    check_int("k", k, least=2)


def checked_share(value: object, name: str, *, none: bool = False) -> None:
    """Check that a parameter is a share of the edges, above 0 unless ``none`` is allowed."""
    if not is_number(value) or not 0 <= value <= 1 or not (none or value):  # type: ignore[operator]
        raise TacitError(
            f"{name}={format_value(value)} is no share of the edges",
            code="out_of_range",
            parameter=name,
            fix=f"e.g. {name}=0.05 for 5 %",
        )


def refuse_directed(graph: Graph, method: str, fix: str) -> None:
    """Raise when the graph is directed and the method is not defined for it."""
    if graph.directed:
        raise TacitError(
            f"{method} is for undirected graphs, and this one is directed", code="conflicting_parameters", fix=fix
        )


def refuse_few(graph: Graph, k: int) -> None:
    """Raise when there are fewer than k nodes."""
    if graph.size < k:
        raise TacitError(
            f"{graph.size} nodes cannot be made alike {k} at a time",
            code="cannot_write",
            fix="ask for a smaller k, or release nothing",
        )


def refuse_no_edges(graph: Graph) -> None:
    """Raise when there is no edge to change."""
    if not graph.links:
        raise TacitError(
            "the graph has no edges", code="invalid_graph", fix="check the file or the filter that made it"
        )


def edge_keys(edges: np.ndarray, size: int) -> np.ndarray:
    """One whole number for each edge. O(m).

    >>> edge_keys(np.array([[0, 1], [2, 1]]), 3).tolist()
    [1, 7]
    """
    found: np.ndarray = edges[:, 0] * max(size, 1) + edges[:, 1]
    return found


def edge_changes(before: Graph, after: Graph) -> dict[str, Finding]:
    """How many edges came and went, for the trace. O(m log m)."""
    old, new = edge_keys(before.edges, before.size), edge_keys(after.edges, after.size)
    kept = len(np.intersect1d(old, new, assume_unique=True))
    return {
        "added": Finding(len(new) - kept, publishable=True),
        "removed": Finding(len(old) - kept, publishable=True),
    }
