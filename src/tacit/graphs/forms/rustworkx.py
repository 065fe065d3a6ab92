"""rustworkx graphs, in and out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import TacitError
from ...release.release import Release
from ..graph import Graph
from .frames import node_frame
from .library import load_library
from .raw_graph import RawGraph, attribute_frame, labels_as_text

PLAIN = (str, int)


def from_rustworkx(source: Any, *, label: str | None, weight: str | None) -> RawGraph:
    """Nodes and edges of a PyGraph or PyDiGraph. O(n + m).

    A node's payload is its label when all are texts or whole numbers; when all are mappings they are the attributes, and
    ``label`` names the one that is the label; else nodes are known by their index. With ``weight`` the payloads of the
    edges are the weights (or hold them under that name).
    """
    import polars as pl

    payloads = list(source.nodes())
    labels, rows = _node_labels(payloads, list(source.node_indices()), label)
    place = {index: number for number, index in enumerate(source.node_indices())}
    edges = list(source.weighted_edge_list())
    weights = None
    if weight is not None:
        held = [row.get(weight) if isinstance(row, Mapping) else row for _, _, row in edges]
        weights = pl.Series(weight, held, strict=False)
    attributes = attribute_frame(rows)
    return RawGraph(
        first=labels.gather([place[one] for one, _, _ in edges]),
        second=labels.gather([place[two] for _, two, _ in edges]),
        weights=weights,
        labels=labels,
        attributes=None if attributes is None else Release(attributes),
        directed=type(source).__name__ == "PyDiGraph",
    )


def _node_labels(payloads: list[Any], indices: list[int], label: str | None) -> tuple[Any, list[Mapping[str, Any]]]:
    if payloads and all(isinstance(one, Mapping) for one in payloads):
        if label is None:
            return labels_as_text(indices), payloads
        if not all(one.get(label) is not None for one in payloads):
            raise TacitError(
                "is missing in the payload of a node",
                code="missing_values",
                column=label,
                fix="give every node its label",
            )
        return labels_as_text(one[label] for one in payloads), [
            {name: value for name, value in one.items() if name != label} for one in payloads
        ]
    if payloads and all(isinstance(one, PLAIN) for one in payloads):
        return labels_as_text(payloads), []
    return labels_as_text(indices), []


def to_rustworkx(graph: Graph) -> Any:
    """The graph as a PyGraph or PyDiGraph: payloads are names (or numbers) and weights (or 1). O(n + m).

    Where nodes have attributes, the payload of each is a mapping of them, with its name under ``node``: read it again
    with ``graph(…, label="node")``.
    """
    rx = load_library("rustworkx")
    found = rx.PyDiGraph(multigraph=False) if graph.directed else rx.PyGraph(multigraph=False)
    nodes = node_frame(graph)
    found.add_nodes_from(nodes.to_dicts() if graph.attributes is not None else nodes.to_series().to_list())
    weights = np.ones(graph.links) if graph.weights is None else graph.weights
    found.add_edges_from(
        [(one, two, weight) for (one, two), weight in zip(graph.edges.tolist(), weights.tolist(), strict=True)]
    )
    return found
