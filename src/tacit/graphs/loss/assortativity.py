"""Whether people with many links are linked to each other, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...result import Result
from .graph_pair import loss_result, pair_graphs

if TYPE_CHECKING:
    from ..graph import Graph
    from ..masked import MaskedGraph


def assortativity(masked: Graph | MaskedGraph, *, original: Graph, lineage: np.ndarray | None = None) -> Result:
    r"""Half the change of the correlation of the degrees at the two ends of an edge: :math:`|r - r'| / 2`.

    Of a directed network the out-degree of the source and the in-degree of the target. Where all degrees are equal there
    is no correlation, and r counts as 0.

    Utility, measured. O(m log m).

    References
    ----------
    Newman (2003), Mixing patterns in networks, Physical Review E 67, 026126.
    """
    pair = pair_graphs(masked, original, lineage)
    before, after = (degree_correlation(graph) for graph in (pair.before, pair.after))
    return loss_result("assortativity", abs(before - after) / 2, {"before": before, "after": after})


def degree_correlation(graph: Graph) -> float:
    """The correlation r of the degrees at both ends of the edges, 0 where it is not defined. O(m log m)."""
    if not graph.links:
        return 0.0
    if graph.directed:
        ends = [np.bincount(graph.edges[:, side], minlength=graph.size)[graph.edges[:, side]] for side in (0, 1)]
    else:
        degree = graph.degrees()[graph.edges]
        ends = [np.concatenate([degree[:, 0], degree[:, 1]]), np.concatenate([degree[:, 1], degree[:, 0]])]
    order = np.lexsort(ends)  # in the order of the degrees: new numbers for the nodes move no digit of the sum
    apart = [end[order] - end.mean() for end in ends]
    spread = np.sqrt((apart[0] ** 2).sum() * (apart[1] ** 2).sum())
    return float((apart[0] * apart[1]).sum() / spread) if spread > 0 else 0.0
