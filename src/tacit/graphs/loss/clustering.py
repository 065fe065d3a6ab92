"""What became of the triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...result import Results
from .graph_pair import loss_result, pair_graphs
from .triangles import local_clustering, transitivity, triangles_per_node

if TYPE_CHECKING:
    from ..graph import Graph
    from ..masked import MaskedGraph


def clustering(masked: Graph | MaskedGraph, *, original: Graph, lineage: np.ndarray | None = None) -> Results:
    r"""How far the share of closed triangles moved.

    ``transitivity`` is :math:`|T - T'|` with T the share of paths of two links that are closed; ``mean clustering`` is
    :math:`|C - C'|` with C the mean over all nodes of the share of pairs of neighbours that are linked (Watts and Strogatz
    1998). Both lie between 0 and 1; the facts tell the relative change too. Direction is left out.

    Utility, measured. O(m √m) time at worst, O(m) memory.
    """
    pair = pair_graphs(masked, original, lineage)
    parts = []
    counted = [(graph, triangles_per_node(graph)) for graph in (pair.before, pair.after)]
    for name, measure in (
        ("transitivity", transitivity),
        ("mean clustering", _mean_clustering),
    ):
        before, after = (measure(graph, found) for graph, found in counted)
        facts: dict[str, object] = {"before": before, "after": after}
        if before:
            facts["relative change"] = (after - before) / before
        parts.append(loss_result(name, abs(after - before), facts))
    return Results(tuple(parts))


def _mean_clustering(graph: Graph, found: np.ndarray) -> float:
    """Summed in the order of the shares: nodes that only changed places lose nothing, not even by rounding."""
    return float(np.sort(local_clustering(graph, found)).mean())
