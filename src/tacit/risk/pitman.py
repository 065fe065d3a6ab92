"""Population uniques by Pitman's sampling formula."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .class_sizes import ClassSizes

__all__ = ["Pitman", "pitman", "pitman_uniques"]

LEAST, MOST = 1e-6, 1.0 - 1e-9
"""Between these α is sought; at the lower end the model is Ewens's, α = 0."""


class Pitman(NamedTuple):
    """The fitted parameters: ``theta`` people seen at first, ``alpha`` in [0, 1) how fast new keys keep coming."""

    theta: float
    alpha: float


def pitman(found: ClassSizes) -> Pitman | None:
    r"""The maximum likelihood fit; None when there is none (all classes of one record, or one class).

    .. math:: L(\theta, \alpha) = \sum_{i=1}^{u-1} \ln(\theta + i\alpha) - \sum_{i=1}^{n-1} \ln(\theta + i)
              + \sum_j f_j \sum_{l=1}^{j-1} \ln(l - \alpha)

    for u classes of n records, :math:`f_j` of them of size j. For each α the derivative by θ falls from +∞ to below 0,
    so its root exists and is bracketed; the profile is then maximised over α and both are polished together. So the
    fit always ends. O(distinct sizes) for each of about a thousand evaluations.

    >>> fit = pitman(ClassSizes(np.array([1, 2, 3]), np.array([60, 15, 5])))
    >>> 0 < fit.alpha < 1
    True
    """
    from scipy.optimize import minimize_scalar, root

    if not 1 < found.classes < found.records:
        return None
    best = minimize_scalar(
        lambda alpha: -_likelihood(found, _theta(found, alpha), alpha),
        bounds=(LEAST, MOST),
        method="bounded",
        options={"xatol": 1e-9},
    )
    alpha = float(best.x)
    start = [_theta(found, alpha), alpha]
    polished = root(lambda at: _score(found, at[0], at[1]), start, tol=1e-14).x
    inside = LEAST < polished[1] < MOST and polished[0] > -polished[1]
    if inside and _likelihood(found, *polished) >= _likelihood(found, *start) - 1e-6:
        return Pitman(float(polished[0]), float(polished[1]))
    return Pitman(_theta(found, LEAST), 0.0) if alpha < 2 * LEAST else Pitman(float(start[0]), alpha)


def pitman_uniques(fit: Pitman, population: float) -> tuple[float, float]:
    r"""The share of uniques in the population: Hoshino's asymptotic form, and that of the finite population.

    .. math:: \frac{\Gamma(\theta+1)}{\Gamma(\theta+\alpha)} N^{\alpha - 1}, \qquad
              \frac{\Gamma(\theta+1)}{\Gamma(\theta+\alpha)} \cdot \frac{\Gamma(\theta+\alpha+N-1)}{\Gamma(\theta+N)}
    """
    from scipy.special import betaln, gammaln

    first = gammaln(fit.theta + 1) - gammaln(fit.theta + fit.alpha)
    rest = 1.0 - fit.alpha
    finite = betaln(fit.theta + fit.alpha + population - 1, rest) - gammaln(rest)
    return float(np.exp(first - rest * np.log(population))), float(np.exp(first + finite))


def _theta(found: ClassSizes, alpha: float) -> float:
    """The best θ for an α: the root of the score, bracketed in ln(θ + α)."""
    from scipy.optimize import brentq

    low, high = -30.0, np.log(found.records)
    while _score(found, np.exp(high) - alpha, alpha)[0] > 0 and high < 100:
        high += 5.0
    if _score(found, np.exp(low) - alpha, alpha)[0] <= 0 or high >= 100:
        return float(np.exp(high) - alpha)
    return float(np.exp(brentq(lambda at: _score(found, np.exp(at) - alpha, alpha)[0], low, high, xtol=1e-13)) - alpha)


def _score(found: ClassSizes, theta: float, alpha: float) -> tuple[float, float]:
    from scipy.special import digamma

    n, u, ratio = found.records, found.classes, theta / alpha
    new = (digamma(u + ratio) - digamma(ratio + 1)) / alpha
    inside = (found.counts * (digamma(found.sizes - alpha) - digamma(1 - alpha))).sum()
    return (
        float(new - digamma(n + theta) + digamma(theta + 1)),
        float((u - 1 - theta * new) / alpha - inside),
    )


def _likelihood(found: ClassSizes, theta: float, alpha: float) -> float:
    from scipy.special import gammaln

    n, u, ratio = found.records, found.classes, theta / alpha
    new = (u - 1) * np.log(alpha) + gammaln(u + ratio) - gammaln(ratio + 1)
    inside = (found.counts * (gammaln(found.sizes - alpha) - gammaln(1 - alpha))).sum()
    return float(new - gammaln(n + theta) + gammaln(theta + 1) + inside)
