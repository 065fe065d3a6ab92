"""Positive semidefinite matrices as a cone of parameters: who is outside, and how far one may go inside."""

from __future__ import annotations

import numpy as np

FLAT = 1e-12
"""An eigenvalue below this share of the largest is zero."""


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
    below = vectors[:, values < -FLAT * np.abs(values).max(initial=0.0)].T
    u, v = np.triu_indices(len(values))
    rows: np.ndarray = below[:, u] * below[:, v]
    return rows


def definite_span(parameters: np.ndarray, direction: np.ndarray) -> tuple[float, float]:
    """For which t the matrix of ``parameters + t · direction`` is positive semidefinite, where that of ``parameters`` is."""
    matrix, along = matrix_of(parameters), matrix_of(direction)
    return -_reach(matrix, -along), _reach(matrix, along)


def _reach(matrix: np.ndarray, along: np.ndarray) -> float:
    r"""The largest t ≥ 0 with W + tD ⪰ 0.

    Where W is regular, −1 over the lowest eigenvalue of :math:`W^{-1/2} D W^{-1/2}`. On its null space D must be ⪰ 0
    (else t = 0), and must vanish wherever it is zero there. What is left is the Schur complement of D's positive part
    there, which is linear in t again.
    """
    values, vectors = np.linalg.eigh(matrix)
    flat = values <= FLAT * values.max(initial=0.0)
    size = np.abs(along).max(initial=0.0)
    null, rest = vectors[:, flat], vectors[:, ~flat] / np.sqrt(values[~flat])
    if flat.any():
        bent, turn = np.linalg.eigh(null.T @ along @ null)
        null, level = null @ turn, np.abs(bent) <= FLAT * size
        if (bent < -FLAT * size).any() or (np.abs(along @ null[:, level]) > np.sqrt(FLAT) * size).any():
            return 0.0
        null, bent = null[:, ~level], bent[~level]
        across = rest.T @ along @ null
        inner = rest.T @ along @ rest - (across / bent) @ across.T
    else:
        inner = rest.T @ along @ rest
    lowest = float(np.linalg.eigvalsh(inner).min(initial=0.0))
    return -1.0 / lowest if lowest < 0 else np.inf
