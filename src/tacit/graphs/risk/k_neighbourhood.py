"""k-neighbourhood anonymity: how many nodes have the same links among their neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import check_int
from ...result import Result
from ..graph import Graph
from ..masked import MaskedGraph
from ..structure.colours import half_edges, refine_colours
from ..structure.multisets import number_multisets
from ..structure.pattern import Pattern
from ..structure.search import Search
from .sizes import graph_of, smallest_class

STEPS = 10_000
"""Steps for the exact comparison of two neighbourhoods."""


def k_neighbourhood(graph: Graph | MaskedGraph, *, exact_upto: int = 10_000) -> Result:
    r"""The size of the smallest class of nodes whose neighbourhoods are isomorphic.

    The neighbourhood of a node are its neighbours and the links among them. Refinement of all neighbourhoods at once
    tells most of them apart, and never parts two that are isomorphic; inside a class two neighbourhoods are then
    compared exactly, one by one, as long as the graph has at most ``exact_upto`` nodes. What was not compared (fact
    ``compared exactly``), or not within 10,000 steps (fact ``undecided``), counts as the same, and k may then be
    smaller than the value.

    Identity disclosure, a Boolean model. Refinement O(m^1.5) time and O(m + triangles) memory; the comparison at
    worst n times the number of classes that look alike.

    >>> two = Graph(size=6, edges=np.array([[0, 1], [0, 2], [1, 2], [3, 4], [4, 5]]))
    >>> k_neighbourhood(two).per_record.values().tolist()
    [3.0, 3.0, 3.0, 2.0, 1.0, 2.0]

    References
    ----------
    Zhou and Pei (2008), Preserving privacy in social networks against neighborhood attacks, ICDE, 506–515.
    """
    check_int("exact_upto", exact_upto, least=0)
    found = graph_of(graph)
    around = all_neighbourhoods(found)
    classes, count = around.classes()
    exact, undecided = found.size <= exact_upto, 0
    if exact:
        classes, undecided = _split_by_isomorphism(around, classes, count)
    facts = {
        "compared exactly": exact,
        "undecided": undecided,
        "largest neighbourhood": int(np.diff(around.start).max()),
    }
    return smallest_class("k-neighbourhood anonymity", classes, **facts)


def _split_by_isomorphism(around: Neighbourhoods, classes: np.ndarray, count: int) -> tuple[np.ndarray, int]:
    """The classes, split where neighbourhoods differ that look alike to refinement, and how many stay undecided."""
    from ...kernels.groups import group_members

    start, nodes = group_members(classes, count)
    found, following, undecided = classes.copy(), count, 0
    for number in range(count):
        first = [int(nodes[start[number]])]
        for node in nodes[start[number] + 1 : start[number + 1]].tolist():
            for place, one in enumerate(first):
                same = _are_isomorphic(around, one, node)
                undecided += same is None
                if same is not False:
                    found[node] = found[first[place]]
                    break
            else:
                first.append(node)
                found[node], following = following, following + 1
    return np.unique(found, return_inverse=True)[1], undecided


def _are_isomorphic(around: Neighbourhoods, one: int, other: int) -> bool | None:
    """Whether two neighbourhoods of equal colours are isomorphic; None when it was not found out in time.

    Those without a link inside have a place already: they are as many of each colour on either side.
    """
    (mine, colours), (theirs, others) = around.of(one), around.of(other)
    linked = np.unique(mine.edges)
    if not len(linked):
        return True
    possible = [np.flatnonzero(others == colour) for colour in colours[linked]]
    search = Search(Pattern.of(mine, linked, possible=possible), theirs, limit=STEPS)
    if next(iter(search), None) is not None:
        return True
    return False if search.complete else None


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhoods:
    """``union`` holds the neighbourhood of node v on its nodes ``start[v]`` to ``start[v+1]``.

    ``colours`` are those of refinement inside the neighbourhoods, begun with how each node is linked with v (of a
    directed graph: out, in, both).
    """

    start: np.ndarray
    union: Graph
    colours: np.ndarray

    def classes(self) -> tuple[np.ndarray, int]:
        """A class for each node such that nodes of different classes have different neighbourhoods."""
        return number_multisets(self.start, self.colours)

    def of(self, node: int) -> tuple[Graph, np.ndarray]:
        """One neighbourhood by itself, and the colours of its nodes."""
        first, last = int(self.start[node]), int(self.start[node + 1])
        edges = self.union.edges
        inside = edges[np.searchsorted(edges[:, 0], first) : np.searchsorted(edges[:, 0], last)]
        return Graph(size=last - first, edges=inside - first, directed=self.union.directed), self.colours[first:last]


def all_neighbourhoods(graph: Graph) -> Neighbourhoods:
    """The neighbourhoods of all nodes; O(m^1.5) time and memory, and O(triangles · log) a round of refinement.

    Each triangle v, a, b puts the link a–b into the neighbourhood of v. Triangles are listed from the end of lower
    degree of each edge: Σ min(d_a, d_b) looks, which are O(m^1.5).
    """
    start, other, place = _neighbour_lists(graph)
    owner = np.repeat(np.arange(graph.size), np.diff(start))
    key = owner * graph.size + other
    centre, link = _edges_among_neighbours(graph, key, start, other)
    ends = graph.edges[link]
    inside = np.column_stack([np.searchsorted(key, centre * graph.size + end) for end in ends.T])
    union = Graph(size=len(other), edges=inside, directed=graph.directed)
    return Neighbourhoods(start, union, refine_colours([union], start=place).last[0])


def _neighbour_lists(graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The neighbours of each node in either direction, sorted, and whether a link goes out (1), in (2) or both (3)."""
    lists = half_edges([graph])
    keys = [np.repeat(np.arange(graph.size), np.diff(first)) * graph.size + other for first, other in lists]
    found, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    kind = np.concatenate([np.full(len(one), 1 << way) for way, one in enumerate(keys)])
    place = np.bincount(inverse, weights=kind, minlength=len(found)).astype(np.int64)
    owner = found // max(graph.size, 1)
    return np.append(0, np.cumsum(np.bincount(owner, minlength=graph.size))), found % max(graph.size, 1), place


def _edges_among_neighbours(
    graph: Graph, key: np.ndarray, start: np.ndarray, other: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of a node and an edge both ends of which are its neighbours."""
    degrees = np.diff(start)
    ends = graph.edges
    low = np.where(degrees[ends[:, 0]] <= degrees[ends[:, 1]], ends[:, 0], ends[:, 1])
    high = ends.sum(axis=1) - low
    count = degrees[low]
    link = np.repeat(np.arange(len(ends)), count)
    step = np.arange(len(link)) - np.repeat(np.cumsum(count) - count, count)
    centre = other[start[low[link]] + step]
    wanted = high[link] * graph.size + centre
    found = np.searchsorted(key, wanted)
    hit = key[np.minimum(found, len(key) - 1)] == wanted if len(key) else np.zeros(0, dtype=bool)
    return centre[hit], link[hit]
