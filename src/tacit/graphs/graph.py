"""A network: nodes with names and attributes, and edges as pairs of whole numbers. There is no n×n array anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TacitError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ..release.release import Release


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Graph:
    """``edges`` is an m×2 array of node numbers below ``size``; simple: no loop, no edge twice.

    An undirected edge stands once, the smaller number first, and the edges are sorted, so that equal graphs have equal
    arrays. ``names`` are the labels that people know the nodes by (None: their numbers); ``attributes`` is a release with
    one row per node, in the order of the numbers. Make one with :func:`.build.graph`, which normalises what it is given and
    says in ``notes`` what it changed. ``shuffled`` says that the nodes stand in random order.

    >>> g = Graph(size=4, edges=np.array([[0, 1], [0, 2], [1, 2]]))
    >>> g.degrees().tolist(), g.isolated
    ([2, 2, 2, 0], 1)
    """

    size: int
    edges: np.ndarray
    directed: bool = False
    weights: np.ndarray | None = None
    names: Sequence[str] | None = None
    attributes: Release | None = None
    notes: tuple[str, ...] = ()
    shuffled: bool = False
    _kept: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        edges = np.ascontiguousarray(self.edges, dtype=np.int64).reshape(-1, 2)
        if edges.size and not 0 <= edges.min() <= edges.max() < self.size:
            raise TacitError(
                "an edge has an end that is no node", code="wrong_type", fix=f"number the nodes 0 to {self.size - 1}"
            )
        if not self.directed:
            edges = np.sort(edges, axis=1)
        key = edges[:, 0] * max(self.size, 1) + edges[:, 1]
        order = np.argsort(key, kind="stable")
        if (np.diff(key[order]) == 0).any() or (edges[:, 0] == edges[:, 1]).any():
            raise TacitError(
                "the edges have a loop or one twice",
                code="conflicting_parameters",
                fix="make the graph with tacit.graphs.graph(…)",
            )
        object.__setattr__(self, "edges", edges[order])
        self.edges.setflags(write=False)
        if self.weights is not None:
            object.__setattr__(self, "weights", np.asarray(self.weights, dtype=np.float64)[order])
        for what, count in (("names", self.names), ("attributes", self.attributes)):
            found = None if count is None else len(count) if what == "names" else count.size  # type: ignore[union-attr,arg-type]
            if found is not None and found != self.size:
                raise TacitError(
                    f"there are {found} rows of {what} for {self.size} nodes",
                    code="invalid_graph",
                    fix="give one for each node",
                )

    @property
    def links(self) -> int:
        """The number of edges."""
        return len(self.edges)

    @property
    def isolated(self) -> int:
        """The number of nodes without an edge."""
        return int((self.degrees() == 0).sum())

    def degrees(self) -> np.ndarray:
        """How many edges each node has (of a directed graph, in and out together). O(m)."""
        return np.bincount(self.edges.ravel(), minlength=self.size)

    def adjacency(self) -> csr_array:
        """The sparse adjacency matrix, symmetric where the graph is undirected; weights are left out. Kept. O(m)."""
        if "adjacency" not in self._kept:
            from scipy.sparse import csr_array

            rows, columns = self.edges.T
            if not self.directed:
                rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
            ones = np.ones(len(rows), dtype=np.int8)
            self._kept["adjacency"] = csr_array((ones, (rows, columns)), shape=(self.size, self.size))
        return self._kept["adjacency"]

    def neighbours(self, node: int) -> np.ndarray:
        """The neighbours of a node, sorted (of a directed graph, those that it points at)."""
        found = self.adjacency()
        return np.sort(found.indices[found.indptr[node] : found.indptr[node + 1]])

    def with_edges(self, edges: np.ndarray) -> Graph:
        """The same nodes with other edges; weights are gone, because they belong to the old ones."""
        return Graph(
            size=self.size,
            edges=edges,
            directed=self.directed,
            names=self.names,
            attributes=self.attributes,
            shuffled=self.shuffled,
        )

    def relabel(self, order: np.ndarray) -> Graph:
        """The nodes in another order (new node i is old node ``order[i]``), without names: as a release has them."""
        place = np.empty(self.size, dtype=np.int64)
        place[order] = np.arange(self.size)
        attributes = None if self.attributes is None else self.attributes.take(order, shuffled=True)
        return Graph(
            size=self.size,
            edges=place[self.edges],
            directed=self.directed,
            weights=self.weights,
            attributes=attributes,
            shuffled=True,
        )

    def __repr__(self) -> str:
        kind = "Directed graph" if self.directed else "Graph"
        return f"{kind} of {self.size:,} nodes and {self.links:,} edges"
