"""How columns hang together: rank correlations with noise, and records dealt out by them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from ...dp.noise import laplace_scale, with_laplace
from ..swapping.copula import semidefinite

__all__ = ["concordance", "dealt", "private_correlations"]


def concordance(first: np.ndarray, second: np.ndarray) -> int:
    r"""Kendall's S: pairs of records in the same order in both columns, less those in opposite order; a tie counts 0.

    **Claim.** Replacing one record changes S by at most 2(n − 1). *Argument*: it is in n − 1 pairs, each of which
    counts −1, 0 or 1.

    In the order of the first column (ties by the second) the opposite pairs are inversions of the second; they are
    counted bit by bit of its ranks, from the highest: among records that agree in the higher bits, a 1 before a 0 is an
    inversion. O(n log n) time, O(n) memory.

    >>> concordance(np.array([1, 2, 3, 4]), np.array([1, 3, 2, 4])), concordance(np.array([1, 1]), np.array([1, 2]))
    (4, 0)
    """
    count = len(first)
    ranks = np.unique(second, return_inverse=True)[1][np.lexsort((second, first))]
    opposite, prefix = 0, np.zeros(count, dtype=np.int64)
    for bit in reversed(range(int(ranks.max(initial=0)).bit_length())):
        order = np.argsort(prefix, kind="stable")
        ranks, prefix = ranks[order], prefix[order]
        ones = ranks >> bit & 1
        before = np.cumsum(ones) - ones
        start = np.searchsorted(prefix, prefix)
        opposite += int((before - before[start])[ones == 0].sum())
        prefix = prefix << 1 | ones
    tied = (
        _pairs(first)
        + _pairs(second)
        - _pairs(np.unique(np.column_stack([first, second]), axis=0, return_inverse=True)[1])
    )
    return count * (count - 1) // 2 - tied - 2 * opposite


def _pairs(values: np.ndarray) -> int:
    sizes = np.unique(values, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


def private_correlations(columns: Sequence[np.ndarray], loss: Fraction) -> np.ndarray:
    r"""A correlation matrix for normal scores, from all Kendall rank correlations with noise; ε-differentially private.

    Every S gets discrete Laplace noise of scale 2(n−1)·pairs/ε, that is 4·pairs/(nε) on :math:`\tau = S/\binom n2`;
    :math:`\rho = \sin(\pi\tau/2)`, and the nearest correlation matrix by its positive eigenvalues (post-processing).
    O(pairs · n log n) time.

    References
    ----------
    Li, Xiong and Jiang (2014), Differentially private synthesization of multi-dimensional data using copula functions,
    EDBT, 475–486.
    """
    count, found = len(columns[0]), np.eye(len(columns))
    pairs = list(combinations(range(len(columns)), 2))
    if not pairs or count < 2:
        return found
    scale = laplace_scale(2 * (count - 1) * len(pairs), loss)
    noisy = with_laplace([concordance(columns[one], columns[other]) for one, other in pairs], scale)
    for (one, other), s in zip(pairs, noisy, strict=True):
        tau = np.clip(s / (count * (count - 1) / 2), -1, 1)
        found[one, other] = found[other, one] = np.sin(np.pi / 2 * tau)
    return semidefinite(found, least=1e-9)


def dealt(quantiles: np.ndarray, sizes: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The means of the groups as values of records: the records with the lowest scores get that of the first group, and so on."""
    found = np.empty(len(scores))
    found[np.argsort(scores, kind="stable")] = np.repeat(quantiles, sizes)
    return found
