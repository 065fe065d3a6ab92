"""Population uniques by the slide negative binomial model."""

from __future__ import annotations

import numpy as np

from .class_sizes import ClassSizes

__all__ = ["slide_negative_binomial"]

SOLVED = 1e-8


def slide_negative_binomial(found: ClassSizes, population: float) -> float | None:
    r"""The share of uniques in the population when F − 1 is negative binomial; None without a solution.

    Each of K classes has :math:`F = 1 + Y` people with :math:`\Pr(Y = 0) = \beta^\alpha`, so :math:`K \beta^\alpha` are
    unique. A sample of a fraction π shows, with :math:`x = (1-\pi)(1-\beta)`,

    .. math:: E f_1 = K \pi \Bigl(\frac{\beta}{1-x}\Bigr)^{\alpha} \Bigl(\frac{\alpha x}{1-x} + 1\Bigr), \qquad
              E f_2 = K \frac{\alpha \beta^\alpha \pi^2 (1-\beta)}{2 (1-x)^{\alpha+2}} \bigl(2 - (1-\alpha) x\bigr)

    classes of one and of two records. The population has N people, which is known: :math:`K (1 + \alpha (1-\beta)/\beta) = N`.
    The three equations are solved in ln α and the logit of β from several starts. The literature takes K from an estimator of
    its own (Shlosser's, as modified by Haas and Stokes), which is biased under the very model: the estimate was 11 times
    too large at a fraction of 0.05 and a quarter too small at 0.2 where this one is right. Where few classes
    are far larger than the model has them (keys by a power law) it overstates, up to twice at a fraction of 0.05. O(1) after the sizes.

    >>> sizes = ClassSizes(np.array([1, 2, 3, 4]), np.array([500, 120, 40, 20]))
    >>> round(slide_negative_binomial(sizes, 4 * sizes.records), 3)
    0.219
    """
    from scipy.optimize import least_squares

    share = found.records / population
    ones, twos = found.of(1), found.of(2)
    if ones == 0:
        return 0.0
    if twos == 0:
        return None

    def apart(at: np.ndarray) -> list[float]:
        alpha, beta = np.exp(at[0]), 1.0 / (1.0 + np.exp(-at[1]))
        classes = np.log(population) - np.log1p(alpha * np.exp(-at[1]))
        return [
            float(classes + part - np.log(real))
            for part, real in zip(_shown(alpha, beta, share), (ones, twos), strict=True)
        ]

    for start in ((-2.0, -2.0), (0.0, 0.0), (-4.0, -4.0), (2.0, 2.0), (-4.0, 2.0), (0.0, -6.0), (2.0, -4.0)):
        end = least_squares(apart, start, bounds=((-30, -30), (30, 30)))
        if np.abs(end.fun).max() < SOLVED:
            alpha, beta = np.exp(end.x[0]), 1.0 / (1.0 + np.exp(-end.x[1]))
            return float(min(1.0, beta**alpha / (1.0 + alpha * np.exp(-end.x[1]))))
    return None


def _shown(alpha: float, beta: float, share: float) -> tuple[float, float]:
    """The logarithms of E f_1 / K and E f_2 / K."""
    x = (1.0 - share) * (1.0 - beta)
    kept = alpha * (np.log(beta) - np.log1p(-x))
    one = np.log(share) + kept + np.log1p(alpha * x / (1.0 - x))
    two = np.log(alpha) + kept + 2 * np.log(share) + np.log1p(-beta) - 2 * np.log1p(-x)
    return float(one), float(two + np.log(2 - (1 - alpha) * x) - np.log(2))
