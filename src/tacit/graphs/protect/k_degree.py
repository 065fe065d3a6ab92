"""k-degree anonymity: whoever knows how many edges somebody has is left with k nodes or more."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...errors import TacitError, typed
from ...progress import part, report
from ...protect.parameters import random
from ...release.trace import Finding, Trace
from ..masked import MaskedGraph
from ..synth.graphical import graphical
from .degrees.lend import lend
from .degrees.realise import pair_up, realise
from .degrees.working import Working, working
from .given import checked_k, edge_changes, refuse_directed, refuse_few

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph


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


def realise_by_additions(work: Working, k: int, progress: Progress | None = None) -> np.ndarray:
    """The edges of a graph that contains this one and has k-anonymous degrees; the wanted ones rise where they must.

    Nodes that lack edges are joined with each other; hubs that run out of such partners take nodes that large classes
    can spare; and where there are none, a whole class rises by one. That ends: no class rises above n − 1, and when all
    are there, every pair that is not joined lacks an edge at both ends.
    """
    work.slack = math.inf
    begun = max(1, work.left)
    pair_up(work)
    lend(work, k, even=False)
    while work.left:
        report(progress, "adding edges", max(0.0, 1 - work.left / begun))
        _raise_a_class(work)
        pair_up(work)
        lend(work, k, even=False)
    return work.edges()


def _raise_a_class(work: Working) -> None:
    """The smallest class that has as many nodes as ends are lacking, or else the largest, wants one edge more."""
    values, counts = np.unique(work.wanted, return_counts=True)
    free = values < len(work.near) - 1
    values, counts = values[free], counts[free]
    enough = np.flatnonzero(counts >= work.left)
    chosen = enough[np.argmin(counts[enough])] if len(enough) else np.argmax(counts)
    for node in np.flatnonzero(work.wanted == values[chosen]).tolist():
        work.wanted[node] += 1
        work.lacks[node] += 1


def anonymous(degrees: np.ndarray, k: int) -> bool:
    """Whether every degree that occurs is that of k nodes or more. O(n)."""
    counts = np.bincount(degrees) if len(degrees) else np.zeros(0, dtype=np.int64)
    return not ((counts > 0) & (counts < k)).any()


def anonymous_degrees(degrees: np.ndarray, k: int, *, both: bool) -> tuple[np.ndarray, int]:
    r"""The k-anonymous sequence nearest to the degrees, for each node, and how far it is (L1).

    With the degrees sorted downwards and cut into classes,

    .. math:: D(i) = \min_{t}\, D(t) + \sum_{t < j \le i} |m_{t,i} - d_j|,

    where m is the median of the class, or its largest degree when edges are only added (not ``both``). It need not be
    that of a graph; :func:`wanted_degrees` sees to it. O(n log n + n·k) time, O(n) memory.

    References
    ----------
    Liu and Terzi (2008), Towards identity anonymization on graphs, SIGMOD, 93–106.

    >>> anonymous_degrees(np.array([5, 3, 3, 1, 1]), 2, both=True)
    (array([3, 3, 3, 1, 1]), 2)
    """
    from ...kernels.degree_classes import cheapest_cuts

    order = np.argsort(-degrees, kind="stable")
    down = degrees[order].astype(np.int64)
    cost, first = cheapest_cuts(down, k, both)
    starts, end = [], len(down)
    while end:
        end = int(first[end])
        starts.append(end)
    start = np.array(starts[::-1], dtype=np.int64)
    size = np.diff(np.append(start, len(down)))
    found = np.empty_like(down)
    found[order] = np.repeat(_medians(down, start, size) if both else down[start], size)
    return found, int(cost[-1])


def _medians(down: np.ndarray, start: np.ndarray, size: np.ndarray) -> np.ndarray:
    """A median of each class, at equal cost those with which the sum of the degrees changes least.

    A class of even size has many medians. When the sum stays, every edge that one node has too many can go to one that
    lacks one.
    """
    low, high = down[start + size // 2], down[start + (size - 1) // 2]
    gap = int((low * size).sum() - down.sum())
    found: np.ndarray = low.copy()
    for one in np.argsort(-(high - low) * size, kind="stable"):
        if high[one] == low[one]:
            break
        found[one] += min(max(round(-gap / size[one]), 0), high[one] - low[one])
        gap += int((found[one] - low[one]) * size[one])
    return found


def wanted_degrees(degrees: np.ndarray, k: int) -> np.ndarray:
    """The nearest anonymous degrees, mended until a simple graph can have them (even sum, Erdős–Gallai).

    An odd sum is mended where it costs least; a sequence that no graph has, by lowering its top class. At the latest
    all nodes get one degree, which n nodes can always have when its sum is even.
    """
    found, _ = anonymous_degrees(degrees, k, both=True)
    for _ in range(int(found.max(initial=0)) + 1):
        found = _even(found, degrees, k)
        if graphical(found):
            return found
        found = np.where(found == found.max(), found.max() - 1, found)
    regular = int(np.median(degrees)) // 2 * 2
    return np.full_like(found, min(regular, (len(found) - 1) // 2 * 2))


def _even(wanted: np.ndarray, degrees: np.ndarray, k: int) -> np.ndarray:
    """The sequence with an even sum: a node that its class can spare moves, or a class of odd size, what costs less."""
    if wanted.sum() % 2 == 0:
        return wanted
    moves = [*_node_moves(wanted, degrees, k), *_class_moves(wanted, degrees)]
    _, nodes, value = min(moves, key=lambda move: move[0])
    found = wanted.copy()
    found[nodes] = value
    return found


def _node_moves(wanted: np.ndarray, degrees: np.ndarray, k: int) -> list[tuple[int, np.ndarray, int]]:
    """For each pair of neighbouring values of different parity, the cheapest node that can go from one to the other."""
    values, counts = np.unique(wanted, return_counts=True)
    moves = []
    for source, count in zip(values, counts, strict=True):
        if count <= k:
            continue
        nodes = np.flatnonzero(wanted == source)
        others = values[(values - source) % 2 == 1]
        for value in others[np.argsort(np.abs(others - source), kind="stable")[:2]]:
            cost = np.abs(degrees[nodes] - value) - np.abs(degrees[nodes] - source)
            best = int(np.argmin(cost))
            moves.append((int(cost[best]), nodes[best : best + 1], int(value)))
    return moves


def _class_moves(wanted: np.ndarray, degrees: np.ndarray) -> list[tuple[int, np.ndarray, int]]:
    """A class of odd size one up or down: there is one whenever the sum is odd."""
    values, counts = np.unique(wanted, return_counts=True)
    moves = []
    for value in values[counts % 2 == 1]:
        nodes = np.flatnonzero(wanted == value)
        before = int(np.abs(degrees[nodes] - value).sum())
        for shifted in (value - 1, value + 1):
            if 0 <= shifted < len(wanted):
                moves.append((int(np.abs(degrees[nodes] - shifted).sum()) - before, nodes, int(shifted)))
    return moves
