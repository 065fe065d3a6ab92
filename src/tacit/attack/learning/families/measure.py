"""Set functions over the columns: their Möbius transform, Shapley values and interaction indices.

A measure is a vector over the sets of columns 1 … 2ⁿ−1 as bits (bit v: column v); the empty set has 0.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np


def set_sizes(sets: np.ndarray) -> np.ndarray:
    """How many columns each set has."""
    count: np.ndarray = np.bitwise_count(sets).astype(np.int64)
    return count


def column_subsets(columns: int, most: int | None = None) -> np.ndarray:
    """All sets but the empty one in the order of their bits; those of at most ``most`` columns, smaller ones first.

    >>> column_subsets(2).tolist(), column_subsets(3, 2).tolist()
    ([1, 2, 3], [1, 2, 4, 3, 5, 6])
    """
    if most is None:
        return np.arange(1, 2**columns, dtype=np.int64)
    of_size = [sorted(sum(1 << v for v in one) for one in combinations(range(columns), k)) for k in range(1, most + 1)]
    return np.array([one for same in of_size for one in same], dtype=np.int64)


def expand_to_all_sets(values: np.ndarray, sets: np.ndarray, columns: int) -> np.ndarray:
    """The vector over all sets that has ``values`` at ``sets``, 0 elsewhere."""
    whole = np.zeros(2**columns - 1)
    whole[sets - 1] = values
    return whole


def moebius_of(measure: np.ndarray) -> np.ndarray:
    r"""The Möbius transform :math:`m(T) = \sum_{S \subseteq T} (-1)^{|T \setminus S|} \mu(S)`; O(n·2ⁿ) time.

    >>> moebius_of(np.array([1.0, 2.0, 2.0])).tolist()
    [1.0, 2.0, -1.0]
    """
    return _over_subsets(measure, -1.0)


def measure_of(moebius: np.ndarray) -> np.ndarray:
    r"""The measure :math:`\mu(S) = \sum_{T \subseteq S} m(T)`; O(n·2ⁿ) time.

    >>> measure_of(np.array([1.0, 2.0, -1.0])).tolist()
    [1.0, 2.0, 2.0]
    """
    return _over_subsets(moebius, 1.0)


def _over_subsets(values: np.ndarray, sign: float) -> np.ndarray:
    whole = np.append(0.0, values)
    for bit in range(int(len(whole)).bit_length() - 1):
        halves = whole.reshape(-1, 2, 1 << bit)
        halves[:, 1] += sign * halves[:, 0]
    return whole[1:]


def shapley_values(moebius: np.ndarray, sets: np.ndarray, columns: int) -> np.ndarray:
    r"""What each column adds to the sets before it, on average over all orders: :math:`\sum_{T \ni v} m(T) / |T|`.

    References
    ----------
    Shapley (1953), A value for n-person games, in Contributions to the Theory of Games II, Princeton, 307–317.
    """
    inside = (sets[:, None] >> np.arange(columns)) & 1
    values: np.ndarray = (moebius / set_sizes(sets)) @ inside
    return values


def interaction_indices(moebius: np.ndarray, sets: np.ndarray, columns: int) -> np.ndarray:
    r"""How much more two columns add together than apart, :math:`\sum_{T \supseteq \{u, v\}} m(T) / (|T| - 1)`, as a matrix.

    Below zero they say the same (one can stand for the other), above zero they count only together. The diagonal is 0.

    References
    ----------
    Grabisch (1997), k-order additive discrete fuzzy measures and their representation, Fuzzy Sets and Systems 92, 167–189.
    """
    inside = ((sets[:, None] >> np.arange(columns)) & 1).astype(np.float64)
    size = set_sizes(sets)
    shared = np.where(size > 1, moebius / np.maximum(size - 1, 1), 0.0)
    matrix: np.ndarray = (inside * shared[:, None]).T @ inside
    np.fill_diagonal(matrix, 0.0)
    return matrix
