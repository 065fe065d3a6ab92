"""Deletion near the nodes that stand out, within a budget of edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, format_value
from ...progress import report_progress
from ...protect.parameters import make_rng
from ...release.trace import Finding, Trace
from ..masked import MaskedGraph
from .checks import checked_k, checked_share, edge_changes, refuse_directed, refuse_few, refuse_no_edges
from .structural_classes import Known, class_sizes

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph


ROUNDS = 50
"""The budget is spent in so many parts, after each of which it is looked again who stands out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteEdges:
    """Delete edges near the nodes that fewer than k look like, at most a share ``budget`` of all edges.

    ``known`` is what the intruder knows of a node: its ``degree``, or its ``neighbourhood``: how many neighbours it has
    and how many links there are among them. An edge counts the nodes that stand out and whose look it changes: its two
    ends, and for neighbourhoods the common neighbours too. The edges that count most go, a fiftieth of the budget at a
    time. The step after which most nodes had k or more of their look is released, the earliest of them: never fewer
    than at the start.

    It is a budget and no promise; the outcome has how many nodes are anonymous before and after. Deletion costs a
    network less than additions or switches do for the same number of anonymous nodes (de Jong et al.). For a promise
    take :class:`KDegree`. Undirected graphs; weights are dropped. O(ROUNDS · m√m) for neighbourhoods, O(ROUNDS · m) for
    degrees.

    >>> import networkx as nx
    >>> from tacit.graphs import graph
    >>> made = DeleteEdges(k=2, budget=0.1, known="degree").apply(graph(nx.karate_club_graph()), seed=7)
    >>> made.trace[0].outcome["anonymous_before"].value, made.trace[0].outcome["anonymous"].value >= 30
    (28, True)

    References
    ----------
    de Jong, van der Loo and Takes (2024), The anonymization problem in social networks, arXiv:2409.16163.
    """

    k: int
    budget: float
    known: Known

    def __post_init__(self) -> None:
        checked_k(self.k)
        checked_share(self.budget, "budget")
        if self.known not in ("degree", "neighbourhood"):
            raise TacitError(
                f"known={format_value(self.known)} is unknown",
                code="unknown_name",
                parameter="known",
                fix="use 'degree' or 'neighbourhood'",
            )

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The graph with fewer edges; the outcome has the anonymous nodes before and after."""
        refuse_directed(graph, "delete_edges", "use change_edges with add=0")
        refuse_few(graph, self.k)
        refuse_no_edges(graph)
        most, rng = int(self.budget * graph.links), make_rng(self, seed)
        now = best = graph
        before = reached = self._count_anonymous(graph)
        size = -(-most // ROUNDS)
        while graph.links - now.links < most and reached < graph.size:
            report_progress(progress, "deleting edges", (graph.links - now.links) / most)
            now = self._delete_edges(now, min(size, most - (graph.links - now.links)), rng)
            found = self._count_anonymous(now)
            if found > reached:
                best, reached = now, found
        outcome = {
            "anonymous_before": Finding(before, publishable=True, counts=True),
            "anonymous": Finding(reached, publishable=True, counts=True),
            "budget": Finding(most, publishable=True),
        }
        return MaskedGraph(best, (Trace.of(self, **outcome, **edge_changes(graph, best)),))

    def _count_anonymous(self, graph: Graph) -> int:
        return int((class_sizes(graph, self.known) >= self.k).sum())

    def _delete_edges(self, graph: Graph, count: int, rng: np.random.Generator) -> Graph:
        """The graph less the edges that touch most nodes that stand out; ties by lot."""
        stands = (class_sizes(graph, self.known) < self.k).astype(np.float64)
        touched = stands[graph.edges].sum(axis=1)
        if self.known == "neighbourhood":
            touched = touched + _common_neighbour_weight(graph, stands)
        order = np.lexsort((rng.random(graph.links), -touched))
        return graph.with_edges(graph.edges[order[count:]])


def _common_neighbour_weight(graph: Graph, weight: np.ndarray) -> np.ndarray:
    """For each edge the weight of the common neighbours of its ends, through those that have any."""
    heavy = np.flatnonzero(weight)
    if not len(heavy):
        return np.zeros(graph.links)
    to_heavy = graph.adjacency()[:, heavy].astype(np.float64).tocsr()
    found = np.empty(graph.links)
    for start in range(0, graph.links, 1 << 16):
        left, right = graph.edges[start : start + (1 << 16)].T
        found[start : start + (1 << 16)] = np.asarray(to_heavy[left].multiply(to_heavy[right]).sum(axis=1)).ravel()
    return found
