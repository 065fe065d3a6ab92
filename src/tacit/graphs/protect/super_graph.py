"""A graph told by groups: how many nodes each has, how many edges inside, how many between two groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from ...seed import generator
from ..graph import Graph
from .given import edge_keys

if TYPE_CHECKING:
    from ...seed import Seed

__all__ = ["SuperGraph", "super_graph"]


@dataclass(frozen=True, slots=True, eq=False)
class SuperGraph:
    """``sizes[g]`` nodes, ``counts[i]`` edges between the groups ``pairs[i]`` = (g, h), g ≤ h; g = h: inside of it."""

    sizes: np.ndarray
    pairs: np.ndarray
    counts: np.ndarray

    def sample(self, *, seed: Seed) -> Graph:
        """A graph with these numbers, each equally likely; nodes stand group after group. O(n + m) expected."""
        rng = generator(seed)
        first = np.cumsum(self.sizes) - self.sizes
        parts = [np.zeros((0, 2), dtype=np.int64)]
        for (one, other), count in zip(self.pairs.tolist(), self.counts.tolist(), strict=True):
            mine, theirs = int(self.sizes[one]), int(self.sizes[other])
            inside = one == other
            drawn = rng.choice(mine * (mine - 1) // 2 if inside else mine * theirs, count, replace=False)
            ends = _within(drawn) if inside else np.column_stack(np.divmod(drawn, theirs))
            parts.append(ends + [first[one], first[other]])
        return Graph(size=int(self.sizes.sum()), edges=np.concatenate(parts))

    def worlds(self) -> float:
        """The decimal logarithm of how many graphs have these numbers: what an intruder cannot tell apart."""
        found = 0.0
        for (one, other), count in zip(self.pairs.tolist(), self.counts.tolist(), strict=True):
            size = int(self.sizes[one])
            found += _log10(comb(size * (size - 1) // 2 if one == other else size * int(self.sizes[other]), count))
        return found

    def as_json(self) -> dict[str, Any]:
        """What is published."""
        edges = np.column_stack([self.pairs, self.counts])
        return {"sizes": self.sizes.tolist(), "edges": edges.tolist()}

    @staticmethod
    def from_json(given: Mapping[str, Any]) -> SuperGraph:
        """What was published."""
        edges = np.array(given["edges"], dtype=np.int64).reshape(-1, 3)
        return SuperGraph(np.array(given["sizes"], dtype=np.int64), edges[:, :2], edges[:, 2])


def super_graph(graph: Graph, group: np.ndarray) -> SuperGraph:
    """The numbers of a graph under groups from 0 on. O(m log m)."""
    sizes = np.bincount(group)
    between = np.sort(group[graph.edges], axis=1)
    keys, counts = np.unique(edge_keys(between, len(sizes)), return_counts=True)
    return SuperGraph(sizes, np.column_stack(np.divmod(keys, len(sizes))), counts)


def _within(drawn: np.ndarray) -> np.ndarray:
    """The pairs (i, j), i < j, of these numbers in the order (0, 1), (0, 2), (1, 2), (0, 3) and so on."""
    larger = ((1 + np.sqrt(1 + 8 * drawn.astype(np.float64))) / 2).astype(np.int64)
    larger -= larger * (larger - 1) // 2 > drawn  # where the square root was rounded up
    larger += larger * (larger + 1) // 2 <= drawn
    return np.column_stack([drawn - larger * (larger - 1) // 2, larger])


def _log10(many: int) -> float:
    """Of a whole number of any length."""
    digits = max(0, len(str(many)) - 15)
    return float(np.log10(many // 10**digits)) + digits
