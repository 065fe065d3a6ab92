"""The one home of 95 % intervals: of shares, and of differences between two answers of the same people."""

from __future__ import annotations

from math import sqrt

import numpy as np

Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: so many standard errors to either side make a 95 % interval."""


def wilson(hits: float, trials: int, *, together: float = 1) -> tuple[float, float]:
    r"""The 95 % score interval of a share; right for small counts and for none.

    .. math:: \frac{\hat p + z^2/2n \pm z\sqrt{\hat p(1-\hat p)/n + z^2/4n^2}}{1 + z^2/n}

    ``hits`` may be fractional (a set of m candidates counts 1/m): the variance of such a sum is below the binomial one
    of independent trials, so that the interval errs on the wide side. Trials that are not independent make it err on the
    narrow side: where hits come ``together``, up to so many at a time, n is divided by that number (the variance of a sum of n/m
    groups of m equal trials is m times the binomial one, and no correlation within them makes more). With no hit the upper
    end falls below 0.05 from 73 independent trials on.

    >>> [round(end, 4) for end in wilson(10, 100)], wilson(0, 73)[1] <= 0.05 < wilson(0, 72)[1]
    ([0.0552, 0.1744], True)

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22, 209–212.
    """
    if trials == 0:
        return 0.0, 1.0
    share, count = hits / trials, trials / together
    centre = share + Z * Z / (2 * count)
    spread = Z * sqrt(max(0.0, share * (1 - share)) / count + Z * Z / (4 * count * count))
    scale = 1 + Z * Z / count
    return max(0.0, min(share, (centre - spread) / scale)), min(1.0, max(share, (centre + spread) / scale))


def clustered_interval(hits: np.ndarray, clusters: np.ndarray, *, together: int = 1) -> tuple[float, float]:
    r"""The 95 % interval of a share when people of one cluster (a household) are found or missed together.

    Wilson's interval at the effective number of trials :math:`n / d`, with the design effect of a ratio estimator,

    .. math:: d = \max\Big(1, \frac{\frac{H}{H-1} \sum_h (y_h - \hat p\, m_h)^2}{n\, \hat p (1 - \hat p)}\Big),

    :math:`y_h` the hits and :math:`m_h` the people of cluster h. Where nobody or everybody is found the variance says nothing, and
    :math:`d = \sum m_h^2 / n`, that of clusters whose members are all found or all missed. No d is below ``together``, see :func:`wilson`. O(n).

    >>> [round(end, 3) for end in clustered_interval(np.repeat([1.0, 0.0], [30, 30]), np.repeat(np.arange(20), 3))]
    [0.295, 0.705]

    References
    ----------
    Kish (1965), Survey Sampling, Wiley.
    Korn and Graubard (1998), Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data, Survey Methodology 24, 193–201.
    """
    _, cluster = np.unique(clusters, return_inverse=True)
    people, found = np.bincount(cluster).astype(float), np.bincount(cluster, weights=hits)
    trials, share = len(hits), float(np.mean(hits)) if len(hits) else 0.0
    if not trials:
        return wilson(0.0, 0)
    alike = float((people**2).sum()) / trials
    count = len(people)
    effect = alike
    if 0.0 < share < 1.0 and count > 1:
        spread = count / (count - 1) * float(((found - share * people) ** 2).sum())
        effect = max(1.0, spread / (trials * share * (1.0 - share)))
    return wilson(share * trials, trials, together=max(effect, together))


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
    reach = Z * sqrt(max(0.0, only_first + only_second - middle**2) / size)
    return max(-1.0, middle - reach), min(1.0, middle + reach)


def paired_means(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """95 % interval of the mean difference of two numbers of the same people, by the normal distribution.

    >>> low, high = paired_means(np.array([3.0, 5.0, 4.0]), np.array([1.0, 2.0, 3.0]))
    >>> round(low, 3), round(high, 3)
    (0.868, 3.132)
    """
    gaps = first - second
    reach = Z * float(gaps.std(ddof=1)) / sqrt(len(gaps)) if len(gaps) > 1 else float("inf")
    return float(gaps.mean()) - reach, float(gaps.mean()) + reach
