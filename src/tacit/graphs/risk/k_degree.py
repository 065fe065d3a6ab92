"""k-degree anonymity: how many nodes have as many links as each."""

from __future__ import annotations

from ...result import Result
from ..graph import Graph
from ..masked import MaskedGraph
from ..structure.colours import refine_colours
from .sizes import graph_of, smallest_class


def k_degree(graph: Graph | MaskedGraph) -> Result:
    r"""The size of the smallest class of nodes with equal degree.

    .. math:: k = \min_v |\{u : d_u = d_v\}|

    Whoever knows how many links somebody has is left with k candidates at least. Of a directed graph links out and
    links in are counted apart. ``per_record`` is the size of each node's class.

    Identity disclosure, a Boolean model. Time O(n + m), memory O(n).

    >>> import numpy as np
    >>> k_degree(Graph(size=4, edges=np.array([[0, 1], [1, 2], [2, 3]]))).value
    2

    References
    ----------
    Liu and Terzi (2008), Towards identity anonymization on graphs, SIGMOD, 93–106.
    """
    return smallest_class("k-degree anonymity", refine_colours([graph_of(graph)], rounds=1).last[0])
