"""Population uniques by the slide negative binomial model."""

from __future__ import annotations

import numpy as np

from .class_sizes import ClassSizes

__all__ = ["non_empty_classes", "slide_negative_binomial"]

SOLVED = 1e-8


def slide_negative_binomial(found: ClassSizes, population: float) -> float | None:
    r"""The share of uniques in the population when F − 1 is negative binomial; None without a solution.

    Each of K classes has :math:`F = 1 + Y` people with :math:`\Pr(Y = 0) = \beta^\alpha`, so :math:`K \beta^\alpha` are
    unique. A sample of a fraction π shows, with :math:`x = (1-\pi)(1-\beta)`,

    .. math:: E f_1 = K \pi \Bigl(\frac{\beta}{1-x}\Bigr)^{\alpha} \Bigl(\frac{\alpha x}{1-x} + 1\Bigr), \qquad
              E f_2 = K \frac{\alpha \beta^\alpha \pi^2 (1-\beta)}{2 (1-x)^{\alpha+2}} \bigl(2 - (1-\alpha) x\bigr)

    classes of one and of two records. K comes from :func:`non_empty_classes`, α and β from the two equations, solved
    in ln α and the logit of β from several starts. O(distinct sizes).

    >>> sizes = ClassSizes(np.array([1, 2, 3, 4]), np.array([500, 120, 40, 20]))
    >>> round(slide_negative_binomial(sizes, 4 * sizes.records), 3)
    0.257
    """
    from scipy.optimize import least_squares

    share = found.records / population
    ones, twos = found.of(1), found.of(2)
    if ones == 0:
        return 0.0
    classes = non_empty_classes(found, share)
    if twos == 0 or not np.isfinite(classes):
        return None

    def apart(at: np.ndarray) -> list[float]:
        shown = _shown(np.exp(at[0]), 1.0 / (1.0 + np.exp(-at[1])), share)
        return [float(np.log(classes) + part - np.log(real)) for part, real in zip(shown, (ones, twos), strict=True)]

    for start in ((-2.0, -2.0), (0.0, 0.0), (-4.0, -4.0), (2.0, 2.0), (-4.0, 2.0), (0.0, -6.0), (2.0, -4.0)):
        end = least_squares(apart, start, bounds=((-30, -30), (30, 30)))
        if np.abs(end.fun).max() < SOLVED:
            alpha, beta = np.exp(end.x[0]), 1.0 / (1.0 + np.exp(-end.x[1]))
            return float(min(1.0, classes * beta**alpha / population))
    return None


def non_empty_classes(found: ClassSizes, share: float) -> float:
    r"""How many classes the population has: Shlosser's estimator as modified by Haas and Stokes.

    .. math:: K = u + f_1 \frac{\sum_j j \pi^2 (1-\pi^2)^{j-1} f_j}{\sum_j (1-\pi)^j ((1+\pi)^j - 1) f_j}
              \biggl(\frac{\sum_j (1-\pi)^j f_j}{\sum_j j \pi (1-\pi)^{j-1} f_j}\biggr)^2
    """
    j, f, q = found.sizes.astype(float), found.counts, 1.0 - share
    power = q**j
    below, seen = (((1 - share**2) ** j - power) * f).sum(), (j * share * q ** (j - 1) * f).sum()
    if below <= 0 or seen <= 0:
        return float(found.classes)
    lead = (j * share**2 * (1 - share**2) ** (j - 1) * f).sum() / below
    return float(found.classes + found.of(1) * lead * ((power * f).sum() / seen) ** 2)


def _shown(alpha: float, beta: float, share: float) -> tuple[float, float]:
    """The logarithms of E f_1 / K and E f_2 / K."""
    x = (1.0 - share) * (1.0 - beta)
    kept = alpha * (np.log(beta) - np.log1p(-x))
    one = np.log(share) + kept + np.log1p(alpha * x / (1.0 - x))
    two = np.log(alpha) + kept + 2 * np.log(share) + np.log1p(-beta) - 2 * np.log1p(-x)
    return float(one), float(two + np.log(2 - (1 - alpha) * x) - np.log(2))
