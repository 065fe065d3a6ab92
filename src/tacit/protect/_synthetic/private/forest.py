"""Which pairs of columns are worth a noisy table: a forest, drawn edge by edge by the exponential mechanism."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from ..discrete.coded_records import CodedRecords, count_cells
from ..discrete.max_entropy import LARGEST
from .spending import Spending, choice_loss

Pair = tuple[int, int]


def noise_cost(sigma: float, count: int) -> int:
    r"""What noise adds to the L1 error of so many cells, :math:`\sqrt{2/\pi}\,\sigma` each, in whole records."""
    return math.ceil(math.sqrt(2 / math.pi) * sigma * count)


def pair_misfit(counted: CodedRecords, pair: Pair, shares: Sequence[np.ndarray], records: float) -> int:
    r"""How many records stand elsewhere than two independent columns would have them: :math:`\sum |n_{xy} - [N p_x p_y]|`.

    N and p come from noisy counts and are given; the expected counts are rounded to whole numbers, so that one record more
    changes the sum by exactly 1 (see forest.md). O(n + cells).
    """
    left, right = pair
    expected = np.rint(records * np.outer(shares[left], shares[right])).astype(np.int64)
    return int(np.abs(counted.table(pair) - expected).sum())


def chosen_forest(
    spending: Spending, shares: Sequence[np.ndarray], records: float, rho: Fraction, *, sigma: float
) -> tuple[Pair, ...]:
    """Pairs that join columns without a ring, each drawn by how much it is :func:`pair_misfit` less what its noise would cost.

    One of the candidates is to stop; it scores 0. At most columns − 1 draws, each of ρ/(columns − 1); what is not drawn is
    not spent.

    References
    ----------
    McKenna, Miklau and Sheldon (2021), Winning the NIST contest: a scalable and general approach to differentially private
    synthetic data, J. Privacy and Confidentiality 11 (3) (the tree). McKenna, Mullins, Sheldon and Miklau (2022), AIM: an
    adaptive and iterative mechanism for differentially private synthetic data, VLDB 15, 2599–2612 (noise taken off).
    """
    counted, sizes = spending.counted, spending.counted.sizes
    part = list(range(len(sizes)))
    pairs = [pair for pair in combinations(range(len(sizes)), 2) if count_cells(sizes, pair) <= LARGEST]
    worth = {
        pair: pair_misfit(counted, pair, shares, records) - noise_cost(sigma, count_cells(sizes, pair))
        for pair in pairs
    }
    epsilon = choice_loss(rho / max(1, len(sizes) - 1))
    found: list[Pair] = []
    while True:
        open_pairs = [pair for pair in pairs if part[pair[0]] != part[pair[1]]]
        if not open_pairs:
            break
        place = spending.choose_candidate([*(worth[pair] for pair in open_pairs), 0], 1, epsilon, "choice of pairs")
        if place == len(open_pairs):
            break
        left, right = open_pairs[place]
        part = [part[left] if one == part[right] else one for one in part]
        found.append((left, right))
    return tuple(found)
