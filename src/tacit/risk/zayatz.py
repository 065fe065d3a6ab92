"""Population uniques by Zayatz's estimator."""

from __future__ import annotations

import numpy as np

from .class_sizes import ClassSizes

__all__ = ["zayatz"]


def zayatz(found: ClassSizes, population: int) -> float:
    r"""The share of uniques in the population, when its classes have sizes distributed as those of the sample.

    A class of j people shows one of them in a sample of n out of N with the hypergeometric chance

    .. math:: h_j = j \binom{N - j}{n - 1} \Big/ \binom{N}{n}, \qquad
              \Pr(F = 1 \mid f = 1) = \frac{f_1 h_1}{\sum_j f_j h_j}

    and the share of uniques is that chance times :math:`f_1 / n`. The ratios :math:`h_j / h_1 = j \prod_{i=1}^{j-1}
    (1 - \frac{n-1}{N-i})` are multiplied out, because binomial coefficients of millions lose half of their digits.
    O(largest size) time and memory.

    >>> round(zayatz(ClassSizes(np.array([1, 2]), np.array([50, 25])), 200), 4)
    0.3328
    """
    n, alone = found.records, found.of(1)
    if alone == 0:
        return 0.0
    possible = found.sizes <= population - n + 1
    sizes, counts = found.sizes[possible], found.counts[possible]
    left = np.log1p(-(n - 1) / (population - np.arange(1.0, sizes.max())))
    unseen = np.concatenate([[0.0], np.cumsum(left)])[sizes - 1]
    return float(alone / n * alone / (counts * sizes * np.exp(unseen)).sum())
