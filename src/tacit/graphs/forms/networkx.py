"""networkx graphs, in and out."""

from __future__ import annotations

from typing import Any

from ...errors import TacitError
from ...release.release import Release
from ..graph import Graph
from .library import load_library
from .raw_graph import RawGraph, attribute_frame, labels_as_text


def from_networkx(source: Any, *, label: str | None, weight: str | None) -> RawGraph:
    """Nodes with their attributes, and edges, of a Graph, DiGraph or multigraph of networkx. O(n + m).

    With ``label`` nodes are known by that attribute instead of by themselves.
    """
    import polars as pl

    nodes = list(source.nodes(data=True))
    if label is not None and not all(row.get(label) is not None for _, row in nodes):
        raise TacitError(
            "is missing in a node",
            code="missing_values",
            column=label,
            fix="give every node its label, or leave label= out",
        )
    labels = labels_as_text(node if label is None else row[label] for node, row in nodes)
    place = {node: number for number, (node, _) in enumerate(nodes)}
    edges = list(source.edges(data=True))
    attributes = attribute_frame([{name: row[name] for name in row if name != label} for _, row in nodes])
    weights = None
    if weight is not None:
        if edges and not any(weight in row for _, _, row in edges):
            raise TacitError(
                "is an attribute of no edge",
                code="unknown_column",
                column=weight,
                fix="name the attribute that holds the weights",
            )
        weights = pl.Series(weight, [row.get(weight) for _, _, row in edges], strict=False)
    return RawGraph(
        first=labels.gather([place[one] for one, _, _ in edges]),
        second=labels.gather([place[two] for _, two, _ in edges]),
        weights=weights,
        labels=labels,
        attributes=None if attributes is None else Release(attributes),
        directed=source.is_directed(),
        unused=tuple(sorted({str(name) for _, _, row in edges for name in row} - {weight})),
    )


def to_networkx(graph: Graph) -> Any:
    """The graph as a networkx Graph or DiGraph: nodes are their names (or numbers), attributes and weights along. O(n + m)."""
    nx = load_library("networkx")
    found = nx.DiGraph() if graph.directed else nx.Graph()
    nodes = range(graph.size) if graph.names is None else list(graph.names)
    rows: list[dict[str, Any]] = [{} for _ in nodes]
    if graph.attributes is not None:
        for name in graph.attributes.columns:
            for row, value in zip(rows, graph.attributes.series(name).to_list(), strict=True):
                if value is not None:
                    row[name] = value
    found.add_nodes_from(zip(nodes, rows, strict=True))
    ends = [(nodes[one], nodes[two]) for one, two in graph.edges.tolist()]
    if graph.weights is None:
        found.add_edges_from(ends)
    else:
        found.add_weighted_edges_from((*end, weight) for end, weight in zip(ends, graph.weights.tolist(), strict=True))
    return found
