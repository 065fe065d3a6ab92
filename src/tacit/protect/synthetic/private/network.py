"""A Bayesian network whose parents are drawn by the exponential mechanism, and its noisy tables (PrivBayes with ρ)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from ....errors import TacitError
from ..discrete.chain import Link
from ..discrete.counted import cells
from ..discrete.fitted import LARGEST
from ..discrete.reconciled import Noisy
from ..discrete.simplex import on_simplex
from ..discrete.structure import Parents, candidates, grown, link_of
from .forest import noise_cost
from .spending import Spending, choice_loss

__all__ = ["SENSITIVITY", "apart", "chosen_network", "measured_links"]

SENSITIVITY = 4
"""Of :func:`apart`, for one record more or fewer (network.md)."""


def apart(table: np.ndarray) -> Fraction:
    r"""How far counts are from independence of the first axis and the others: :math:`\sum |n_{x\pi} - n_x n_\pi / n|`, exactly.

    One record more changes it by less than 4 (see network.md); half of it over n is the total variation distance, the
    score R of PrivBayes. O(cells).

    >>> apart(np.array([[5, 0], [0, 5]])), apart(np.array([[4, 4], [2, 2]]))
    (Fraction(10, 1), Fraction(0, 1))
    """
    flat = table.reshape(len(table), -1)
    records = int(flat.sum())
    if not records:
        return Fraction(0)
    gaps = np.abs(records * flat - flat.sum(axis=1, keepdims=True) * flat.sum(axis=0, keepdims=True))
    return Fraction(int(gaps.sum()), records)


def chosen_network(
    spending: Spending, columns: Sequence[str], rho: Fraction, *, degree: int, sigma: float
) -> tuple[Parents, ...]:
    """The columns one after the other, each drawn together with at most ``degree`` parents; the smallest domain begins.

    A candidate is worth how far the column and its parents are :func:`apart` from independence, less what noise of ``sigma``
    on its table costs. Columns − 1 draws of ρ/(columns − 1) each.

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), PrivBayes: private data release via Bayesian networks, ACM
    Transactions on Database Systems 42 (4).
    """
    counted, sizes = spending.counted, spending.counted.sizes
    largest = max(range(len(sizes)), key=sizes.__getitem__)
    if sizes[largest] > LARGEST:
        raise TacitError(
            f"has {sizes[largest]:,} places", column=columns[largest], fix="declare fewer categories or bins"
        )
    epsilon = choice_loss(rho / max(1, len(sizes) - 1))

    @cache
    def worth(axis: int, given: tuple[int, ...]) -> Fraction:
        return apart(counted.table((axis, *given))) - noise_cost(sigma, cells(sizes, (axis, *given)))

    def next_one(known: set[int], new: set[int]) -> Parents:
        if not known:
            return min(new, key=lambda axis: (sizes[axis], axis)), ()
        listed = list(candidates(known, new, sizes, degree))
        return listed[spending.choice([worth(*one) for one in listed], SENSITIVITY, epsilon, "choice of parents")]

    return tuple(grown(range(len(sizes)), (), next_one))


def measured_links(spending: Spending, found: Sequence[Parents]) -> tuple[tuple[Link, ...], list[Noisy]]:
    """The conditional tables of a network from noisy counts, for all that is left of ρ, and these counts."""
    share = spending.left / len(found)
    measured = [spending.table((*given, axis), share, "tables") for axis, given in found]
    links = [link_of(axis, given, on_simplex(one.table)) for (axis, given), one in zip(found, measured, strict=True)]
    return tuple(links), measured
