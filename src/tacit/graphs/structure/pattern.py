"""A small graph that is looked for inside a large one, with its links and its non-links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..graph import Graph


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """``links`` are the pairs of members that are linked, no other pairs are; member i may stand at ``possible[i]``.

    Up to ``wrong`` of the pairs may be otherwise in the large graph.
    """

    links: frozenset[tuple[int, int]]
    possible: Sequence[np.ndarray]
    directed: bool = False
    wrong: int = 0

    @staticmethod
    def of(
        graph: Graph, members: np.ndarray, *, possible: Sequence[np.ndarray] | None = None, wrong: int = 0
    ) -> Pattern:
        """The part of a graph on these nodes; without ``possible`` a member may stand anywhere."""
        place = np.full(graph.size, -1, dtype=np.int64)
        place[members] = np.arange(len(members))
        ends = place[graph.edges]
        links = {(int(i), int(j)) for i, j in ends[(ends >= 0).all(axis=1)]}
        if not graph.directed:
            links |= {(j, i) for i, j in links}
        anywhere = np.arange(graph.size)
        return Pattern(
            frozenset(links), [anywhere] * len(members) if possible is None else possible, graph.directed, wrong
        )

    @property
    def size(self) -> int:
        """The number of members."""
        return len(self.possible)

    def linked_members(self, one: int) -> list[int]:
        """The members that one is linked with, in either direction."""
        return [other for other in range(self.size) if (one, other) in self.links or (other, one) in self.links]

    def placement_order(self) -> list[int]:
        """Who is placed after whom: first the one with the fewest places, then who has most links to those placed."""
        linked = [set(self.linked_members(one)) for one in range(self.size)]
        left = set(range(self.size))
        placed: list[int] = []
        while left:
            following = min(
                left, key=lambda one: (-len(linked[one].intersection(placed)), len(self.possible[one]), one)
            )
            placed.append(following)
            left.remove(following)
        return placed

    def connected_parts(self) -> list[list[int]]:
        """The members that hang together by links, the largest part first."""
        left, found = set(range(self.size)), []
        while left:
            part, edge = set[int](), {min(left)}
            while edge:
                part |= edge
                edge = {other for one in edge for other in self.linked_members(one)} - part
            left -= part
            found.append(sorted(part))
        return sorted(found, key=lambda part: -len(part))

    def restrict_to(self, members: Sequence[int]) -> Pattern:
        """What is looked for of these members alone."""
        place = {member: number for number, member in enumerate(members)}
        links = frozenset((place[i], place[j]) for i, j in self.links if i in place and j in place)
        return Pattern(links, [self.possible[member] for member in members], self.directed, self.wrong)
