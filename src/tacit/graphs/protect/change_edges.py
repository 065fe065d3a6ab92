"""Random edges taken away and random ones added: the simplest perturbation of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...protect.parameters import make_rng
from ...release.trace import Trace
from ..graph import Graph
from ..masked import MaskedGraph
from .checks import checked_share, edge_changes, edge_keys, refuse_no_edges

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEdges:
    """Take a random share of the edges away and add new ones, as many as a share of the edges.

    Every set of edges of that number is equally likely to go, and every set of pairs that had none to come; an edge
    that went does not come back. With equal shares the number of edges stays. It promises nothing: a person who is
    found by the network around them is found less surely. Measure with the attacks on graphs. Real networks have few
    triangles left after 10 %. Directed graphs too; weights are dropped. O(m log m) time, O(m) memory.

    >>> import numpy as np
    >>> from tacit.graphs import Graph
    >>> ring = Graph(size=20, edges=np.array([(i, (i + 1) % 20) for i in range(20)]))
    >>> made = ChangeEdges(delete=0.1, add=0.1).apply(ring, seed=7)
    >>> made.graph.links, made.trace[0].outcome["removed"].value
    (20, 2)

    References
    ----------
    Hay, Miklau, Jensen, Weis and Srivastava (2007), Anonymizing social networks, University of Massachusetts 07-19.
    """

    delete: float
    add: float

    def __post_init__(self) -> None:
        checked_share(self.delete, "delete", none=True)
        checked_share(self.add, "add", none=True)
        if not self.delete and not self.add:
            raise TacitError(
                "delete=0 and add=0 change nothing",
                code="invalid_parameter",
                parameter="delete",
                fix="e.g. delete=0.05, add=0.05",
            )

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:  # noqa: ARG002
        """The graph with other edges; the outcome has how many came and went."""
        refuse_no_edges(graph)
        rng = make_rng(self, seed)
        lost, new = (round(share * graph.links) for share in (self.delete, self.add))
        kept = np.ones(graph.links, dtype=bool)
        kept[rng.choice(graph.links, lost, replace=False)] = False
        added = drawn_non_edges(graph, new, rng)
        made = graph.with_edges(np.concatenate([graph.edges[kept], added]))
        return MaskedGraph(made, (Trace.of(self, **edge_changes(graph, made)),))


def count_pairs(graph: Graph) -> int:
    """How many edges the graph could have."""
    return graph.size * (graph.size - 1) // (1 if graph.directed else 2)


def drawn_non_edges(graph: Graph, count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` different pairs without an edge, each set of them equally likely.

    Pairs are drawn and those that are edges, or were drawn before, drawn again; where more than half of all pairs are
    taken, the free ones are listed instead. So O(m + count) expected time and memory in either case.
    """
    free = count_pairs(graph) - graph.links
    if count > free:
        raise TacitError(
            f"{count} edges are to be added and only {free} pairs of nodes have none",
            code="invalid_graph",
            fix="add a smaller share",
        )
    taken = edge_keys(graph.edges, graph.size)
    if 2 * (graph.links + count) > count_pairs(graph):
        keys = rng.choice(_free_keys(graph, taken), count, replace=False)
    else:
        keys = _sample_new_edges(graph, taken, count, rng)
    return np.column_stack([keys // max(graph.size, 1), keys % max(graph.size, 1)])


def _sample_new_edges(graph: Graph, taken: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    found = np.zeros(0, dtype=np.int64)
    while len(found) < count:
        ends = rng.integers(0, graph.size, (2 * (count - len(found)) + 8, 2))
        ends = ends[ends[:, 0] != ends[:, 1]]
        keys = edge_keys(ends if graph.directed else np.sort(ends, axis=1), graph.size)
        joined = np.concatenate([found, keys[~np.isin(keys, taken)]])
        _, first = np.unique(joined, return_index=True)
        found = joined[np.sort(first)]  # in the order of the draws: the first ones are a uniform set
    return found[:count]


def _free_keys(graph: Graph, taken: np.ndarray) -> np.ndarray:
    """Every free pair; only for graphs in which the edges are about as many."""
    one, other = np.divmod(np.arange(graph.size**2), graph.size)
    keys = edge_keys(np.column_stack([one, other]), graph.size)[one != other if graph.directed else one < other]
    return np.setdiff1d(keys, taken, assume_unique=True)
