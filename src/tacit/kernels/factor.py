"""A thin QR factorisation that grows and shrinks by a column; columns are kept as rows of ``basis``."""

from __future__ import annotations

import numpy as np
from numba import njit

DEPENDENT = 1e-11
"""A column with so little of its own depends on the others."""


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def inner_product(a, b):
    """The inner product: a plain loop, because BLAS is slow on short rows, in whatever order is fast."""
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@njit(cache=True, nogil=True)
def append_column(basis, triangle, size, column):
    """Add a column by Gram-Schmidt, twice for orthogonality; False when it depends on the others. O(rows · size)."""
    rest = column.copy()
    triangle[:size, size] = 0.0
    for _ in range(2):
        for k in range(size):
            part = inner_product(basis[k], rest)
            triangle[k, size] += part
            for j in range(len(rest)):
                rest[j] -= part * basis[k, j]
    length = np.sqrt(inner_product(rest, rest))
    if length < DEPENDENT:
        return False
    triangle[size, size] = length
    basis[size] = rest / length
    return True


@njit(cache=True, nogil=True)
def remove_column(basis, triangle, size, at):
    """Take a column out by Givens rotations. O(size² + rows · size)."""
    for c in range(at, size - 1):
        triangle[: c + 2, c] = triangle[: c + 2, c + 1]
        a, b = triangle[c, c], triangle[c + 1, c]
        length = np.hypot(a, b)
        cosine, sine = a / length, b / length
        triangle[c, c], triangle[c + 1, c] = length, 0.0
        # the columns on the right have not moved to the left yet
        _rotate_rows(triangle, c, c + 2, size, cosine, sine)
        _rotate_rows(basis, c, 0, basis.shape[1], cosine, sine)


@njit(cache=True, nogil=True)
def _rotate_rows(matrix, row, first, last, cosine, sine):
    """Rotate a row and the next one between two columns."""
    for j in range(first, last):
        upper, lower = matrix[row, j], matrix[row + 1, j]
        matrix[row, j] = cosine * upper + sine * lower
        matrix[row + 1, j] = cosine * lower - sine * upper


@njit(cache=True, nogil=True)
def solve_weights(basis, triangle, size, out):
    """The weights whose combination of the columns comes nearest to (0, …, 0, 1). O(size²)."""
    last = basis.shape[1] - 1
    for k in range(size - 1, -1, -1):
        value = basis[k, last]
        for j in range(k + 1, size):
            value -= triangle[k, j] * out[j]
        out[k] = value / triangle[k, k]
