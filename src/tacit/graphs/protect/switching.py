"""Switches of two edges that keep every degree: a–b and c–d become a–d and c–b."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .checks import edge_keys

if TYPE_CHECKING:
    from ..graph import Graph


Accept = Callable[[int, int, int, int], bool]
"""Whether the switch of a–b, c–d is wanted."""
TRIES = 200
"""Draws for each switch before it is given up: in a graph that has any, most draws find one."""


@dataclass(slots=True, eq=False)
class EdgeSwitcher:
    """The edges under change: as a list to draw from, and as a set of numbers to ask."""

    size: int
    directed: bool
    edges: list[tuple[int, int]]
    there: set[int]

    def make_switches(self, wanted: int, rng: np.random.Generator, accept: Accept) -> int:
        """Make so many random switches that are legal and accepted; how many it came to. O(wanted) expected."""
        made, left = 0, TRIES * wanted + TRIES
        while made < wanted and left > 0:
            draws = rng.integers(0, len(self.edges), (min(left, 4 * (wanted - made) + 8), 2)).tolist()
            turned = rng.random(len(draws)) < 0.5
            for (one, other), turn in zip(draws, turned.tolist(), strict=True):
                left -= 1
                made += self._try_switch(one, other, turn and not self.directed, accept)
                if made == wanted:
                    break
        return made

    def _try_switch(self, one: int, other: int, turn: bool, accept: Accept) -> bool:
        (a, b), (c, d) = self.edges[one], self.edges[other]
        if turn:
            c, d = d, c
        old, new = (self._edge_key(a, b), self._edge_key(c, d)), (self._edge_key(a, d), self._edge_key(c, b))
        if a in (c, d) or b in (c, d) or not self.there.isdisjoint(new) or not accept(a, b, c, d):
            return False
        self.there.difference_update(old)
        self.there.update(new)
        self.edges[one], self.edges[other] = (a, d), (c, b)
        return True

    def _edge_key(self, a: int, b: int) -> int:
        return a * self.size + b if self.directed or a < b else b * self.size + a


def make_switcher(graph: Graph) -> EdgeSwitcher:
    """A graph ready to be switched. O(m)."""
    keys = set(edge_keys(graph.edges, graph.size).tolist())
    return EdgeSwitcher(graph.size, graph.directed, [(a, b) for a, b in graph.edges.tolist()], keys)
