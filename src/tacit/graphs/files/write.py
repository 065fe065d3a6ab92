"""From a graph to files, with the last guards: no name leaves, nodes are in random order, no file is overwritten."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ...errors import TacitError
from ...files import check_target_path
from ...release.files import save
from ..forms.frames import edge_frame, node_frame
from ..graph import Graph
from ..masked import MaskedGraph
from .graphml import SUFFIXES, save_graphml


def write_graph(
    graph: Graph | MaskedGraph,
    path: str | Path,
    *,
    nodes: str | Path | None = None,
    order: Literal["random", "kept"] = "random",
) -> None:
    """Write the edges to ``path`` and the nodes with their attributes to ``nodes``; a GraphML file holds both.

    Each file appears whole or not at all, and a file that is there is never replaced. Refuses a graph whose nodes still
    have names or stand in the order of the original: number them anew with :class:`.shuffle.ShuffleNodes`, or insist
    with ``order="kept"``.
    """
    held = graph.graph if isinstance(graph, MaskedGraph) else graph
    whole = Path(path).suffix.lower() in SUFFIXES
    _check_publishable(held, order)
    for file in (path, nodes):
        if file is not None:
            check_target_path(file, replace=False)
    if whole and nodes is not None:
        raise TacitError(
            "a GraphML file holds the nodes too", code="invalid_graph", where=str(path), fix="leave nodes= out"
        )
    if not whole and nodes is None and (held.attributes is not None or held.isolated):
        what = "the attributes of the nodes" if held.attributes is not None else "nodes without an edge"
        raise TacitError(
            f"an edge list has no place for {what}",
            code="invalid_graph",
            where=str(path),
            fix="name a node file with nodes=…",
        )
    if whole:
        save_graphml(held, path)
        return
    if nodes is not None:
        save(node_frame(held), nodes, replace=False)
    save(edge_frame(held), path, replace=False)


def _check_publishable(graph: Graph, order: str) -> None:
    if graph.attributes is not None and graph.attributes.identifiers:
        column = graph.attributes.identifiers[0]
        raise TacitError(
            "is an identifier", code="unsuitable_column", column=column, fix="drop it or pseudonymise it before writing"
        )
    if order == "random" and (graph.names is not None or not graph.shuffled):
        what = "the nodes still have their names" if graph.names is not None else "the nodes stand in their old order"
        raise TacitError(
            f"{what}, which gives everybody away",
            code="invalid_graph",
            fix="apply tacit.graphs.ShuffleNodes() as the last step, or insist with order='kept'",
        )
