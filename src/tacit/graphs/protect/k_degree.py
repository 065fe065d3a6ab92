"""k-degree anonymity: whoever knows how many edges somebody has is left with k nodes or more."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...errors import TacitError, format_value
from ...progress import report_progress, sub_progress
from ...protect.parameters import make_rng
from ...release.trace import Finding, Trace
from ..graph import Graph
from ..masked import MaskedGraph
from ..synth.graphical import is_graphical, some_graph
from .checks import checked_k, edge_changes, refuse_directed, refuse_few

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


CANDIDATES = 64


"""Of so many legal changes the best is taken; more make a large graph slow and its triangles hardly truer."""


SLACK = 0.05


"""The share of the triangles that may be missing, or too many, before dearer changes are made that bring them back."""


Change = tuple[tuple[int, int], ...]


"""Pairs of nodes whose edge is added where there is none and else taken away, one after the other."""


@dataclass(slots=True, eq=False)
class MutableGraph:
    """``lacks[v]`` is the wanted degree less the degree now, negative where there are too many edges.

    ``owed`` is how many triangles must still come (or go, below 0) so that the transitivity 3·triangles/paths of length
    2 ends where it began: the wanted degrees fix the paths, and so the triangles; up to ``slack`` nobody minds.
    """

    near: list[set[int]]
    wanted: np.ndarray
    lacks: list[int]
    owed: float
    slack: float
    rng: np.random.Generator

    def nodes_off_target(self, sign: int) -> list[int]:
        """The nodes that lack edges (sign 1) or have too many (−1), the furthest off first."""
        found = [node for node, lack in enumerate(self.lacks) if lack * sign > 0]
        return sorted(found, key=lambda node: -abs(self.lacks[node]))

    @property
    def total_deviation(self) -> int:
        """How far all degrees together are from the wanted ones."""
        return sum(map(abs, self.lacks))

    def sample_nodes(self, given: Collection[int], many: int = CANDIDATES) -> list[int]:
        """All, or ``many`` of them at random; sorted first, so that the same seed takes the same."""
        listed = sorted(given) if isinstance(given, set) else list(given)
        if len(listed) <= many:
            return listed
        return [listed[place] for place in self.rng.choice(len(listed), many, replace=False).tolist()]

    def toggle(self, a: int, b: int) -> int:
        """Add the edge, or take it away where it is; the number of triangles that came with it (or went, below 0)."""
        joined = b in self.near[a]
        shared = len(self.near[a] & self.near[b])
        for one, other in ((a, b), (b, a)):
            self.near[one].discard(other) if joined else self.near[one].add(other)
            self.lacks[one] += 1 if joined else -1
        return -shared if joined else shared

    def apply_change(self, change: Change) -> None:
        """Make a change for good."""
        self.owed -= sum(self.toggle(a, b) for a, b in change)

    def best_change(self, changes: Iterator[Change], ends: float) -> Change | None:
        """The change that brings the triangles nearest to this step's part of what is owed; each is tried and undone.

        ``ends`` is how many ends of edges are still to be set right, two by each step.
        """
        aim = self.owed / max(1.0, ends / 2)
        found, least = None, np.inf
        for change in changes:
            off = abs(sum([self.toggle(a, b) for a, b in change]) - aim)
            for a, b in reversed(change):
                self.toggle(a, b)
            if off < least:
                found, least = change, off
        return found

    def edges(self) -> np.ndarray:
        """The edges now, each once."""
        listed = [(a, b) for a, others in enumerate(self.near) for b in others if a < b]
        return np.array(listed, dtype=np.int64).reshape(-1, 2)


def make_mutable(graph: Graph, wanted: np.ndarray, rng: np.random.Generator) -> MutableGraph:
    """The graph as sets of neighbours; O(m) memory, and O(m · common neighbours) time to count the triangles."""
    near: list[set[int]] = [set() for _ in range(graph.size)]
    for a, b in graph.edges.tolist():
        near[a].add(b)
        near[b].add(a)
    degrees = graph.degrees()
    triangles = sum(len(near[a] & near[b]) for a, b in graph.edges.tolist()) / 3
    before, after = (float((d * (d - 1)).sum()) for d in (degrees, wanted))
    owed = triangles * (after / before - 1) if before else 0.0
    return MutableGraph(near, wanted.copy(), (wanted - degrees).tolist(), owed, SLACK * triangles, rng)


TRIES = 4 * CANDIDATES


"""Nodes looked at for one that can be spared; most nodes of a network are in its large classes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KDegree:
    r"""Change few edges so that every degree is that of k nodes or more.

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
            raise TacitError(
                f"changes={format_value(self.changes)} is unknown",
                code="unknown_name",
                parameter="changes",
                fix="use 'both' or 'add'",
            )

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The graph with anonymous degrees; the outcome has what it took and what it must take at least."""
        refuse_directed(graph, "k_degree", "release the edges without their direction, or use change_edges")
        refuse_few(graph, self.k)
        report_progress(progress, "anonymous degrees", 0.0)
        degrees, both = graph.degrees(), self.changes == "both"
        _, distance = anonymous_degrees(degrees, self.k, both=both)
        above, additions = anonymous_degrees(degrees, self.k, both=False)
        made = None
        if both:
            work = make_mutable(graph, wanted_degrees(degrees, self.k), make_rng(self, seed))
            made = graph.with_edges(realise_degrees(work, self.k, sub_progress(progress, 0.2, 0.6)))
        if made is None or -(-additions // 2) < _count_edge_changes(graph, made):
            work = make_mutable(graph, above, make_rng(replace(self, changes="add"), seed))
            added = graph.with_edges(realise_by_additions(work, self.k, sub_progress(progress, 0.6, 1.0)))
            made = (
                added if made is None or _count_edge_changes(graph, added) < _count_edge_changes(graph, made) else made
            )
        return MaskedGraph(_check_result(made, self.k), (Trace.of(self, **_change_findings(graph, made, distance)),))


def _count_edge_changes(before: Graph, after: Graph) -> int:
    return int(sum(one.value for one in edge_changes(before, after).values()))


def _change_findings(before: Graph, after: Graph, distance: int) -> dict[str, Finding]:
    """What it took, beside the bound."""
    found = edge_changes(before, after)
    changed, bound = _count_edge_changes(before, after), -(-distance // 2)
    return {
        **found,
        "changed": Finding(changed, publishable=True),
        "bound": Finding(bound, publishable=True),
        "ratio": Finding(changed / bound if bound else 1.0, publishable=True),
    }


def _check_result(graph: Graph, k: int) -> Graph:
    """The result, its degrees counted anew."""
    if not is_degree_anonymous(np.bincount(graph.edges.ravel(), minlength=graph.size), k):
        raise AssertionError(f"a degree is left that fewer than {k} nodes have")
    return graph


def realise_by_additions(work: MutableGraph, k: int, progress: Progress | None = None) -> np.ndarray:
    """The edges of a graph that contains this one and has k-anonymous degrees; the wanted ones rise where they must.

    Nodes that lack edges are joined with each other; hubs that run out of such partners take nodes that large classes
    can spare; and where there are none, a whole class rises by one. That ends: no class rises above n − 1, and when all
    are there, every pair that is not joined lacks an edge at both ends.
    """
    work.slack = math.inf
    begun = max(1, work.total_deviation)
    pair_up(work)
    lend_edges(work, k, even=False)
    while work.total_deviation:
        report_progress(progress, "adding edges", max(0.0, 1 - work.total_deviation / begun))
        _raise_a_class(work)
        pair_up(work)
        lend_edges(work, k, even=False)
    return work.edges()


def _raise_a_class(work: MutableGraph) -> None:
    """The smallest class that has as many nodes as ends are lacking, or else the largest, wants one edge more."""
    values, counts = np.unique(work.wanted, return_counts=True)
    free = values < len(work.near) - 1
    values, counts = values[free], counts[free]
    enough = np.flatnonzero(counts >= work.total_deviation)
    chosen = enough[np.argmin(counts[enough])] if len(enough) else np.argmax(counts)
    for node in np.flatnonzero(work.wanted == values[chosen]).tolist():
        work.wanted[node] += 1
        work.lacks[node] += 1


def is_degree_anonymous(degrees: np.ndarray, k: int) -> bool:
    """Whether every degree that occurs is that of k nodes or more. O(n).

    >>> is_degree_anonymous(np.array([2, 2, 3, 3, 3]), 2), is_degree_anonymous(np.array([2, 2, 3]), 2)
    (True, False)
    """
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
    found[order] = np.repeat(_class_medians(down, start, size) if both else down[start], size)
    return found, int(cost[-1])


def _class_medians(down: np.ndarray, start: np.ndarray, size: np.ndarray) -> np.ndarray:
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

    >>> wanted_degrees(np.array([5, 4, 2, 2]), 2).tolist()
    [3, 3, 2, 2]
    """
    found, _ = anonymous_degrees(degrees, k, both=True)
    for _ in range(int(found.max(initial=0)) + 1):
        found = _make_sum_even(found, degrees, k)
        if is_graphical(found):
            return found
        found = np.where(found == found.max(), found.max() - 1, found)
    regular = int(np.median(degrees)) // 2 * 2
    return np.full_like(found, min(regular, (len(found) - 1) // 2 * 2))


def _make_sum_even(wanted: np.ndarray, degrees: np.ndarray, k: int) -> np.ndarray:
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


def realise_degrees(work: MutableGraph, k: int, progress: Progress | None = None) -> np.ndarray:
    """The edges of a graph with the wanted degrees, which some graph must have.

    One change of an edge sets at most two ends right, so that half the distance of the degrees bounds the changes from
    below. First what reaches it: nodes that lack edges are joined with each other, and edges between nodes that have
    too many are taken away. Then, at twice the price, edges (u, w) become (v, w), and large classes lend nodes. What is
    left is mended by double switches of three edges, at the latest by a graph made anew from the degrees, which are
    still those of a graph. O(open nodes²) look-ups in sets, and O(degree) for each candidate.
    """
    asked = work.wanted.copy()
    for done, step in enumerate((pair_up, _remove_surplus_edges, _switch_surplus_edges)):
        report_progress(progress, "realising the degrees", done / 4)
        step(work)
    _settle_degrees(work, k)
    if not work.total_deviation:
        return work.edges()
    return some_graph(work.wanted if is_graphical(work.wanted) else asked)


def pair_up(work: MutableGraph) -> None:
    """Join nodes that lack edges with each other, those that lack most first."""
    open_ = work.nodes_off_target(1)
    left = work.total_deviation
    for u in open_:
        while work.lacks[u] > 0:
            fits = [v for v in work.sample_nodes(open_, 4 * CANDIDATES) if _can_join(work, u, v)]
            fits = fits or [v for v in open_ if _can_join(work, u, v)]
            change = work.best_change((((u, v),) for v in _furthest_off(work, fits)), left)
            if change is None:
                break
            work.apply_change(change)
            left -= 2


def _can_join(work: MutableGraph, u: int, v: int) -> bool:
    return v != u and work.lacks[v] > 0 and v not in work.near[u]


def _furthest_off(work: MutableGraph, fits: list[int]) -> list[int]:
    """Those to choose from: the half that is furthest off, else the last ones left are those that need the most."""
    fits.sort(key=lambda v: -abs(work.lacks[v]))
    return work.sample_nodes(fits[: max(CANDIDATES // 2, len(fits) // 2)])


def _remove_surplus_edges(work: MutableGraph) -> None:
    """Take away edges between nodes that have too many."""
    open_ = work.nodes_off_target(-1)
    much, left = set(open_), work.total_deviation
    for u in open_:
        while work.lacks[u] < 0:
            fits = [v for v in sorted(work.near[u] & much) if work.lacks[v] < 0]
            change = work.best_change((((u, v),) for v in _furthest_off(work, fits)), left)
            if change is None:
                break
            work.apply_change(change)
            left -= 2


def _switch_surplus_edges(work: MutableGraph) -> None:
    """Edges (u, w) become (v, w), from nodes u that have too many to nodes v that lack some."""
    lacking, left = work.nodes_off_target(1), work.total_deviation
    for u in work.nodes_off_target(-1):
        while work.lacks[u] < 0:
            lacking = [v for v in lacking if work.lacks[v] > 0]
            change = next((one for v in lacking if (one := work.best_change(_switch_changes(work, u, v), left))), None)
            if change is None:
                break
            work.apply_change(change)
            left -= 2


def _switch_changes(work: MutableGraph, u: int, v: int) -> Iterator[Change]:
    fits = work.near[u] - work.near[v] - {v}
    return (((u, w), (v, w)) for w in work.sample_nodes(fits))


def _settle_degrees(work: MutableGraph, k: int) -> None:
    """Mend until enough triangles are back, lend while they allow it, and so on; what cannot be lent is mended."""
    more = True
    while work.total_deviation and more:
        _mend_pairs(work, until=work.slack / 2)
        more = lend_edges(work, k, even=True)
    _mend_pairs(work)


def _mend_pairs(work: MutableGraph, until: float = -1.0) -> None:
    """Three edges at a time for two ends: x and y get one each by breaking an edge, or lose one each by making one.

    Ends as soon as no more than ``until`` triangles are owed; each step aims at a quarter of them.
    """
    for sign, found in ((1, _edge_breaking_changes), (-1, _edge_making_changes)):
        ends = [node for node in work.nodes_off_target(sign) for _ in range(abs(work.lacks[node]))]
        half = len(ends) // 2
        for x, y in zip(ends[:half], ends[half:], strict=False):
            if abs(work.owed) <= until:
                return
            change = work.best_change(found(work, x, y), min(8, len(ends)))
            if change is not None:
                work.apply_change(change)


def _edge_breaking_changes(work: MutableGraph, x: int, y: int) -> Iterator[Change]:
    """An edge (w, z) becomes (x, w) and (y, z)."""
    taken = 0
    for w in work.rng.permutation(len(work.near)).tolist():
        if w in (x, y) or w in work.near[x]:
            continue
        for z in sorted(work.near[w] - work.near[y] - {x, y}):
            yield (w, z), (x, w), (y, z)
            taken += 1
            if taken == CANDIDATES:
                return
            break


def _edge_making_changes(work: MutableGraph, x: int, y: int) -> Iterator[Change]:
    """Edges (x, w) and (y, z) become (w, z)."""
    for w in work.sample_nodes(work.near[x] - {y}):
        for z in work.sample_nodes(work.near[y] - work.near[w] - {w, x}, 4):
            yield (x, w), (y, z), (w, z)


def lend_edges(work: MutableGraph, k: int, *, even: bool) -> bool:
    """Give nodes that lack an edge one with a node w that may have one more, and take one too many from a w that may do
    with one less: the class of w has more than k nodes, and the one beside it k or more, so both stay large enough.

    One change of an edge for every end, where mending takes three for two, and cannot be chosen so that triangles come
    and go; so it stops when too many of them are owed. With ``even`` the ends left over are even in number, because
    only then can other changes set them right. Whether any node was lent.
    """
    counts = np.bincount(work.wanted, minlength=len(work.near) + 1)
    lent: list[tuple[int, int, int]] = []
    left = work.total_deviation
    for sign in (1, -1):
        for node in work.nodes_off_target(sign):
            while work.lacks[node] * sign > 0 and abs(work.owed) <= work.slack:
                change = work.best_change(_loan_changes(work, counts, k, node, sign), left)
                if change is None:
                    break
                work.apply_change(change)
                other = change[0][1]
                _change_target_degree(work, counts, other, sign)
                lent.append((node, other, sign))
                left -= 1
    if even and sum(work.lacks) % 2:
        node, other, sign = lent.pop()
        work.apply_change(((node, other),))
        _change_target_degree(work, counts, other, -sign)
    return bool(lent)


def _loan_changes(work: MutableGraph, counts: np.ndarray, k: int, node: int, sign: int) -> Iterator[Change]:
    for other in _loan_candidates(work, node, sign):
        now = work.wanted[other]
        fits = other != node and not work.lacks[other] and (other in work.near[node]) == (sign < 0)
        if fits and now + sign >= 0 and counts[now] > k and counts[now + sign] >= k:
            yield ((node, other),)


def _loan_candidates(work: MutableGraph, node: int, sign: int) -> list[int]:
    if sign < 0:
        return work.sample_nodes(work.near[node])
    size = len(work.near)
    return list(range(size)) if size <= TRIES else work.rng.integers(0, size, TRIES).tolist()


def _change_target_degree(work: MutableGraph, counts: np.ndarray, node: int, sign: int) -> None:
    counts[work.wanted[node]] -= 1
    work.wanted[node] += sign
    work.lacks[node] += sign
    counts[work.wanted[node]] += 1
