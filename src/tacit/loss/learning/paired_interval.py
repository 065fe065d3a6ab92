"""How far apart two models are that were asked about the same people."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

NORMAL = NormalDist().inv_cdf(0.975)


def paired_shares(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    r"""95 % interval of the difference of two shares of the same people, by those whom only one of the two has right.

    .. math:: d \pm z \sqrt{\frac{\tilde p_{10} + \tilde p_{01} - d^2}{n + 2}}, \qquad
              d = \tilde p_{10} - \tilde p_{01}, \qquad \tilde p = \frac{\text{count} + 1}{n + 2}

    >>> right = np.array([True] * 9 + [False])
    >>> low, high = paired_shares(right, ~right)
    >>> round(low, 3), round(high, 3)
    (0.245, 1.0)

    References
    ----------
    Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial proportions based on paired
    data, Journal of Educational and Behavioral Statistics 37, 479–488.
    """
    size = len(first) + 2
    only_first, only_second = (
        (int((one & ~other).sum()) + 1) / size for one, other in ((first, second), (second, first))
    )
    middle = only_first - only_second
    reach = NORMAL * sqrt(max(0.0, only_first + only_second - middle**2) / size)
    return max(-1.0, middle - reach), min(1.0, middle + reach)


def paired_means(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """95 % interval of the mean difference of two numbers of the same people, by the normal distribution.

    >>> low, high = paired_means(np.array([3.0, 5.0, 4.0]), np.array([1.0, 2.0, 3.0]))
    >>> round(low, 3), round(high, 3)
    (0.868, 3.132)
    """
    gaps = first - second
    reach = NORMAL * float(gaps.std(ddof=1)) / sqrt(len(gaps)) if len(gaps) > 1 else float("inf")
    return float(gaps.mean()) - reach, float(gaps.mean()) + reach
