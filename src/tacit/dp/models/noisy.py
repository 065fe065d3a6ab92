"""Whole numbers about people with the noise that a budget buys: Laplace for ε, Gaussian for ρ."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError, format_value
from ..cost import Cost
from ..mechanisms.noise_distribution import NoiseDistribution, Sensitivity

Noisy = tuple[np.ndarray, float]
"""Numbers with noise, and the scale of it."""


def with_noise(values: np.ndarray, *, l1: int, l2_squared: int, budget: object) -> Noisy:
    """The numbers with noise, and its scale, when one record adds at most so much to all of them together.

    ``l1`` bounds the sum of what it adds, ``l2_squared`` the sum of its squares. A budget of ε buys discrete Laplace
    noise of scale l1/ε, one of ρ discrete Gaussian noise of scale √(l2²/2ρ). O(n).
    """
    if not isinstance(budget, Cost) or budget.amount <= 0 or budget.delta:
        raise TacitError(
            f"budget={budget if isinstance(budget, Cost) else format_value(budget)} cannot be spent here",
            code="privacy_budget",
            parameter="budget",
            fix='give ε or ρ above 0 and no δ: budget=Cost.of(1), or Cost.of("0.1", unit="rho")',
        )
    whole = values.ravel().tolist()  # promise: numbers-dp-sensitivity
    noise = NoiseDistribution.of(Sensitivity(l1, l2_squared), budget.amount, budget.unit)
    return np.array(noise.add_noise(whole), dtype=float).reshape(values.shape), noise.scale
