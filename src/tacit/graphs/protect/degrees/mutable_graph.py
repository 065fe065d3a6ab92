"""A graph under change: neighbours as sets, how many edges each node still lacks, and what becomes of the triangles."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from ...graph import Graph

CANDIDATES = 64
"""Of so many legal changes the best is taken; more make a large graph slow and its triangles hardly truer."""
SLACK = 0.05
"""The share of the triangles that may be missing, or too many, before dearer changes are made that bring them back."""

Change = tuple[tuple[int, int], ...]
"""Pairs of nodes whose edge is added where there is none and else taken away, one after the other."""


@dataclass(slots=True, eq=False)
class MutableGraph:
    """``lacks[v]`` is the wanted degree less the degree now, negative where there are too many edges.

    ``owed`` is how many triangles must still come (or go, below 0) so that the transitivity 3·triangles/paths of length
    2 ends where it began: the wanted degrees fix the paths, and so the triangles; up to ``slack`` nobody minds.
    """

    near: list[set[int]]
    wanted: np.ndarray
    lacks: list[int]
    owed: float
    slack: float
    rng: np.random.Generator

    def nodes_off_target(self, sign: int) -> list[int]:
        """The nodes that lack edges (sign 1) or have too many (−1), the furthest off first."""
        found = [node for node, lack in enumerate(self.lacks) if lack * sign > 0]
        return sorted(found, key=lambda node: -abs(self.lacks[node]))

    @property
    def total_deviation(self) -> int:
        """How far all degrees together are from the wanted ones."""
        return sum(map(abs, self.lacks))

    def sample_nodes(self, given: Collection[int], many: int = CANDIDATES) -> list[int]:
        """All, or ``many`` of them at random; sorted first, so that the same seed takes the same."""
        listed = sorted(given) if isinstance(given, set) else list(given)
        if len(listed) <= many:
            return listed
        return [listed[place] for place in self.rng.choice(len(listed), many, replace=False).tolist()]

    def toggle(self, a: int, b: int) -> int:
        """Add the edge, or take it away where it is; the number of triangles that came with it (or went, below 0)."""
        joined = b in self.near[a]
        shared = len(self.near[a] & self.near[b])
        for one, other in ((a, b), (b, a)):
            self.near[one].discard(other) if joined else self.near[one].add(other)
            self.lacks[one] += 1 if joined else -1
        return -shared if joined else shared

    def apply_change(self, change: Change) -> None:
        """Make a change for good."""
        self.owed -= sum(self.toggle(a, b) for a, b in change)

    def best_change(self, changes: Iterator[Change], ends: float) -> Change | None:
        """The change that brings the triangles nearest to this step's part of what is owed; each is tried and undone.

        ``ends`` is how many ends of edges are still to be set right, two by each step.
        """
        aim = self.owed / max(1.0, ends / 2)
        found, least = None, np.inf
        for change in changes:
            off = abs(sum([self.toggle(a, b) for a, b in change]) - aim)
            for a, b in reversed(change):
                self.toggle(a, b)
            if off < least:
                found, least = change, off
        return found

    def edges(self) -> np.ndarray:
        """The edges now, each once."""
        listed = [(a, b) for a, others in enumerate(self.near) for b in others if a < b]
        return np.array(listed, dtype=np.int64).reshape(-1, 2)


def make_mutable(graph: Graph, wanted: np.ndarray, rng: np.random.Generator) -> MutableGraph:
    """The graph as sets of neighbours; O(m) memory, and O(m · common neighbours) time to count the triangles."""
    near: list[set[int]] = [set() for _ in range(graph.size)]
    for a, b in graph.edges.tolist():
        near[a].add(b)
        near[b].add(a)
    degrees = graph.degrees()
    triangles = sum(len(near[a] & near[b]) for a, b in graph.edges.tolist()) / 3
    before, after = (float((d * (d - 1)).sum()) for d in (degrees, wanted))
    owed = triangles * (after / before - 1) if before else 0.0
    return MutableGraph(near, wanted.copy(), (wanted - degrees).tolist(), owed, SLACK * triangles, rng)
