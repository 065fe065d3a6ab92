"""The intruder has another network of the same people, and knows nobody to begin with.

Graph matching: the placement of one graph on another under which most links fall on links.

The problem is a quadratic assignment. Frank and Wolfe's steps over doubly stochastic matrices (the "fast approximate
quadratic" algorithm) solve it approximately; what they end in depends on the matrix they start from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...attack.attack import ProgramLimit
from ...claims.claims import LinkClaims
from ...errors import check_int
from ...progress import report_progress
from ...seed import make_generator, seed_or_default
from ..structure.profiles import degree_profiles
from .attack import check_applicable, shuffle_release, why_not_comparable
from .degree import degree_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph
    from ..knowledge import Knowledge

LARGEST = 2_000
"""Nodes of a graph that can be laid over another; beyond, the square arrays and n³ steps are too much."""

AT_LENGTH = 500
"""Nodes up to which all similarities are started from, where nobody is known."""

SIMILARITIES = ((0, 2.0), (1, 4.0), (2, 4.0), (0, 0.5), (1, 1.0), (1, 16.0), (2, 1.0), (2, 16.0), (0, 8.0))
"""How far around a node its profile looks, and how sharply nodes of unlike profiles are told apart."""

FEW = 3
"""Similarities that are started from where people are known, who show the way, or nodes are many."""

STEPS = 20
"""Steps from each start, at most: enough to see which leads somewhere."""

LONG = 60
"""Steps from a recombined start."""

IMPROVED = 3
"""The starts that are improved, those under which most links fall on links."""

ROUNDS = 12
"""How often a placement is started from again, at most."""

RANDOM = 40
"""Starts at random where nodes are at most ``AT_LENGTH``, so that recombination has something to choose from."""

PARENTS = 15
"""The best placements, of which means are started from again."""

CHILDREN = 12
"""Means that are started from in a generation."""

GENERATIONS = 12
"""How often the best placements are recombined, at most."""

PATIENCE = 2
"""Generations without a better placement after which recombination ends."""

SAME = 0.9
"""Two starts that place this share of the nodes alike have found the same, and no further one is tried."""

SETTLED = 1e-3
"""A step that moves the matrix by less, per node, is the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    r"""Lay the picture over the release so that as many links as possible fall on links.

    Somebody has a network of the same people from elsewhere and nothing else. The permutation sought is

    .. math:: \max_P \operatorname{tr}(A^T P B P^T), \quad A, B \in \{-1, 1\}, 0 \text{ for nodes that one graph lacks},

    a quadratic assignment, solved approximately by Frank and Wolfe's steps over doubly stochastic matrices (FAQ). One
    start is a lottery. The intruder sees how many links fall on links, so that starts are free: the similarities of the
    nodes by degree and by the degrees around them, more and less sharp, the flat matrix, and ``restarts`` similarities
    drawn at random are each followed for some steps. Up to 500 nodes, 40 matrices at random follow, and means of the best
    placements are started from again and again until two generations bring no better one: where placements agree, they
    are right more often than where they differ. Then the best three are started from again, each node as sure of its place as its
    links fall on links, until no more do; the placement with most is kept. Two starts that agree about nine of ten nodes
    end the search. Seeds, if there are any, are held; beyond 500 nodes four starts do.

    It uses square arrays, and is for at most 2,000 nodes; beyond, find a few people by other means and use
    :class:`.propagation.Propagation`. Time O(n m + n³) a step at worst, memory O(n²).

    References
    ----------
    Vogelstein et al. (2015), Fast approximate quadratic programming for graph matching, PLoS ONE 10, e0121002.
    Fishkind et al. (2019), Seeded graph matching, Pattern Recognition 87, 203–215.
    """

    restarts: int = 3

    def __post_init__(self) -> None:
        check_int("restarts", self.restarts, least=0)

    def applies(self, released: Graph, knowledge: Knowledge) -> str | None:
        """None when the attack can be made, else why not."""
        size = max(released.size, knowledge.graph.size)
        if size > LARGEST:
            too_many = (
                f"{size:,} nodes are too many to lay over each other (at most {LARGEST:,}); find seeds and propagate"
            )
            return ProgramLimit(too_many)
        return why_not_comparable(released, knowledge)

    def claims(
        self,
        released: Graph,
        knowledge: Knowledge,
        *,
        seed: Seed | None = None,
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released node each target is laid on."""
        check_applicable(self, released, knowledge)
        hidden, order = shuffle_release(released, seed)
        matching = GraphMatching(knowledge.graph, hidden, _known_pairs(knowledge.seeds, order))
        tried: list[tuple[float, np.ndarray]] = []
        rng = make_generator(seed_or_default(seed))
        for start in self._start_matrices(matching, rng):
            report_progress(
                progress, "laying one graph over the other", len(tried) / (len(SIMILARITIES) + self.restarts + 4)
            )
            placed = matching.find_placement(start, steps=STEPS)
            tried.append((matching.score(placed), placed))
            if _is_settled(matching, tried):
                break
        else:
            if matching.size <= AT_LENGTH:
                _recombine_placements(matching, tried, rng, progress)
        tried.sort(key=lambda one: -one[0])
        improved = [_improve_placement(matching, *one) for one in tried[:IMPROVED]]
        placed = max(improved, key=lambda one: one[0])[1]
        nodes = placed[knowledge.looked_for()]
        real = nodes < released.size
        return LinkClaims(
            claim_of=np.arange(len(nodes)),
            start=np.append(0, np.cumsum(real)),
            candidates=order[nodes[real]],
            group_of=np.arange(released.size),
            facts={"starts": len(tried), "links on links": _link_agreement(matching, placed)},
        )

    def _start_matrices(self, matching: GraphMatching, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Doubly stochastic matrices to start from, the likeliest to lead somewhere first."""
        alone = matching.size <= AT_LENGTH and not len(matching.held)
        pairs = SIMILARITIES if alone else SIMILARITIES[:FEW]
        flat = np.full((matching.size, matching.size), 1.0 / matching.size)
        apart = [_node_distances(matching, reach) for reach in range(3)]
        for reach, sharpness in pairs:
            yield _similarity_matrix(matching, sharpness * apart[reach])
        yield flat
        for _ in range(self.restarts if alone else 0):
            weights = rng.dirichlet(np.ones(3)) * np.exp(rng.uniform(np.log(0.5), np.log(16.0)))
            yield _similarity_matrix(matching, sum(weight * one for weight, one in zip(weights, apart, strict=True)))
        for _ in range(RANDOM if matching.size <= AT_LENGTH else 0):
            yield 0.6 * flat + 0.4 * balance_matrix(rng.random(flat.shape) ** 3 + 1e-3)


def _node_distances(matching: GraphMatching, reach: int) -> np.ndarray:
    """Squared distances between the nodes of both graphs: of the roots of their degrees, or of profiles over their median.

    The root of a count varies by about a half whatever the count: what random changes of edges do to it is the same for
    all nodes.
    """
    from scipy.spatial.distance import cdist

    if reach == 0:
        mine, theirs = (np.sqrt(degree_rows(graph)) for graph in (matching.one, matching.other))
        return np.asarray(cdist(mine, theirs, metric="sqeuclidean"))
    mine, theirs = (degree_profiles(graph, reach=reach) for graph in (matching.one, matching.other))
    scale = np.sqrt(np.where(theirs.var(axis=0) > 0, theirs.var(axis=0), 1.0))
    apart = np.asarray(cdist(mine / scale, theirs / scale, metric="sqeuclidean"))
    usual = float(np.median(apart))
    return apart / (usual if usual > 0 else max(float(apart.mean()), 1.0))


def _similarity_matrix(matching: GraphMatching, apart: np.ndarray) -> np.ndarray:
    """A doubly stochastic matrix, the larger the less two nodes are apart; nodes that one graph lacks are like all."""
    found = np.full((matching.size, matching.size), float(np.exp(-apart).mean()))
    found[: matching.one.size, : matching.other.size] = np.exp(-apart)
    return balance_matrix(found + 1e-12)


def _is_settled(matching: GraphMatching, tried: list[tuple[float, np.ndarray]]) -> bool:
    """Whether all links fall on links, or the last start found what the best of the others did."""
    last = tried[-1][1]
    if _link_agreement(matching, last) == 1.0 and matching.one.links == matching.other.links:
        return True
    others = tried[:-1]
    return bool(others) and float((max(others, key=lambda one: one[0])[1] == last).mean()) >= SAME


def _recombine_placements(
    matching: GraphMatching, tried: list[tuple[float, np.ndarray]], rng: np.random.Generator, progress: Progress | None
) -> None:
    """Start again from means of good placements: where several agree, they are right more often than where they differ."""
    rows, without_gain = np.arange(matching.size), 0
    for generation in range(GENERATIONS):
        report_progress(progress, "recombining the best placements", generation / GENERATIONS)
        tried.sort(key=lambda one: -one[0])
        parents, best = tried[:PARENTS], tried[0][0]
        for _ in range(CHILDREN):
            chosen = rng.choice(len(parents), (len(parents) + 1) // 2, replace=False)
            start = np.full((matching.size, matching.size), 0.4 / matching.size)
            for i in chosen:
                start[rows, parents[i][1]] += 0.6 / len(chosen)
            placed = matching.find_placement(start, steps=LONG)
            tried.append((matching.score(placed), placed))
        without_gain = 0 if max(score for score, _ in tried) > best else without_gain + 1
        if without_gain == PATIENCE:
            return


def _improve_placement(matching: GraphMatching, score: float, placed: np.ndarray) -> tuple[float, np.ndarray]:
    """Start again from a placement, each node as sure of its place as its links fall on links, while it gets better."""
    links = [np.maximum(graph.degrees(), 1) for graph in (matching.one, matching.other)]
    for _ in range(ROUNDS):
        start = np.full((matching.size, matching.size), 0.5 / matching.size)
        agreeing = matching.agreement(placed)
        mine = np.flatnonzero((agreeing >= 2) & (placed[: matching.one.size] < matching.other.size))
        start[mine, placed[mine]] += agreeing[mine] / np.sqrt(links[0][mine] * links[1][placed[mine]])
        again = matching.find_placement(balance_matrix(start), steps=STEPS)
        better = matching.score(again)
        if better <= score:
            break
        score, placed = better, again
    return score, placed


def _known_pairs(seeds: np.ndarray | None, order: np.ndarray) -> np.ndarray:
    if seeds is None or not len(seeds):
        return np.empty((0, 2), dtype=np.int64)
    place = np.argsort(order)
    return np.column_stack([seeds[:, 0], place[seeds[:, 1]]])


def _link_agreement(matching: GraphMatching, placed: np.ndarray) -> float:
    """The share of the picture's links that lie on links of the release."""
    return float(matching.agreement(placed).sum() / 2 / matching.one.links) if matching.one.links else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class GraphMatching:
    r"""Two graphs that are laid over each other, and the pairs ``held`` (node of one, node of the other) that are known.

    .. math:: f(P) = \operatorname{tr}(A P B^T P^T), \quad A, B \in \{-1, 1\}, 0 \text{ for nodes that one graph lacks}.

    With as many nodes on both sides the entries −1 add a constant, and 0 is put in their place. Every product is one of
    a sparse and a dense matrix: O(n m + n²) a step, and the assignment, O(n³) at worst.
    """

    one: Graph
    other: Graph
    held: np.ndarray
    _sparse: tuple[csr_array, csr_array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "_sparse", (_padded_adjacency(self.one, self.size), _padded_adjacency(self.other, self.size))
        )

    @property
    def size(self) -> int:
        """The nodes of the larger graph."""
        return max(self.one.size, self.other.size)

    def gradient(self, matrix: np.ndarray) -> np.ndarray:
        """The direction in which f grows, up to the factor 2 of undirected graphs."""
        first, second = self._sparse
        found: np.ndarray = self._triple_product(first, matrix, second)
        if not self.one.directed:
            return found
        found += self._triple_product(first.T.tocsr(), matrix, second.T.tocsr())
        return found

    def score(self, placed: np.ndarray) -> float:
        """What a placement reaches, f(P)."""
        return float(self.gradient(self.permutation(placed))[np.arange(self.size), placed].sum())

    def permutation(self, placed: np.ndarray) -> np.ndarray:
        """The matrix of a placement."""
        matrix = np.zeros((self.size, self.size))
        matrix[np.arange(self.size), placed] = 1.0
        return matrix

    def find_placement(self, start: np.ndarray, *, steps: int) -> np.ndarray:
        """The placement that ``steps`` of Frank and Wolfe lead to from a doubly stochastic matrix."""
        matrix = self._fix_known_pairs(start)
        slope = self.gradient(matrix)
        for _ in range(steps):
            corner = self.permutation(self._assign_free_nodes(slope))
            corner_slope = self.gradient(corner)
            away, away_slope = matrix - corner, slope - corner_slope
            share = _longest_gain(float((away * away_slope).sum()), 2.0 * float((corner * away_slope).sum()))
            if share == 1.0:
                break
            matrix = corner + share * away
            slope = corner_slope + share * away_slope
            if (1.0 - share) * float(np.square(away).sum()) ** 0.5 < SETTLED * self.size**0.5:
                break
        return self._assign_free_nodes(matrix)

    def agreement(self, placed: np.ndarray) -> np.ndarray:
        """For each node of the first graph, how many of its links lie on links."""
        ends = placed[self.one.edges]
        if not self.one.directed:
            ends = np.sort(ends, axis=1)
        base = [self.size, 1]
        hit = self.one.edges[np.isin(ends @ base, self.other.edges @ base)]
        return np.bincount(hit.ravel(), minlength=self.one.size)

    def _fix_known_pairs(self, start: np.ndarray) -> np.ndarray:
        matrix = np.array(start, dtype=np.float64)
        matrix[self.held[:, 0]] = 0.0
        matrix[:, self.held[:, 1]] = 0.0
        if len(self.held):
            matrix = balance_matrix(matrix)
        matrix[self.held[:, 0], self.held[:, 1]] = 1.0
        return matrix

    def _assign_free_nodes(self, gain: np.ndarray) -> np.ndarray:
        """The best assignment of the nodes that are not held."""
        from scipy.optimize import linear_sum_assignment

        mine, theirs = (np.setdiff1d(np.arange(self.size), side) for side in (self.held[:, 0], self.held[:, 1]))
        placed = np.empty(self.size, dtype=np.int64)
        placed[self.held[:, 0]] = self.held[:, 1]
        placed[mine] = theirs[linear_sum_assignment(gain[np.ix_(mine, theirs)], maximize=True)[1]]
        return placed

    def _triple_product(self, first: csr_array, matrix: np.ndarray, second: csr_array) -> np.ndarray:
        """A P Bᵀ."""
        if self.one.size == self.other.size:
            plain: np.ndarray = (second @ (first @ matrix).T).T
            return plain
        left = _signed_product(first, matrix, self.one.size)
        return _signed_product(second, left.T, self.other.size).T


def balance_matrix(matrix: np.ndarray, *, rounds: int = 10) -> np.ndarray:
    """A matrix without negative entries, its rows and columns scaled in turn to add up to 1 (Sinkhorn); empty ones stay.

    >>> balance_matrix(np.array([[1.0, 3.0], [1.0, 1.0]]), rounds=50).round(3).tolist()
    [[0.366, 0.634], [0.634, 0.366]]
    """
    for _ in range(rounds):
        for axis in (1, 0):
            total = matrix.sum(axis=axis, keepdims=True)
            matrix = matrix / np.where(total > 0, total, 1.0)
    return matrix


def _padded_adjacency(graph: Graph, size: int) -> csr_array:
    from scipy.sparse import csr_array

    found = graph.adjacency()
    indptr = np.append(found.indptr, np.full(size - graph.size, found.indptr[-1]))
    return csr_array((found.data.astype(np.float64), found.indices, indptr), shape=(size, size))


def _signed_product(links: csr_array, matrix: np.ndarray, real: int) -> np.ndarray:
    """The product with 1 for a link, −1 for none between two real nodes, 0 beyond and on the diagonal."""
    found: np.ndarray = 2.0 * (links @ matrix)
    found[:real] += matrix[:real] - matrix[:real].sum(axis=0)
    return found


def _longest_gain(square: float, linear: float) -> float:
    """The share in [0, 1] at which square · x² + linear · x is largest."""
    candidates = [0.0, 1.0]
    if square < 0:
        candidates.append(float(np.clip(-linear / (2.0 * square), 0.0, 1.0)))
    return max(candidates, key=lambda x: square * x * x + linear * x)
