"""Random edges taken away and random ones added: the simplest perturbation of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...protect.parameters import random
from ...release.trace import Trace
from ..masked import MaskedGraph
from .given import checked_share, edge_changes, refuse_no_edges
from .non_edges import drawn_non_edges

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph

__all__ = ["ChangeEdges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEdges:
    """Take a random share of the edges away and add new ones, as many as a share of the edges (K-01).

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
            raise TacitError("delete=0 and add=0 change nothing", fix="e.g. delete=0.05, add=0.05")

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:  # noqa: ARG002
        """The graph with other edges; the outcome has how many came and went."""
        refuse_no_edges(graph)
        rng = random(self, seed)
        lost, new = (round(share * graph.links) for share in (self.delete, self.add))
        kept = np.ones(graph.links, dtype=bool)
        kept[rng.choice(graph.links, lost, replace=False)] = False
        added = drawn_non_edges(graph, new, rng)
        made = graph.with_edges(np.concatenate([graph.edges[kept], added]))
        return MaskedGraph(made, (Trace.of(self, **edge_changes(graph, made)),))
