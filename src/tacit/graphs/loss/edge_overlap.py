"""Which links are still there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...result import Result
from .graph_pair import loss_result, pair_graphs

if TYPE_CHECKING:
    from ..graph import Graph
    from ..masked import MaskedGraph


def edge_overlap(masked: Graph | MaskedGraph, *, original: Graph, lineage: np.ndarray | None = None) -> Result:
    r"""One minus the Jaccard overlap of the edges, between the same people: :math:`1 - |E \cap E'| / |E \cup E'|`.

    Utility, measured. O(m log m).
    """
    pair = pair_graphs(masked, original, lineage)
    assert len(pair.common)
    named = pair.in_original_numbers()
    before, after = (graph.edges[:, 0] * named.size + graph.edges[:, 1] for graph in (pair.before, named))
    kept = len(np.intersect1d(before, after, assume_unique=True))
    added, removed = named.links - kept, pair.before.links - kept
    every = kept + added + removed
    return loss_result(
        "edge overlap", 1 - kept / every if every else 0.0, {"kept": kept, "added": added, "removed": removed}
    )
