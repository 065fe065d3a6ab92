"""Unique nodes: the share that somebody singles out who knows the surroundings of a node so far."""

from __future__ import annotations

from ...per_record import PerRecord
from ...result import Result
from ..graph import Graph
from ..masked import MaskedGraph
from ..structure.colours import refine_colours
from .sizes import graph_of, size_of_own_class


def unique_nodes(graph: Graph | MaskedGraph, *, rounds: int | None = None) -> Result:
    r"""The share of nodes that no other node looks like, to somebody who knows ``rounds`` of refinement.

    .. math:: U_r = \tfrac{1}{n} |\{v : |\{u : c_r(u) = c_r(v)\}| = 1\}|

    One round is the degree, two the degrees of the neighbours, and so on (Hay's :math:`H_1, H_2, …`); None: as far as
    refinement leads, the worst case. Fact ``share unique by round`` shows how little structure is enough, ``expected
    re-identified`` the share whom an intruder finds who guesses inside each class, :math:`\tfrac{1}{n}\#classes`.
    ``per_record`` is the size of each node's class. No two nodes that an automorphism exchanges are ever told apart.

    Identity disclosure, measured. Time O(m log m) a round, memory O(m).

    >>> import numpy as np
    >>> unique_nodes(Graph(size=4, edges=np.array([[0, 1], [1, 2], [1, 3], [2, 3]])), rounds=1).value
    0.5

    References
    ----------
    Hay, Miklau, Jensen, Towsley and Weis (2008), Resisting structural re-identification in anonymized social networks,
    PVLDB 1, 102–114.
    """
    colours = refine_colours([graph_of(graph)], rounds=rounds)
    by_round = [size_of_own_class(parts[0]) for parts in colours.after]
    sizes = by_round[-1]
    alone = int((sizes == 1).sum())
    return Result(
        name="unique nodes",
        value=alone / len(sizes),
        worse="high",
        about="identity",
        facts={
            "nodes": len(sizes),
            "unique nodes": alone,
            "rounds": colours.rounds,
            "stable": colours.stable,
            "classes": colours.counts[-1],
            "smallest class": int(sizes.min()),
            "expected re-identified": colours.counts[-1] / len(sizes),
            "share unique by round": [float((one == 1).mean()) for one in by_round],
        },
        per_record=PerRecord(array=sizes.astype(float)),
    )
