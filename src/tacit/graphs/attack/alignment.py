"""The intruder has another network of the same people, and knows nobody to begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...claims.claims import LinkClaims
from ...errors import whole
from ...progress import report
from ...seed import generator
from .attack import blind, checked, unlike

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph
    from ..knowledge import Knowledge

__all__ = ["Alignment"]

LARGEST = 2_000
"""Nodes of a graph that can be laid over another; beyond, the square arrays and n³ steps are too much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    r"""Lay the picture over the release so that as many links as possible fall on links (K-02, C-06).

    Somebody has a network of the same people from elsewhere and nothing else. The permutation sought is

    .. math:: \max_P \operatorname{tr}(A^T P B P^T), \quad A, B \in \{-1, 1\}, 0 \text{ for nodes that one graph lacks},

    a quadratic assignment, solved approximately by Frank and Wolfe's steps over doubly stochastic matrices (FAQ), from
    the flat one, from the order of the eigenvectors (Umeyama), and from ``restarts`` random ones; the best is kept.
    Seeds, if there are any, are held. This is the one attack that uses square arrays, and is for at most 2,000 nodes;
    beyond, find a few people by other means and use :class:`.propagation.Propagation`. Time O(n³) a step, memory O(n²).

    References
    ----------
    Umeyama (1988), An eigendecomposition approach to weighted graph matching problems, IEEE TPAMI 10, 695–703.
    Vogelstein et al. (2015), Fast approximate quadratic programming for graph matching, PLoS ONE 10, e0121002.
    """

    restarts: int = 3

    def __post_init__(self) -> None:
        whole("restarts", self.restarts, least=0)

    def applies(self, released: Graph, knowledge: Knowledge) -> str | None:
        """None when the attack can be made, else why not."""
        size = max(released.size, knowledge.graph.size)
        if size > LARGEST:
            return f"{size:,} nodes are too many to lay over each other (at most {LARGEST:,}); find seeds and propagate"
        return unlike(released, knowledge)

    def claims(
        self,
        released: Graph,
        knowledge: Knowledge,
        *,
        seed: Seed | None = None,
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released node each target is laid on."""
        from scipy.optimize import quadratic_assignment

        checked(self, released, knowledge)
        hidden, order = blind(released, seed)
        size = max(released.size, knowledge.graph.size)
        mine, theirs = _square(knowledge.graph, size), _square(hidden, size)
        held = _held(knowledge.seeds, order)
        rng = generator(0 if seed is None else seed)
        best, placed = -np.inf, np.arange(size)
        starts = [
            *(["barycenter"] if held.size else ["barycenter", _spectral(mine, theirs)]),
            *["randomized"] * self.restarts,
        ]
        for number, one in enumerate(starts):
            report(progress, "laying one graph over the other", number / len(starts))
            options: dict[str, Any] = {"maximize": True, "P0": one, "rng": rng, "partial_match": held, "maxiter": 100}
            found = quadratic_assignment(mine, theirs, method="faq", options=options)
            if found.fun > best:
                best, placed = float(found.fun), found.col_ind
        nodes = placed[knowledge.looked_for()]
        real = nodes < released.size
        return LinkClaims(
            claim_of=np.arange(len(nodes)),
            start=np.append(0, np.cumsum(real)),
            candidates=order[nodes[real]],
            group_of=np.arange(released.size),
            facts={"starts": len(starts), "links on links": _agreeing(knowledge.graph, hidden, placed)},
        )


def _square(graph: Graph, size: int) -> np.ndarray:
    """1 for a link, −1 for none, 0 beyond the graph."""
    found = np.zeros((size, size))
    found[: graph.size, : graph.size] = -1.0
    np.fill_diagonal(found, 0.0)
    tails, heads = graph.edges.T
    found[tails, heads] = 1.0
    if not graph.directed:
        found[heads, tails] = 1.0
    return found


def _held(seeds: np.ndarray | None, order: np.ndarray) -> np.ndarray:
    if seeds is None or not len(seeds):
        return np.empty((0, 2), dtype=np.int64)
    place = np.argsort(order)
    return np.column_stack([seeds[:, 0], place[seeds[:, 1]]])


def _spectral(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Half way between the flat matrix and the assignment by the sizes of eigenvector entries."""
    from scipy.linalg import eigh
    from scipy.optimize import linear_sum_assignment

    first, second = (np.abs(eigh(side + side.T)[1]) for side in (mine, theirs))
    size = len(mine)
    found = np.full((size, size), 0.5 / size)
    found[linear_sum_assignment(first @ second.T, maximize=True)] += 0.5
    return found


def _agreeing(picture: Graph, released: Graph, placed: np.ndarray) -> float:
    """The share of the picture's links that lie on links of the release."""
    ends = placed[picture.edges]
    if not picture.directed:
        ends = np.sort(ends, axis=1)
    base = max(picture.size, released.size)
    return float(np.isin(ends @ [base, 1], released.edges @ [base, 1]).mean()) if len(ends) else 1.0
