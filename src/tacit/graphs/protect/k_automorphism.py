"""k-automorphism: the graph turns into itself in k ways, so that no link of the released graph tells k nodes apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...errors import TacitError, typed
from ...progress import report
from ...protect.parameters import random
from ...release.trace import Trace
from ..graph import Graph
from ..masked import MaskedGraph
from .aligned import Aligned, aligned
from .given import checked_k, edge_changes, edge_keys, refuse_directed, refuse_few

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed

__all__ = ["KAutomorphism"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KAutomorphism:
    """Change edges until the graph turns into itself in k ways: its links tell no k nodes apart (K-01).

    The nodes stand in a table of k columns, found by exchanges that leave as many edges as possible with their images.
    Turning the columns by one maps every node to the next of its row. The edges that turn into each other are all in
    the release, or none of them: with ``changes="both"`` those with most true edges first, until there are as many
    edges as before; with ``changes="add"`` all that have a true one, and no edge is lost (up to k times the edges). The
    n mod k nodes that are over, and k with them, all of smallest degree, lose their edges.

    **Claim**: every node has k − 1 others that no link of the released graph tells from it: the same degree, the same
    neighbourhood of any width, the same place in any subgraph. It is no bound against an intruder who has the original
    network: the release keeps more true edges at some of the k places than at others, so that the original laid over it
    fits better in one way than in the others; a job measures it. *Argument*: the turn is an automorphism, none of its
    powers leaves a node in a row where it was, and nodes without edges can be exchanged freely (there are none or more
    than k of them in no row). *Checked* on every run by turning the edges.

    Real networks have few symmetries, so it costs more than k-degree: 12 % of the edges of the karate club are
    exchanged with k=2, a third with k=5. It is for small graphs whose people are known by more than their
    degrees; attributes are not made alike. Undirected graphs. O(n · 400 · degree) time, at most 200,000 tries, so that large
    graphs are aligned less well.

    >>> import networkx as nx
    >>> from tacit.graphs import graph
    >>> made = KAutomorphism(k=2).apply(graph(nx.cycle_graph(8)), seed=7)
    >>> made.graph.links, made.trace[0].outcome["removed"].value
    (8, 0)

    References
    ----------
    Zou, Chen and Özsu (2009), K-Automorphism: a general framework for privacy preserving network publication, PVLDB 2,
    946–957.
    """

    k: int
    changes: Literal["both", "add"] = "both"

    def __post_init__(self) -> None:
        checked_k(self.k)
        if self.changes not in ("both", "add"):
            raise TacitError(f"changes={typed(self.changes)} is unknown", fix="use 'both' or 'add'")

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The graph with k automorphisms; the outcome has the edges that came and went."""
        refuse_directed(graph, "k_automorphism", "release the edges without their direction, or use super_nodes")
        refuse_few(graph, self.k)
        report(progress, "aligning nodes", 0.0)
        rng = random(self, seed)
        found = aligned(graph, self.k, rng)
        report(progress, "aligning nodes", 0.9)
        made = graph.with_edges(self._chosen(found, graph.links, rng))
        _check(made, found.table(), self.k)
        return MaskedGraph(made, (Trace.of(self, **edge_changes(graph, made)),))

    def _chosen(self, found: Aligned, links: int, rng: np.random.Generator) -> np.ndarray:
        """The edges of the orbits with most true edges; ties by lot."""
        orbits = [orbit for orbit, count in sorted(found.counts.items()) if count]
        table = found.table()
        parts = [(found.counts[orbit], found.edges(orbit, table)) for orbit in orbits]
        parts = [parts[place] for place in rng.permutation(len(parts)).tolist()]
        chosen: set[tuple[int, int]] = set()
        for _, part in sorted(parts, key=lambda one: -one[0] / len(one[1])):
            if self.changes == "add" or len(chosen) + len(part) / 2 <= links:
                chosen |= part
        return np.array(sorted(chosen), dtype=np.int64).reshape(-1, 2)


def _check(graph: Graph, table: np.ndarray, k: int) -> None:
    """Turn the columns by one: the edges must be the same, and so must be those of nodes in no row, who have none."""
    turned = np.arange(graph.size)
    turned[table.ravel()] = np.roll(table, -1, axis=1).ravel()
    after = edge_keys(np.sort(turned[graph.edges], axis=1), graph.size)
    same = np.array_equal(np.sort(after), edge_keys(graph.edges, graph.size))
    outside = graph.degrees()[np.setdiff1d(np.arange(graph.size), table)]
    if not same or outside.any() or 0 < len(outside) < k:
        raise AssertionError("the graph does not turn into itself")
