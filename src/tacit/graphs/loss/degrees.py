"""What became of the degrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...result import Result, Results
from .graph_pair import GraphPair, loss_result, pair_graphs

if TYPE_CHECKING:
    from ..graph import Graph
    from ..masked import MaskedGraph


def degrees(masked: Graph | MaskedGraph, *, original: Graph, lineage: np.ndarray | None = None) -> Results:
    r"""How far the degrees moved, as a distribution and node by node.

    ``degree distribution`` is the Kolmogorov–Smirnov distance :math:`\max_d |F(d) - F'(d)|` between the shares of nodes with
    at most d links (of a directed network the larger one of in and out). ``degree of a node`` is
    :math:`\sum|d_v - d'_v| / \sum(d_v + d'_v)` over the nodes of both; the fact ``mean change`` is in links. The second is left
    out where no node comes from the original.

    Utility, measured. O(n log n + m).
    """
    pair = pair_graphs(masked, original, lineage)
    each = (_node_degree_loss(pair),) if (pair.origin >= 0).any() else ()
    return Results((_distribution_loss(pair), *each))


def _distribution_loss(pair: GraphPair) -> Result:
    gap = max(
        largest_gap(before, after)
        for before, after in zip(_degree_sequences(pair.before), _degree_sequences(pair.after), strict=True)
    )
    facts: dict[str, object] = {}
    for name, graph in (("before", pair.before), ("after", pair.after)):
        found = graph.degrees()
        facts |= {f"mean {name}": float(found.mean()), f"largest {name}": int(found.max())}
    return loss_result("degree distribution", gap, facts)


def _node_degree_loss(pair: GraphPair) -> Result:
    common = pair.common
    before, after = pair.before.degrees()[pair.origin[common]], pair.after.degrees()[common]
    moved, total = np.abs(before - after), int((before + after).sum())
    facts = {"mean change": float(moved.mean()), "largest change": int(moved.max()), "nodes": len(common)}
    return loss_result("degree of a node", moved.sum() / total if total else 0.0, facts)


def _degree_sequences(graph: Graph) -> list[np.ndarray]:
    if not graph.directed:
        return [graph.degrees()]
    return [np.bincount(graph.edges[:, side], minlength=graph.size) for side in (0, 1)]


def largest_gap(first: np.ndarray, second: np.ndarray) -> float:
    """The Kolmogorov–Smirnov distance between two samples; infinite values count as one value. O(n log n).

    >>> largest_gap(np.array([1, 2, 3, 4]), np.array([3, 4, 5, 6]))
    0.5
    """
    values = np.unique(np.concatenate([first, second]))
    shares = [np.searchsorted(np.sort(one), values, side="right") / len(one) for one in (first, second)]
    return float(np.abs(shares[0] - shares[1]).max())
