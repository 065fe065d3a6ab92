"""Groups of one column: the partition of least loss."""

from __future__ import annotations

import numpy as np
from numba import njit


def univariate_groups(values: np.ndarray, k: int) -> np.ndarray:
    r"""The group of each value, of k to 2k−1 values each, with the least sum of squares within groups that there is.

    In an optimum no group reaches into another and none needs 2k values or more, so that the best partition of the
    first j sorted values is one of the first i with one group more,

    .. math:: L_j = \min_{k \le j - i < 2k} L_i + \sum_{i < t \le j} (x_t - \bar x_{i:j})^2.

    The squares of a group are updated value by value, never as a difference of large sums. Groups are numbered by
    their values. O(n log n) time to sort and O(nk) for the rest, O(n) memory. Needs n ≥ k ≥ 1.

    >>> univariate_groups(np.array([1.0, 9.0, 2.0, 8.0, 1.5, 9.5]), 3).tolist()
    [0, 1, 0, 1, 0, 1]

    References
    ----------
    Hansen and Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation, IEEE Transactions on
    Knowledge and Data Engineering 15(4), 1043–1044.
    """
    order = np.argsort(values, kind="stable")
    group = np.empty(order.size, dtype=np.int64)
    group[order] = _optimal_partition(np.ascontiguousarray(values[order], dtype=np.float64), k)
    return group


@njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
def _optimal_partition(sorted_values, k):
    n = sorted_values.size
    loss, start = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    share = 1.0 / np.arange(2 * k)
    loss[0] = 0.0
    for end in range(k, n + 1):
        mean = squares = 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            i = end - size
            apart = sorted_values[i] - mean
            mean += apart * share[size]
            squares += apart * (sorted_values[i] - mean)
            if size >= k and loss[i] + squares < loss[end]:
                loss[end], start[end] = loss[i] + squares, i
    number, end = 0, n
    while end > 0:
        number += 1
        end = start[end]
    group = np.empty(n, np.int64)
    end = n
    while end > 0:
        number -= 1
        group[start[end] : end] = number
        end = start[end]
    return group
