"""Random switches: the ends of edges are exchanged, and every node keeps its degree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...progress import report_progress
from ...protect.parameters import make_rng
from ...release.trace import Trace
from ..masked import MaskedGraph
from .checks import checked_share, edge_changes, refuse_no_edges
from .switching import make_switcher

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchEdges:
    """Exchange ends between random pairs of edges, m·share/2 times; every node keeps its degree.

    a–b and c–d become a–d and c–b, where neither is an edge yet; in a directed graph a→b and c→d become a→d and c→b,
    and every node keeps both degrees. Each switch replaces two edges. **It does not stop anybody who knows degrees**,
    because it keeps them all: take it against those who know links, or after :class:`KDegree`. Directed graphs too;
    weights are dropped. O(m) time and memory.

    >>> import numpy as np
    >>> from tacit.graphs import Graph
    >>> ring = Graph(size=20, edges=np.array([(i, (i + 1) % 20) for i in range(20)]))
    >>> made = SwitchEdges(share=0.5).apply(ring, seed=7)
    >>> set(made.graph.degrees().tolist())
    {2}

    References
    ----------
    Ying and Wu (2008), Randomizing social networks: a spectrum preserving approach, SDM, 739–750 (Rand Switch).
    """

    share: float

    def __post_init__(self) -> None:
        checked_share(self.share, "share")

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The graph with switched edges; the outcome has how many are other ones now."""
        refuse_no_edges(graph)
        report_progress(progress, "switching edges", 0.0)
        work, wanted = make_switcher(graph), round(self.share * graph.links / 2)
        made = work.make_switches(wanted, make_rng(self, seed), lambda *_: True)
        if made < wanted or not wanted:
            raise too_few_switches(made, wanted)
        after = graph.with_edges(np.array(work.edges))
        return MaskedGraph(after, (Trace.of(self, **edge_changes(graph, after)),))


def too_few_switches(made: int, wanted: int) -> TacitError:
    """The promise of a share that was not kept."""
    if not wanted:
        return TacitError(
            "the share comes to less than one switch of two edges", code="out_of_range", fix="give a larger share"
        )
    return TacitError(
        f"only {made} of {wanted} switches were found: few pairs of edges can exchange their ends, as in stars and "
        "complete graphs, or within the band",
        code="invalid_graph",
        fix="give a smaller share or a wider band, or use change_edges",
    )
