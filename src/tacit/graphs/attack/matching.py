"""Graph matching: the placement of one graph on another under which most links fall on links.

The problem is a quadratic assignment. Frank and Wolfe's steps over doubly stochastic matrices (the "fast approximate
quadratic" algorithm) solve it approximately; what they end in depends on the matrix they start from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ..graph import Graph


SETTLED = 1e-3
"""A step that moves the matrix by less, per node, is the last."""


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
        object.__setattr__(self, "_sparse", (_padded(self.one, self.size), _padded(self.other, self.size)))

    @property
    def size(self) -> int:
        """The nodes of the larger graph."""
        return max(self.one.size, self.other.size)

    def gradient(self, matrix: np.ndarray) -> np.ndarray:
        """The direction in which f grows, up to the factor 2 of undirected graphs."""
        first, second = self._sparse
        found: np.ndarray = self._product(first, matrix, second)
        if not self.one.directed:
            return found
        found += self._product(first.T.tocsr(), matrix, second.T.tocsr())
        return found

    def score(self, placed: np.ndarray) -> float:
        """What a placement reaches, f(P)."""
        return float(self.gradient(self.permutation(placed))[np.arange(self.size), placed].sum())

    def permutation(self, placed: np.ndarray) -> np.ndarray:
        """The matrix of a placement."""
        matrix = np.zeros((self.size, self.size))
        matrix[np.arange(self.size), placed] = 1.0
        return matrix

    def place(self, start: np.ndarray, *, steps: int) -> np.ndarray:
        """The placement that ``steps`` of Frank and Wolfe lead to from a doubly stochastic matrix."""
        matrix = self._hold(start)
        slope = self.gradient(matrix)
        for _ in range(steps):
            corner = self.permutation(self._assign(slope))
            corner_slope = self.gradient(corner)
            away, away_slope = matrix - corner, slope - corner_slope
            share = _longest_gain(float((away * away_slope).sum()), 2.0 * float((corner * away_slope).sum()))
            if share == 1.0:
                break
            matrix = corner + share * away
            slope = corner_slope + share * away_slope
            if (1.0 - share) * float(np.square(away).sum()) ** 0.5 < SETTLED * self.size**0.5:
                break
        return self._assign(matrix)

    def agreement(self, placed: np.ndarray) -> np.ndarray:
        """For each node of the first graph, how many of its links lie on links."""
        ends = placed[self.one.edges]
        if not self.one.directed:
            ends = np.sort(ends, axis=1)
        base = [self.size, 1]
        hit = self.one.edges[np.isin(ends @ base, self.other.edges @ base)]
        return np.bincount(hit.ravel(), minlength=self.one.size)

    def _hold(self, start: np.ndarray) -> np.ndarray:
        matrix = np.array(start, dtype=np.float64)
        matrix[self.held[:, 0]] = 0.0
        matrix[:, self.held[:, 1]] = 0.0
        if len(self.held):
            matrix = balance_matrix(matrix)
        matrix[self.held[:, 0], self.held[:, 1]] = 1.0
        return matrix

    def _assign(self, gain: np.ndarray) -> np.ndarray:
        """The best assignment of the nodes that are not held."""
        from scipy.optimize import linear_sum_assignment

        mine, theirs = (np.setdiff1d(np.arange(self.size), side) for side in (self.held[:, 0], self.held[:, 1]))
        placed = np.empty(self.size, dtype=np.int64)
        placed[self.held[:, 0]] = self.held[:, 1]
        placed[mine] = theirs[linear_sum_assignment(gain[np.ix_(mine, theirs)], maximize=True)[1]]
        return placed

    def _product(self, first: csr_array, matrix: np.ndarray, second: csr_array) -> np.ndarray:
        """A P Bᵀ."""
        if self.one.size == self.other.size:
            plain: np.ndarray = (second @ (first @ matrix).T).T
            return plain
        left = _signed(first, matrix, self.one.size)
        return _signed(second, left.T, self.other.size).T


def balance_matrix(matrix: np.ndarray, *, rounds: int = 10) -> np.ndarray:
    """A matrix without negative entries, its rows and columns scaled in turn to add up to 1 (Sinkhorn); empty ones stay."""
    for _ in range(rounds):
        for axis in (1, 0):
            total = matrix.sum(axis=axis, keepdims=True)
            matrix = matrix / np.where(total > 0, total, 1.0)
    return matrix


def _padded(graph: Graph, size: int) -> csr_array:
    from scipy.sparse import csr_array

    found = graph.adjacency()
    indptr = np.append(found.indptr, np.full(size - graph.size, found.indptr[-1]))
    return csr_array((found.data.astype(np.float64), found.indices, indptr), shape=(size, size))


def _signed(links: csr_array, matrix: np.ndarray, real: int) -> np.ndarray:
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
