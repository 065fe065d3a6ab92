"""Nodes in a table of k columns such that many edges have all their images when the columns are turned by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..graph import Graph

__all__ = ["Aligned", "aligned"]

TRIES = 400
"""Exchanges tried for each node; more gain little."""
MOST_TRIES = 200_000

Orbit = tuple[int, int, int]
"""Row, row not above it, and by how many columns the second end is further: the edges that turn into each other."""


@dataclass(slots=True, eq=False)
class Aligned:
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


def aligned(graph: Graph, k: int, rng: np.random.Generator) -> Aligned:
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
    found = Aligned(k, row.tolist(), column.tolist(), Counter())
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
