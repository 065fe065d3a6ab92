"""Every place at which a small graph stands inside a large one: links on links, non-links on non-links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ..graph import Graph
from .colours import half_edges
from .pattern import Pattern


@dataclass(slots=True, eq=False)
class Search:
    """The placements of ``pattern`` in ``graph``, one by one; after ``limit`` steps it ends, and ``complete`` is False.

    One member after the other is placed next to those that it is linked with (:meth:`.pattern.Pattern.order`); a place
    is tried, one step, when it is possible for the member, and kept when it is free and all links and non-links to
    those placed before agree, but for ``pattern.wrong`` of them in all. Memory O(m) for the lists of neighbours that
    were looked at; the time is exponential in the number of members at worst, and is why there is a limit.

    >>> square = Graph(size=4, edges=np.array([[0, 1], [1, 2], [2, 3], [0, 3]]))
    >>> path = Pattern.of(square, np.array([0, 1, 2]))
    >>> len(list(Search(path, square, limit=1000)))
    8
    """

    pattern: Pattern
    graph: Graph
    limit: int
    steps: int = 0
    complete: bool = True
    _order: list[int] = field(default_factory=list)
    _possible: list[frozenset[int]] = field(default_factory=list)
    _lists: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    _near: list[dict[int, frozenset[int]]] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """The node of every member, placement by placement."""
        self.steps, self.complete = 0, True
        self._order = self.pattern.placement_order()
        self._possible = [frozenset(nodes.tolist()) for nodes in self.pattern.possible]
        self._lists = half_edges([self.graph])
        self._near = [{} for _ in self._lists]
        at: list[int] = []
        spare, pools = (
            [self.pattern.wrong],
            [iter(self._candidate_nodes(at, self.pattern.wrong))] if self._order else [],
        )
        while pools:
            node = next(pools[-1], None)
            if node is None:
                pools.pop(), spare.pop()
                at = at[:-1]
                continue
            if self.steps >= self.limit:
                self.complete = False
                return
            self.steps += 1
            left = self._remaining_disagreements(node, at, spare[-1])
            if left < 0:
                continue
            if len(at) + 1 == self.pattern.size:
                yield self._in_order([*at, node])
                continue
            at.append(node)
            spare.append(left)
            pools.append(iter(self._candidate_nodes(at, left)))

    def _in_order(self, at: list[int]) -> tuple[int, ...]:
        where = dict(zip(self._order, at, strict=True))
        return tuple(where[member] for member in range(self.pattern.size))

    def _candidate_nodes(self, at: list[int], spare: int) -> Iterable[int]:
        """The places worth a try: next to those whom the member is linked with, unless all of that may be wrong."""
        member = self._order[len(at)]
        wanted = []
        for other, place in zip(self._order, at, strict=False):
            if (member, other) in self.pattern.links:
                wanted.append(self._neighbour_set(place, incoming=True))
            if self.pattern.directed and (other, member) in self.pattern.links:
                wanted.append(self._neighbour_set(place))
        if len(wanted) <= spare:
            return self._possible[member]
        near = min(wanted, key=len) if spare == 0 else frozenset[int]().union(*wanted)
        return near & self._possible[member]

    def _remaining_disagreements(self, node: int, at: list[int], spare: int) -> int:
        """How many disagreements are still allowed after the next member stands at the node; negative: it cannot."""
        if node in at:
            return -1
        member, links = self._order[len(at)], self.pattern.links
        out = self._neighbour_set(node)
        for other, place in zip(self._order, at, strict=False):
            spare -= ((member, other) in links) != (place in out)
            if self.pattern.directed:
                spare -= ((other, member) in links) != (place in self._neighbour_set(node, incoming=True))
            if spare < 0:
                break
        return spare

    def _neighbour_set(self, node: int, *, incoming: bool = False) -> frozenset[int]:
        """The nodes that a node points at, or those that point at it; looked up once."""
        way = int(incoming and self.pattern.directed)
        if node not in self._near[way]:
            start, other = self._lists[way]
            self._near[way][node] = frozenset(other[start[node] : start[node + 1]].tolist())
        return self._near[way][node]
