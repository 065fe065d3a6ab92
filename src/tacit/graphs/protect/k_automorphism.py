"""k-automorphism: the graph turns into itself in k ways, so that no link of the released graph tells k nodes apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...errors import TacitError, format_value
from ...progress import report_progress
from ...protect.parameters import make_rng
from ...release.trace import Trace
from ..graph import Graph
from ..masked import MaskedGraph
from .checks import checked_k, edge_changes, edge_keys, refuse_directed, refuse_few

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


TRIES = 400
"""Exchanges tried for each node; more gain little."""

MOST_TRIES = 200_000

Orbit = tuple[int, int, int]
"""Row, row not above it, and by how many columns the second end is further: the edges that turn into each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KAutomorphism:
    """Change edges until the graph turns into itself in k ways: its links tell no k nodes apart.

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
            raise TacitError(
                f"changes={format_value(self.changes)} is unknown",
                code="unknown_name",
                parameter="changes",
                fix="use 'both' or 'add'",
            )

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The graph with k automorphisms; the outcome has the edges that came and went."""
        refuse_directed(graph, "k_automorphism", "release the edges without their direction, or use super_nodes")
        refuse_few(graph, self.k)
        report_progress(progress, "aligning nodes", 0.0)
        rng = make_rng(self, seed)
        found = align_nodes(graph, self.k, rng)
        report_progress(progress, "aligning nodes", 0.9)
        made = graph.with_edges(self._choose_edges(found, graph.links, rng))
        _check_automorphism(made, found.table(), self.k)
        return MaskedGraph(made, (Trace.of(self, **edge_changes(graph, made)),))

    def _choose_edges(self, found: OrbitTable, links: int, rng: np.random.Generator) -> np.ndarray:
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


def _check_automorphism(graph: Graph, table: np.ndarray, k: int) -> None:
    """Turn the columns by one: the edges must be the same, and so must be those of nodes in no row, who have none."""
    turned = np.arange(graph.size)
    turned[table.ravel()] = np.roll(table, -1, axis=1).ravel()
    after = edge_keys(np.sort(turned[graph.edges], axis=1), graph.size)
    same = np.array_equal(np.sort(after), edge_keys(graph.edges, graph.size))
    outside = graph.degrees()[np.setdiff1d(np.arange(graph.size), table)]
    if not same or outside.any() or 0 < len(outside) < k:
        raise AssertionError("the graph does not turn into itself")


@dataclass(slots=True, eq=False)
class OrbitTable:
    """Node v stands in row ``row[v]`` and column ``column[v]`` of k; row −1: in no row, and without edges.

    ``counts`` has for each orbit how many of its edges the graph has.
    """

    k: int
    row: list[int]
    column: list[int]
    counts: Counter[Orbit]

    def orbit(self, a: int, b: int) -> Orbit:
        """The orbit of an edge."""
        if self.row[a] < self.row[b]:
            a, b = b, a
        turn = (self.column[b] - self.column[a]) % self.k
        same = self.row[a] == self.row[b]
        return self.row[a], self.row[b], min(turn, self.k - turn) if same else turn

    def edges(self, orbit: Orbit, table: np.ndarray) -> set[tuple[int, int]]:
        """All edges of an orbit: k, or half as many where two turn into each other. ``table`` has the nodes."""
        first, second, turn = orbit
        ends = ((int(table[first, i]), int(table[second, (i + turn) % self.k])) for i in range(self.k))
        return {(min(a, b), max(a, b)) for a, b in ends}

    def table(self) -> np.ndarray:
        """The node in each row and column."""
        found = np.full((max(self.row, default=-1) + 1, self.k), -1, dtype=np.int64)
        for node, (row, column) in enumerate(zip(self.row, self.column, strict=True)):
            if row >= 0:
                found[row, column] = node
        return found

    def exchange(self, a: int, b: int, edges: Iterable[tuple[int, int]]) -> int:
        """Exchange two nodes, whose ``edges`` these are; by how much the sum of squared counts grows."""
        listed, gain = list(edges), 0
        for one, other in listed:
            orbit = self.orbit(one, other)
            gain += 1 - 2 * self.counts[orbit]
            self.counts[orbit] -= 1
        for places in (self.row, self.column):
            places[a], places[b] = places[b], places[a]
        for one, other in listed:
            orbit = self.orbit(one, other)
            gain += 1 + 2 * self.counts[orbit]
            self.counts[orbit] += 1
        return gain


def align_nodes(graph: Graph, k: int, rng: np.random.Generator) -> OrbitTable:
    """Nodes of similar degree in one row to begin with; then two exchange places wherever full orbits gain by it.

    The n mod k nodes that are over, and the k with them, are those of smallest degree: they stand in no row. What grows
    is the sum of the squared counts, which favours orbits that are nearly full. O(n · TRIES · degree), at most 200,000
    tries.
    """
    order = np.lexsort((rng.random(graph.size), -graph.degrees()))
    over = graph.size % k
    placed = order[: graph.size - (k + over)] if over else order
    row, column = np.full((2, graph.size), -1)
    row[placed], column[placed] = np.divmod(np.arange(len(placed)), k)
    found = OrbitTable(k, row.tolist(), column.tolist(), Counter())
    near: list[list[int]] = [[] for _ in range(graph.size)]
    for a, b in graph.edges.tolist():
        if row[a] >= 0 and row[b] >= 0:
            near[a].append(b)
            near[b].append(a)
            found.counts[found.orbit(a, b)] += 1
    tries = min(TRIES * len(placed), MOST_TRIES) if len(placed) else 0
    for a, b in rng.choice(placed, (tries, 2)).tolist() if tries else ():
        mine = {(min(one, other), max(one, other)) for one in (a, b) for other in near[one]}
        if a != b and found.exchange(a, b, mine) < 0:
            found.exchange(a, b, mine)
    return found
