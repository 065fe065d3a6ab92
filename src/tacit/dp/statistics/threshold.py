r"""Keys that are not public: a key is shown when its noisy number of records reaches a threshold.

*Claim.* Counts of the keys that occur, each with discrete Laplace noise of scale b, shown from τ on, are (ε, δ)-differentially
private with :math:`\delta = P(1 + z \ge \tau) = e^{-(\tau - 1)/b}/(1 + e^{-1/b})` for τ ≥ 2, and ε = 1/b for neighbours by adding
and removing, 2/b by replacement.

*Precondition.* A key is a value as it is written: were 0.0 and −0.0 one key, one record could decide which of them is shown.

*Argument.* A key that both data sets have is ε-close as in every count. A key that only one of them has, has one record there,
so it is shown with chance δ; where it is not shown, both say the same. By replacement one key may vanish and another appear:
each data set has at most one such key, and the bound is again the chance δ that its own key is shown.

(OpenDP 0.16's ``make_laplace_threshold`` on whole numbers reports P(z ≥ τ) instead, e.g. 0.036 where the chance is 0.099 for
b = 1, τ = 3; so counts with noise are taken from it, and the threshold is set here.)
"""

from __future__ import annotations

from ..mechanisms.discrete_laplace import rarely, tail

__all__ = ["chance_of_one", "threshold_for"]


def chance_of_one(threshold: int, scale: float) -> float:
    """The chance that a key with one record is shown."""
    return tail(threshold - 1, scale)


def threshold_for(scale: float, delta: float) -> int:
    """The smallest τ ≥ 2 for which a key with one record is shown with chance at most δ.

    >>> threshold_for(1.0, 0.1), round(chance_of_one(3, 1.0), 4)
    (3, 0.0989)
    """
    return 1 + rarely(scale, delta)
