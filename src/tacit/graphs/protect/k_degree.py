"""k-degree anonymity: whoever knows how many edges somebody has is left with k nodes or more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...errors import TacitError, typed
from ...progress import part, report
from ...protect.parameters import random
from ...release.trace import Finding, Trace
from ..masked import MaskedGraph
from .degrees.additions import realise_by_additions
from .degrees.realise import realise
from .degrees.sequence import anonymous, anonymous_degrees, wanted_degrees
from .degrees.working import working
from .given import checked_k, edge_changes, refuse_directed, refuse_few

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph

__all__ = ["KDegree"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KDegree:
    r"""Change few edges so that every degree is that of k nodes or more (K-01).

    First the degrees: the k-anonymous sequence nearest to theirs, an optimum found by a dynamic program in O(n·k). Then
    the edges: one added or taken away sets two ends at most, so that half the distance D of the sequence bounds the
    changes from below,

    .. math:: \text{changed edges} \ge \lceil D / 2 \rceil .

    Additions between nodes that lack edges and deletions between nodes that have too many reach the bound; switches of
    (u, w) to (v, w) take twice as many. Of the changes that serve, the one is made that keeps the transitivity: the
    wanted degrees say how many triangles it takes. With ``changes="add"`` every edge stays and only new ones come, which
    costs several times as many in graphs with hubs; where it does not (small or evenly dense graphs), ``"both"`` takes it
    too: it releases the one of the two results that changed fewer edges. A heuristic all the same, not the fewest changes
    that there are: the outcome has the changed edges, the bound and their ratio.

    **Claim**: every degree in the release is that of k nodes or more. *Precondition*: k ≤ n. *Argument*: the wanted
    degrees are anonymous and those of a graph (Erdős–Gallai); changes go on until every node has its own, at the latest
    by making the graph anew from them. *Checked* on every run by counting the degrees of the result.

    It says nothing about whoever knows more than degrees: measure with the refinement attack. Nodes keep their places;
    end with :class:`~tacit.graphs.shuffle.ShuffleNodes`. Some seconds for 10⁵ nodes. Undirected graphs; weights are
    dropped.

    >>> import numpy as np
    >>> from tacit.graphs import Graph
    >>> star = Graph(size=6, edges=np.array([[0, 1], [0, 2], [0, 3], [0, 4], [4, 5]]))
    >>> made = KDegree(k=2).apply(star, seed=7)
    >>> np.bincount(made.graph.degrees()).min(where=np.bincount(made.graph.degrees()) > 0, initial=99) >= 2
    np.True_

    References
    ----------
    Liu and Terzi (2008), Towards identity anonymization on graphs, SIGMOD, 93–106. Casas-Roma, Herrera-Joancomartí and
    Torra (2013), An algorithm for k-degree anonymity on large networks, ASONAM, 671–675 (switches chosen for utility).
    """

    k: int
    changes: Literal["both", "add"] = "both"

    def __post_init__(self) -> None:
        checked_k(self.k)
        if self.changes not in ("both", "add"):
            raise TacitError(f"changes={typed(self.changes)} is unknown", fix="use 'both' or 'add'")

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The graph with anonymous degrees; the outcome has what it took and what it must take at least."""
        refuse_directed(graph, "k_degree", "release the edges without their direction, or use change_edges")
        refuse_few(graph, self.k)
        report(progress, "anonymous degrees", 0.0)
        degrees, both = graph.degrees(), self.changes == "both"
        _, distance = anonymous_degrees(degrees, self.k, both=both)
        above, additions = anonymous_degrees(degrees, self.k, both=False)
        made = None
        if both:
            work = working(graph, wanted_degrees(degrees, self.k), random(self, seed))
            made = graph.with_edges(realise(work, self.k, part(progress, 0.2, 0.6)))
        if made is None or -(-additions // 2) < _changed(graph, made):
            work = working(graph, above, random(replace(self, changes="add"), seed))
            added = graph.with_edges(realise_by_additions(work, self.k, part(progress, 0.6, 1.0)))
            made = added if made is None or _changed(graph, added) < _changed(graph, made) else made
        return MaskedGraph(_checked(made, self.k), (Trace.of(self, **_told(graph, made, distance)),))


def _changed(before: Graph, after: Graph) -> int:
    return int(sum(one.value for one in edge_changes(before, after).values()))


def _told(before: Graph, after: Graph, distance: int) -> dict[str, Finding]:
    """What it took, beside the bound."""
    found = edge_changes(before, after)
    changed, bound = _changed(before, after), -(-distance // 2)
    return {
        **found,
        "changed": Finding(changed, publishable=True),
        "bound": Finding(bound, publishable=True),
        "ratio": Finding(changed / bound if bound else 1.0, publishable=True),
    }


def _checked(graph: Graph, k: int) -> Graph:
    """The result, its degrees counted anew."""
    if not anonymous(np.bincount(graph.edges.ravel(), minlength=graph.size), k):
        raise AssertionError(f"a degree is left that fewer than {k} nodes have")
    return graph
