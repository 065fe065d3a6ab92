"""The solution space of a lattice search: the nodes that were evaluated, which of them are safe, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Node:
    """One generalisation: the level of each column, its score (the lower the better), and the records that fail in it."""

    levels: dict[str, int]
    score: float
    suppressed: int
    admissible: bool


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """The evaluated nodes, one row each: ``levels[i, j]`` is the level of ``columns[j]``.

    A node with more failing records than the limit is not admissible. Unless the search was exhaustive it stops counting
    at the limit, so ``suppressed`` of such a node is a lower bound and its score is infinite.
    """

    columns: tuple[str, ...]
    levels: np.ndarray
    score: np.ndarray
    suppressed: np.ndarray
    admissible: np.ndarray

    def __len__(self) -> int:
        return len(self.score)

    def __iter__(self) -> Iterator[Node]:
        return (self._node_at(place) for place in range(len(self)))

    def best(self, count: int = 10) -> list[Node]:
        """The cheapest admissible nodes; of equal ones those with lower levels first."""
        safe = np.flatnonzero(self.admissible)
        order = np.lexsort((*self.levels[safe].T[::-1], self.score[safe]))
        return [self._node_at(place) for place in safe[order[:count]]]

    def frame(self) -> pl.DataFrame:
        """All nodes as a table: a column of levels for each quasi-identifier, then score, suppressed, admissible."""
        import polars as pl

        levels = {f"level of {name}": self.levels[:, place] for place, name in enumerate(self.columns)}
        return pl.DataFrame(
            {**levels, "score": self.score, "suppressed": self.suppressed, "admissible": self.admissible}
        )

    def _node_at(self, place: int) -> Node:
        levels = dict(zip(self.columns, map(int, self.levels[place]), strict=True))
        return Node(levels, float(self.score[place]), int(self.suppressed[place]), bool(self.admissible[place]))
