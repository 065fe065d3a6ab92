"""Individual ranking: sums of k neighbours in the order of one column, which one record hardly moves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...dp.noise import laplace_scale, with_laplace
from .grid import LEVELS

__all__ = ["group_sizes", "group_sums", "private_quantiles"]


def group_sizes(count: int, k: int) -> np.ndarray:
    """How many records each group has: k, and the last one up to 2k − 1; public, because n and k are.

    >>> group_sizes(10, 3).tolist()
    [3, 3, 4]
    """
    sizes = np.full(count // k, k)
    sizes[-1] += count % k
    return sizes


def group_sums(steps: np.ndarray, k: int) -> np.ndarray:
    r"""The sums of the k lowest steps, of the next k, and so on. O(n log n).

    **Claim.** When one record is replaced, the sums change by at most LEVELS in all (L1), whatever n and k are.
    *Argument*: say the replaced step grows, from a to b. In sorted order every place then holds the same or a higher
    step (the places between the old and the new one each take their upper neighbour's), so all sums change in one
    direction, and together by :math:`b - a \le` LEVELS. Hence the means, over k or more records, change by at most
    range/k together (Sánchez et al. 2016). Checked on whole numbers by a property with adversarial neighbours.

    >>> group_sums(np.array([5, 1, 9, 2, 8]), 2).tolist()
    [3, 22]
    """
    ordered = np.sort(steps)
    found: np.ndarray = np.add.reduceat(ordered, np.arange(len(steps) // k) * k)
    return found


def private_quantiles(steps: np.ndarray, k: int, loss: Fraction) -> np.ndarray:
    r"""A noisy mean of each group, on the grid, in order: :math:`\varepsilon`-differentially private when one is replaced.

    Discrete Laplace noise of scale LEVELS/ε on the sums, that is range/(kε) on the means; then, as post-processing,
    the nearest increasing sequence (isotonic regression), because the means of groups in order increase.
    """
    from scipy.optimize import isotonic_regression

    sizes = group_sizes(len(steps), k)
    noisy = with_laplace(group_sums(steps, k).tolist(), laplace_scale(LEVELS, loss))
    ordered = isotonic_regression(np.array(noisy, dtype=float) / sizes, weights=sizes).x
    found: np.ndarray = np.clip(ordered, 0, LEVELS)
    return found
