"""The form that the differences of linked pairs give by themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....kernels.forms import BILINEAR, form_of, sides_of
from ..pairs import Pairs, column_differences
from ..rows import TIE, Cone
from .family import column_shares, pair_shares

MOST = 100
"""So many rows at once: more would slow down who asked for them."""

NONE = np.empty(0, dtype=np.int64)

DEFINITE_FLAT = 1e-12
"""An eigenvalue below this share of the largest is zero."""


@dataclass(frozen=True, slots=True)
class Bilinear:
    r"""The symmetric bilinear form :math:`d = \delta^T W \delta` of the signed differences, W any symmetric matrix.

    The parameters are the upper triangle of W row by row, the ones off the diagonal doubled: d is the sum of
    :math:`p_{uv} \delta_u \delta_v` over u ≤ v. Squared differences would lose what makes Mahalanobis strong: that two
    differences of opposite sign contradict each other. A difference of codes has no sign and counts as its root.
    d may be negative, and need not grow with the differences: only its order counts. n(n+1)/2 parameters; O(n²) time
    for a pair.

    >>> Bilinear().terms(np.array([[1.0, -2.0]])).tolist()
    [[1.0, -2.0, 4.0]]

    References
    ----------
    Abril, Torra and Navarro-Arribas (2015), Supervised learning using a symmetric bilinear form for record linkage,
    Information Fusion 26, 144–153.
    """

    name: ClassVar[str] = "bilinear"
    signed: ClassVar[bool] = True
    code: ClassVar[int] = BILINEAR
    separable: ClassVar[bool] = False

    def too_large(self, columns: int) -> str | None:  # noqa: ARG002 - never
        """None: it takes any number of columns."""
        return None

    def sets(self, columns: int) -> np.ndarray:  # noqa: ARG002 - terms are products
        """None."""
        return np.empty(0, dtype=np.int64)

    def size(self, columns: int) -> int:
        """One for each pair of columns, and one for each column."""
        return columns * (columns + 1) // 2

    def terms(self, differences: np.ndarray) -> np.ndarray:
        """The products of the differences, two by two."""
        u, v = np.triu_indices(differences.shape[-1])
        products: np.ndarray = differences[..., u] * differences[..., v]
        return products

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:  # noqa: ARG002 - bound by no pair
        """Everything."""
        return Cone(self.size(columns))

    def closed_form(self, pairs: Pairs, who: np.ndarray) -> np.ndarray | None:  # noqa: ARG002 - to be learned
        """None: the matrix is learned."""
        return None

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """The diagonal matrix of the weights."""
        diagonal: np.ndarray = np.diag(weights)[np.triu_indices(len(weights))]
        return diagonal

    def describe_parameters(self, parameters: np.ndarray, columns: tuple[str, ...]) -> dict[str, object]:
        """The share of each column on the diagonal, and the pairs with the largest entries beside the diagonal's sum.

        >>> Bilinear().describe_parameters(np.array([3.0, -2.0, 1.0]), ("income", "tax"))
        {'share': {'income': 0.75, 'tax': 0.25}, 'together': {'income × tax': -0.5}}
        """
        matrix = matrix_of(parameters)
        diagonal = np.diag(matrix)
        return column_shares(diagonal, columns) | pair_shares(2 * matrix, columns, float(np.abs(diagonal).sum()))


@dataclass(frozen=True, slots=True)
class Nonnegative(Bilinear):
    """The bilinear form that is at least zero on every pair of a seeker and a place."""

    name: ClassVar[str] = "nonnegative"

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:
        """At least zero on all pairs (everything without any); each question costs O(seekers · places · columns²) time."""
        if pairs is None:
            return Cone(self.size(columns))
        return Cone(
            self.size(columns),
            beyond=beyond_pairs(pairs),
            inside=self.of_weights(np.ones(columns)),
        )


@dataclass(frozen=True, slots=True)
class Definite(Bilinear):
    """The bilinear form of a positive semidefinite matrix, the square of a Euclidean distance after a linear map."""

    name: ClassVar[str] = "definite"

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:  # noqa: ARG002 - bound by no pair
        """The closed cone of the positive semidefinite matrices; each question costs O(columns³) time."""
        return Cone(
            self.size(columns), beyond=beyond_definite, span=definite_span, inside=self.of_weights(np.ones(columns))
        )


def beyond_pairs(pairs: Pairs) -> Callable[[np.ndarray], np.ndarray]:
    """A function that gives the terms of the pairs with the lowest distances below zero, at most one for each seeker."""
    sides, form = sides_of(pairs.seekers, pairs.places, pairs.costs, squared=False), form_of(BILINEAR, NONE)

    def beyond(parameters: np.ndarray) -> np.ndarray:
        from ....kernels.every_pair import lowest_ratios

        where, ratio = lowest_ratios(sides, form, parameters)
        who = np.flatnonzero(ratio < -TIE * np.abs(parameters).sum())
        who = who[np.argsort(ratio[who], kind="stable")[:MOST]]
        apart = column_differences(pairs, who, where[who], signed=True)
        u, v = np.triu_indices(pairs.columns)
        terms: np.ndarray = apart[:, u] * apart[:, v]
        return terms

    return beyond


FLAT = 1e-10
"""A direction with less than this share of the largest variance is taken to have that share."""


@dataclass(frozen=True, slots=True)
class Mahalanobis(Definite):
    r"""The distance of Mahalanobis :math:`\delta^T \Sigma^{-1} \delta`, learned without any search.

    :math:`\Sigma` is the covariance of the signed differences between people and their own records: what the masking
    changed little counts much. A direction in which nothing was changed at all would have an infinite weight, and has
    10\ :sup:`10` times that of the direction that was changed most. O(pairs · columns²) time.

    References
    ----------
    Mahalanobis (1936), On the generalised distance in statistics, Proc. National Institute of Sciences of India 2, 49–55.
    """

    name: ClassVar[str] = "mahalanobis"

    def closed_form(self, pairs: Pairs, who: np.ndarray) -> np.ndarray | None:
        """The inverse of the covariance; the identity where there is nothing to learn from."""
        apart = column_differences(pairs, who, pairs.own[who], signed=True)
        centred = apart - apart.mean(axis=0) if len(who) else apart
        values, vectors = np.linalg.eigh(centred.T @ centred)
        if values.max(initial=0.0) <= 0:
            return parameters_of(np.eye(pairs.columns))
        inverse = (vectors * (len(who) / np.maximum(values, FLAT * values.max()))) @ vectors.T
        return parameters_of((inverse + inverse.T) / 2)


def matrix_of(parameters: np.ndarray) -> np.ndarray:
    """The symmetric matrix of the parameters: the upper triangle row by row, doubled off the diagonal.

    >>> matrix_of(np.array([1.0, 4.0, 3.0])).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    n = round((np.sqrt(8 * len(parameters) + 1) - 1) / 2)
    half = np.zeros((n, n))
    half[np.triu_indices(n)] = parameters
    matrix: np.ndarray = (half + half.T) / 2
    return matrix


def parameters_of(matrix: np.ndarray) -> np.ndarray:
    """The parameters of a symmetric matrix.

    >>> parameters_of(np.array([[1.0, 2.0], [2.0, 3.0]])).tolist()
    [1.0, 4.0, 3.0]
    """
    u, v = np.triu_indices(len(matrix))
    parameters: np.ndarray = matrix[u, v] * np.where(u == v, 1.0, 2.0)
    return parameters


def beyond_definite(parameters: np.ndarray) -> np.ndarray:
    """One row for each negative eigenvalue: the products of its eigenvector's entries, on which the form is negative."""
    values, vectors = np.linalg.eigh(matrix_of(parameters))
    below = vectors[:, values < -DEFINITE_FLAT * np.abs(values).max(initial=0.0)].T
    u, v = np.triu_indices(len(values))
    rows: np.ndarray = below[:, u] * below[:, v]
    return rows


def definite_span(parameters: np.ndarray, direction: np.ndarray) -> tuple[float, float]:
    """For which t the matrix of ``parameters + t · direction`` is positive semidefinite, where that of ``parameters`` is."""
    matrix, along = matrix_of(parameters), matrix_of(direction)
    return -_semidefinite_reach(matrix, -along), _semidefinite_reach(matrix, along)


def _semidefinite_reach(matrix: np.ndarray, along: np.ndarray) -> float:
    r"""The largest t ≥ 0 with W + tD ⪰ 0.

    Where W is regular, −1 over the lowest eigenvalue of :math:`W^{-1/2} D W^{-1/2}`. On its null space D must be ⪰ 0
    (else t = 0), and must vanish wherever it is zero there. What is left is the Schur complement of D's positive part
    there, which is linear in t again.
    """
    values, vectors = np.linalg.eigh(matrix)
    flat = values <= DEFINITE_FLAT * values.max(initial=0.0)
    size = np.abs(along).max(initial=0.0)
    null, rest = vectors[:, flat], vectors[:, ~flat] / np.sqrt(values[~flat])
    if flat.any():
        bent, turn = np.linalg.eigh(null.T @ along @ null)
        null, level = null @ turn, np.abs(bent) <= DEFINITE_FLAT * size
        if (bent < -DEFINITE_FLAT * size).any() or (
            np.abs(along @ null[:, level]) > np.sqrt(DEFINITE_FLAT) * size
        ).any():
            return 0.0
        null, bent = null[:, ~level], bent[~level]
        across = rest.T @ along @ null
        inner = rest.T @ along @ rest - (across / bent) @ across.T
    else:
        inner = rest.T @ along @ rest
    lowest = float(np.linalg.eigvalsh(inner).min(initial=0.0))
    return -1.0 / lowest if lowest < 0 else np.inf
