"""Super-nodes: groups of k nodes or more are released in place of the nodes, and graphs drawn from them for use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...progress import part
from ...protect.parameters import random
from ...release.trace import Finding, Trace
from ..masked import MaskedGraph
from .attributes_in_classes import same_in_groups
from .given import checked_k, edge_changes, refuse_directed, refuse_few
from .similar_groups import similar_groups
from .super_graph import super_graph

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph

__all__ = ["SuperNodes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuperNodes:
    r"""Put the nodes into groups of k or more and tell only how many edges are inside and between them (K-01).

    What is released is in the outcome ``super_graph``: the sizes of the groups and the numbers of edges. Every graph
    with these numbers is as possible as the true one, and there are

    .. math:: \prod_g \binom{|g|(|g|-1)/2}{m_{gg}} \prod_{g<h} \binom{|g||h|}{m_{gh}}

    of them (``worlds``: their decimal logarithm). The nodes of a group are not told apart by these numbers: whoever
    finds the group of a person, by whatever knowledge of links, is left with all of its k nodes or more. The graph that
    comes out is one of them, drawn uniformly (:meth:`.super_graph.SuperGraph.sample` draws more), so that statistics of
    graphs can be computed; averages over several are better. Groups hold nodes with nearly the same neighbours; that
    keeps degrees and large structures, and loses many triangles.

    Quasi-identifiers among the attributes become the same within each group, by the labels of
    :class:`tacit.protect.KMember`; other attributes stay with a node of the group and are not protected.

    **Claim**: every group has k nodes or more and the drawn graph depends on the edges through the numbers alone.
    *Checked*: sizes on every run. Undirected graphs. O(n · 1024) time.

    >>> import networkx as nx
    >>> from tacit.graphs import graph
    >>> made = SuperNodes(k=4).apply(graph(nx.karate_club_graph()), seed=7)
    >>> made.graph.links, min(made.trace[0].outcome["super_graph"].value["sizes"])
    (78, 4)

    References
    ----------
    Hay, Miklau, Jensen, Towsley and Weis (2008), Resisting structural re-identification in anonymized social networks,
    PVLDB 1, 102–114. Campan and Truta (2008), A clustering approach for data and structural anonymity in social
    networks, PinKDD.
    """

    k: int

    def __post_init__(self) -> None:
        checked_k(self.k)

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """A graph drawn from the super-nodes, which are in the outcome."""
        refuse_directed(graph, "super_nodes", "release the edges without their direction")
        refuse_few(graph, self.k)
        rng = random(self, seed)
        group = similar_groups(graph, self.k, rng, part(progress, 0.0, 0.8))
        told = super_graph(graph, group)
        if told.sizes.min() < self.k:
            raise AssertionError(f"a group has fewer than {self.k} nodes")
        drawn, members = told.sample(seed=rng), np.argsort(group, kind="stable")
        made = graph.with_edges(members[drawn.edges])
        if graph.attributes is not None:
            made = same_in_groups(made, group)
        trace = Trace.of(
            self,
            super_graph=Finding(told.as_json(), publishable=True),
            groups=Finding(len(told.sizes), publishable=True),
            worlds=Finding(told.worlds(), publishable=True),
            **edge_changes(graph, made),
        )
        return MaskedGraph(made, (trace,), evidence={"groups": group})
