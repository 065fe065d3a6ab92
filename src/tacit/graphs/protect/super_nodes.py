"""Super-nodes: groups of k nodes or more are released in place of the nodes, and graphs drawn from them for use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from ...progress import report_progress, sub_progress
from ...protect.parameters import make_rng
from ...release.trace import Finding, Trace
from ...seed import make_generator
from ..graph import Graph
from ..masked import MaskedGraph
from .attributes_in_classes import same_in_groups
from .checks import checked_k, edge_changes, edge_keys, refuse_directed, refuse_few

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


BLOCK = 1024
"""Nodes among which partners are looked for: bounds memory and time, whatever the size of the graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuperNodes:
    r"""Put the nodes into groups of k or more and tell only how many edges are inside and between them.

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
        rng = make_rng(self, seed)
        group = similar_groups(graph, self.k, rng, sub_progress(progress, 0.0, 0.8))
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
            worlds=Finding(told.log10_graph_count(), publishable=True),
            **edge_changes(graph, made),
        )
        return MaskedGraph(made, (trace,), evidence={"groups": group})


def similar_groups(graph: Graph, k: int, rng: np.random.Generator, progress: Progress | None = None) -> np.ndarray:
    """The group of each node, from 0 on; each has k to 2k − 1 nodes.

    The distance of two nodes is the number of nodes that only one of them is linked with. In every block a node that is
    left is taken, the one of largest degree first, and the k − 1 nearest of those left join it; the last ones, fewer
    than k, go to the nearest group each. Blocks are cut from an order that keeps neighbours together (reverse
    Cuthill–McKee). O(n · BLOCK) time, O(BLOCK²) memory.
    """
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = reverse_cuthill_mckee(graph.adjacency().tocsr(), symmetric_mode=True).astype(np.int64)
    found, groups = np.empty(graph.size, dtype=np.int64), 0
    blocks = np.array_split(order, max(1, graph.size // max(BLOCK, 2 * k)))
    for done, block in enumerate(blocks):
        report_progress(progress, "grouping nodes", done / len(blocks))
        inside = _group_nodes(_pairwise_differences(graph, block), k, rng)
        found[block] = inside + groups
        groups += int(inside.max()) + 1
    return found


def _pairwise_differences(graph: Graph, block: np.ndarray) -> np.ndarray:
    """Of every two nodes of the block, how many other nodes only one of them is linked with."""
    rows = graph.adjacency().astype(np.int64).tocsr()[block]
    shared = (rows @ rows.T).toarray()
    degrees = np.diff(rows.indptr)
    found: np.ndarray = degrees[:, None] + degrees[None, :] - 2 * shared - 2 * rows[:, block].toarray()
    return found


def _group_nodes(apart: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    size = len(apart)
    group = np.full(size, -1, dtype=np.int64)
    # the sum of the distances grows with the degree: hubs, for whom partners are few, choose first
    first = np.lexsort((rng.random(size), -apart.sum(axis=1)))
    count = 0
    for node in first:
        left = np.flatnonzero(group < 0)
        if group[node] >= 0 or len(left) < k:
            continue
        others = left[left != node]
        near = others[np.lexsort((rng.random(len(others)), apart[node, others]))[: k - 1]]
        group[near], group[node] = count, count
        count += 1
    for node in np.flatnonzero(group < 0):
        there = np.flatnonzero((group >= 0) & (np.bincount(group + 1, minlength=count + 1)[group + 1] < 2 * k - 1))
        group[node] = group[there[np.argmin(apart[node, there])]]
    return group


@dataclass(frozen=True, slots=True, eq=False)
class SuperGraph:
    """``sizes[g]`` nodes, ``counts[i]`` edges between the groups ``pairs[i]`` = (g, h), g ≤ h; g = h: inside of it."""

    sizes: np.ndarray
    pairs: np.ndarray
    counts: np.ndarray

    def sample(self, *, seed: Seed) -> Graph:
        """A graph with these numbers, each equally likely; nodes stand group after group. O(n + m) expected."""
        rng = make_generator(seed)
        first = np.cumsum(self.sizes) - self.sizes
        parts = [np.zeros((0, 2), dtype=np.int64)]
        for (one, other), count in zip(self.pairs.tolist(), self.counts.tolist(), strict=True):
            mine, theirs = int(self.sizes[one]), int(self.sizes[other])
            inside = one == other
            drawn = rng.choice(mine * (mine - 1) // 2 if inside else mine * theirs, count, replace=False)
            ends = _pairs_from_numbers(drawn) if inside else np.column_stack(np.divmod(drawn, theirs))
            parts.append(ends + [first[one], first[other]])
        return Graph(size=int(self.sizes.sum()), edges=np.concatenate(parts))

    def log10_graph_count(self) -> float:
        """The decimal logarithm of how many graphs have these numbers: what an intruder cannot tell apart."""
        found = 0.0
        for (one, other), count in zip(self.pairs.tolist(), self.counts.tolist(), strict=True):
            size = int(self.sizes[one])
            found += _log10_of_int(
                comb(size * (size - 1) // 2 if one == other else size * int(self.sizes[other]), count)
            )
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


def _pairs_from_numbers(drawn: np.ndarray) -> np.ndarray:
    """The pairs (i, j), i < j, of these numbers in the order (0, 1), (0, 2), (1, 2), (0, 3) and so on."""
    larger = ((1 + np.sqrt(1 + 8 * drawn.astype(np.float64))) / 2).astype(np.int64)
    larger -= larger * (larger - 1) // 2 > drawn  # where the square root was rounded up
    larger += larger * (larger + 1) // 2 <= drawn
    return np.column_stack([drawn - larger * (larger - 1) // 2, larger])


def _log10_of_int(many: int) -> float:
    """Of a whole number of any length."""
    digits = max(0, len(str(many)) - 15)
    return float(np.log10(many // 10**digits)) + digits
