"""The intruder has another network of the same people, and has found a few of them already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...claims.claims import LinkClaims
from ...errors import TacitError, check_int, format_value
from ...progress import report_progress
from ..graph import Graph
from .attack import check_applicable, why_not_comparable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ...progress import Progress
    from ...seed import Seed
    from ..knowledge import Knowledge


BLOCK = 4_000_000
"""Products that are held at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Propagation:
    r"""Spread a few known links between two networks to all whom they lead to.

    Somebody has a network of the same people from elsewhere (another service, an older release) and knows who some of
    them are, ``knowledge.seeds``. With the mapping μ so far, a node u of the picture and a released node v are alike as

    .. math:: s(u, v) = \frac{|\{u' : u \sim u', v \sim μ(u')\}|}{\sqrt{d_u d_v}},

    in a directed graph links out and links in counted together. u is mapped to the v with the highest score when this
    stands out, its eccentricity :math:`(s_1 - s_2)/σ` over all released nodes being at least ``threshold``, when at
    least ``support`` mapped neighbours say so, and when the same from the other side leads from v back to u. All nodes
    but the seeds are mapped afresh each round, so that early mistakes can be mended, until nothing changes, at most
    ``rounds`` times. A node is linked to one released node or to none: see the facts for how many of the links made are
    right.

    Narayanan and Shmatikov accept one neighbour in common (``support=1``); two keep a seed's neighbour of least degree,
    which one alone always points at, from being taken. Time O(Σ d_u d_v) over mapped pairs a round, in blocks of
    bounded memory; O(n + m) memory.

    References
    ----------
    Narayanan and Shmatikov (2009), De-anonymizing social networks, IEEE Symposium on Security and Privacy, 173–187.
    Yartseva and Grossglauser (2013), On the performance of percolation graph matching, COSN, 119–130.
    """

    threshold: float = 0.5
    support: int = 2
    rounds: int = 50

    def __post_init__(self) -> None:
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int | float) or not self.threshold > 0:
            raise TacitError(
                f"threshold={format_value(self.threshold)} is not above 0",
                code="out_of_range",
                parameter="threshold",
                fix="e.g. threshold=0.5",
            )
        check_int("support", self.support, least=1)
        check_int("rounds", self.rounds, least=1)

    def applies(self, released: Graph, knowledge: Knowledge) -> str | None:
        """None when the attack can be made, else why not."""
        if knowledge.seeds is None or not len(knowledge.seeds):
            return "nobody is known to begin with: there are no seeds"
        seeds = np.asarray(knowledge.seeds)
        inside = seeds.ndim == 2 and seeds.shape[1] == 2 and seeds.min() >= 0
        if not inside or (seeds.max(axis=0) >= (knowledge.graph.size, released.size)).any():
            return "the seeds are not pairs of a node of the picture and one of the release"
        if len(np.unique(seeds[:, 0])) < len(seeds) or len(np.unique(seeds[:, 1])) < len(seeds):
            return "a node stands in two seeds"
        return why_not_comparable(released, knowledge)

    def claims(
        self,
        released: Graph,
        knowledge: Knowledge,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released node each target is mapped to, if any."""
        check_applicable(self, released, knowledge)
        assert knowledge.seeds is not None
        seeds = np.full(knowledge.graph.size, -1, dtype=np.int64)
        seeds[knowledge.seeds[:, 0]] = knowledge.seeds[:, 1]
        image, settled, made = seeds, False, 0
        while not settled and made < self.rounds:
            report_progress(progress, "propagating", made / self.rounds)
            following = self._next_mapping(knowledge.graph, released, image, seeds)
            settled, image, made = bool((following == image).all()), following, made + 1
        mapped = image[knowledge.looked_for()]
        found = mapped >= 0
        return LinkClaims(
            claim_of=np.arange(len(mapped)),
            start=np.append(0, np.cumsum(found)),
            candidates=mapped[found],
            group_of=np.arange(released.size),
            notes=() if settled else (f"the mapping had not settled after {made} rounds",),
            facts={"seeds": len(knowledge.seeds), "rounds": made, "mapped": int(found.sum())},
        )

    def _next_mapping(self, picture: Graph, released: Graph, image: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """The mapping of the next round: the pairs that choose each other."""
        known = np.flatnonzero(image >= 0)
        there, back = _mapping_matrices(known, image[known], picture.size, released.size)
        mine, theirs = seeds < 0, np.ones(released.size, dtype=bool)
        theirs[seeds[~mine]] = False
        first = self._eccentric_matches(
            best_matches(picture, released, there, free=(mine, theirs), support=self.support)
        )
        second = self._eccentric_matches(
            best_matches(released, picture, back, free=(theirs, mine), support=self.support)
        )
        nodes = np.flatnonzero(first >= 0)
        nodes = nodes[second[first[nodes]] == nodes]
        following = seeds.copy()
        following[nodes] = first[nodes]
        return following

    def _eccentric_matches(self, found: BestMatches) -> np.ndarray:
        return np.where(found.eccentricity >= self.threshold, found.node, -1)


def _mapping_matrices(mine: np.ndarray, theirs: np.ndarray, rows: int, columns: int) -> tuple[csr_array, csr_array]:
    """The mapping as a sparse matrix with a one for each pair, and the other way round."""
    from scipy.sparse import csr_array

    there = csr_array((np.ones(len(mine)), (mine, theirs)), shape=(rows, columns))
    return there, there.T.tocsr()


class BestMatches(NamedTuple):
    """The most similar node of each, −1 for none, and by how many standard deviations it stands out."""

    node: np.ndarray
    eccentricity: np.ndarray


def best_matches(
    one: Graph, other: Graph, mapping: csr_array, *, free: tuple[np.ndarray, np.ndarray], support: int
) -> BestMatches:
    """See :class:`.propagation.Propagation`; ``free`` says which nodes of both may be paired.

    The scores of a block of nodes are a product of sparse matrices, neighbours × mapping × neighbours; a node that
    shares fewer than ``support`` mapped neighbours has score 0. The standard deviation is over all free nodes of the
    other graph.
    """
    ways = [one.adjacency().astype(np.float64) @ mapping]
    around = [other.adjacency().T.tocsr().astype(np.float64)]
    if one.directed:
        ways.append(one.adjacency().T.tocsr().astype(np.float64) @ mapping)
        around.append(other.adjacency().astype(np.float64))
    scale = [1.0 / np.sqrt(np.maximum(graph.degrees(), 1)) for graph in (one, other)]
    work = sum(way @ np.diff(side.indptr).astype(float) for way, side in zip(ways, around, strict=True))
    node, eccentricity = np.full(one.size, -1, dtype=np.int64), np.zeros(one.size)
    rows = np.flatnonzero(free[0] & (work > 0))
    for block in np.split(rows, np.flatnonzero(np.diff(np.cumsum(work[rows]) // BLOCK)) + 1):
        if len(block):
            shared = sum((way[block] @ side for way, side in zip(ways, around, strict=True)), start=0)
            node[block], eccentricity[block] = _best_columns(shared, scale[0][block], scale[1], free[1], support)
    return BestMatches(node, eccentricity)


def _best_columns(
    shared: csr_array, mine: np.ndarray, theirs: np.ndarray, free: np.ndarray, support: int
) -> tuple[np.ndarray, np.ndarray]:
    """The best column of each row and its eccentricity (0 where the two best are alike)."""
    owner = np.repeat(np.arange(shared.shape[0]), np.diff(shared.indptr))
    kept = (shared.data >= support) & free[shared.indices]
    owner, column = owner[kept], shared.indices[kept]
    score = shared.data[kept] * (mine[owner] * theirs[column])
    order = np.lexsort((-score, owner))
    owner, column, score = owner[order], column[order], score[order]
    rows, first = np.unique(owner, return_index=True)
    second = np.append(score, 0.0)[np.minimum(first + 1, len(score))]
    second = np.where(np.append(owner, -1)[first + 1] == rows, second, 0.0)
    count = max(int(free.sum()), 1)
    mean = np.bincount(owner, weights=score, minlength=len(mine)) / count
    spread = np.sqrt(np.maximum(np.bincount(owner, weights=score**2, minlength=len(mine)) / count - mean**2, 0.0))
    node, eccentricity = np.full(len(mine), -1, dtype=np.int64), np.zeros(len(mine))
    node[rows] = column[first]
    apart = score[first] - second
    eccentricity[rows] = np.divide(apart, spread[rows], out=np.where(apart > 0, np.inf, 0.0), where=spread[rows] > 0)
    return node, eccentricity
