"""k-neighbourhood anonymity: how many nodes have the same links among their neighbours."""

from __future__ import annotations

import numpy as np

from ...errors import whole
from ...result import Result
from ..graph import Graph
from ..masked import MaskedGraph
from ..structure.pattern import Pattern
from ..structure.search import Search
from .neighbourhoods import Neighbourhoods, neighbourhoods
from .sizes import graph_of, smallest_class

__all__ = ["k_neighbourhood"]

STEPS = 10_000
"""Steps for the exact comparison of two neighbourhoods."""


def k_neighbourhood(graph: Graph | MaskedGraph, *, exact_upto: int = 10_000) -> Result:
    r"""The size of the smallest class of nodes whose neighbourhoods are isomorphic.

    The neighbourhood of a node are its neighbours and the links among them. Refinement of all neighbourhoods at once
    tells most of them apart, and never parts two that are isomorphic; inside a class two neighbourhoods are then
    compared exactly, one by one, as long as the graph has at most ``exact_upto`` nodes. What was not compared (fact
    ``compared exactly``), or not within 10,000 steps (fact ``undecided``), counts as the same, and k may then be
    smaller than the value.

    Identity disclosure, a Boolean model (K-02). Refinement O(m^1.5) time and O(m + triangles) memory; the comparison at
    worst n times the number of classes that look alike.

    >>> two = Graph(size=6, edges=np.array([[0, 1], [0, 2], [1, 2], [3, 4], [4, 5]]))
    >>> k_neighbourhood(two).per_record.values().tolist()
    [3.0, 3.0, 3.0, 2.0, 1.0, 2.0]

    References
    ----------
    Zhou and Pei (2008), Preserving privacy in social networks against neighborhood attacks, ICDE, 506–515.
    """
    whole("exact_upto", exact_upto, least=0)
    found = graph_of(graph)
    around = neighbourhoods(found)
    classes, count = around.classes()
    exact, undecided = found.size <= exact_upto, 0
    if exact:
        classes, undecided = _compared(around, classes, count)
    facts = {
        "compared exactly": exact,
        "undecided": undecided,
        "largest neighbourhood": int(np.diff(around.start).max()),
    }
    return smallest_class("k-neighbourhood anonymity", classes, **facts)


def _compared(around: Neighbourhoods, classes: np.ndarray, count: int) -> tuple[np.ndarray, int]:
    """The classes, split where neighbourhoods differ that look alike to refinement, and how many stay undecided."""
    from ...kernels.groups import members

    start, nodes = members(classes, count)
    found, following, undecided = classes.copy(), count, 0
    for number in range(count):
        first = [int(nodes[start[number]])]
        for node in nodes[start[number] + 1 : start[number + 1]].tolist():
            for place, one in enumerate(first):
                same = _same(around, one, node)
                undecided += same is None
                if same is not False:
                    found[node] = found[first[place]]
                    break
            else:
                first.append(node)
                found[node], following = following, following + 1
    return np.unique(found, return_inverse=True)[1], undecided


def _same(around: Neighbourhoods, one: int, other: int) -> bool | None:
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
