r"""Noise that nobody knows: each party adds a little to its own numbers, and the sum carries enough for all (I-04).

The sum of m discrete Gaussians of scale σ is nearly one of scale √m σ. For a change of the true sums of at most Δ (in L2, over d
numbers) it is ρ-concentrated differentially private with

.. math:: \rho = \tfrac12\left(\frac{\Delta}{\sqrt m\,\sigma} + \tau\sqrt d\right)^2, \qquad
          \tau = 10 \sum_{k=1}^{m-1} e^{-2\pi^2\sigma^2\frac{k}{k+1}}, \qquad \sigma \ge \tfrac12.

τ is what the sum of discrete Gaussians differs from one; from σ = 2 on it is below 10⁻¹⁵. Whoever looks at the sum as a party
knows its own noise, and colluders know theirs, so m counts only the others: of n parties at most n − 1.

References
----------
Kairouz, Liu and Steinke (2021), The distributed discrete Gaussian mechanism for federated learning with secure aggregation,
ICML, proposition 14.
"""

from __future__ import annotations

import math

from ...errors import TacitError

__all__ = ["privacy_loss", "shared_scale", "tau"]

LEAST = 0.5


def tau(scale: float, noisy: int) -> float:
    """What the sum of discrete Gaussians differs from a discrete Gaussian.

    >>> tau(0.5, 1), 0 < tau(2, 5) < 1e-15
    (0, True)
    """
    return 10 * sum(math.exp(-2 * math.pi**2 * scale**2 * k / (k + 1)) for k in range(1, noisy))


def privacy_loss(scale: float, *, change: float, noisy: int, numbers: int) -> float:
    """ρ of the sum of ``noisy`` parties' noise of this scale, for a change of the true sums of at most ``change``."""
    if scale < LEAST:
        raise TacitError(f"noise of scale {scale:g} is too fine for the bound on its sum", fix="spend less rho")
    return (change / (math.sqrt(noisy) * scale) + tau(scale, noisy) * math.sqrt(numbers)) ** 2 / 2


def shared_scale(rho: float, *, change: float, noisy: int, numbers: int) -> float:
    """The scale that each party draws with so that the sum costs at most ρ: the smallest, to nine digits.

    >>> round(shared_scale(0.5, change=10, noisy=4, numbers=1), 4)
    5.0
    """

    def costs(scale: float) -> float:
        return privacy_loss(scale, change=change, noisy=noisy, numbers=numbers)

    low = high = max(LEAST, change / math.sqrt(2 * rho * noisy))
    while costs(high) > rho:
        low, high = high, 2 * high
    while high > low * (1 + 1e-9):
        middle = (low + high) / 2
        low, high = (low, middle) if costs(middle) <= rho else (middle, high)
    return high
