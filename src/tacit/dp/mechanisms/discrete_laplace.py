r"""The tail of discrete Laplace noise: :math:`P(Z \ge t) = e^{-t/b}/(1 + e^{-1/b})` for t ≥ 1."""

from __future__ import annotations

import math

CAREFUL = 1 - 1e-9
"""What rounding in floating point may take from a wanted chance."""


def tail_probability(first: int, scale: float) -> float:
    """P(Z ≥ first) for first ≥ 1.

    >>> round(tail_probability(3, 1.0), 4)
    0.0364
    """
    return math.exp(-first / scale) / (1 + math.exp(-1 / scale))


def tail_threshold(scale: float, chance: float) -> int:
    """The smallest t ≥ 1 with P(Z ≥ t) ≤ chance.

    >>> tail_threshold(1.0, 0.1), round(tail_probability(2, 1.0), 4)
    (2, 0.0989)
    """
    return max(1, math.ceil(-scale * (math.log(chance * CAREFUL) + math.log1p(math.exp(-1 / scale)))))


def half_width(scale: float, miss: float) -> int:
    """The smallest h with P(|Z| > h) = 2·P(Z ≥ h + 1) ≤ miss, in steps.

    >>> half_width(10.0, 0.05)
    30
    """
    return tail_threshold(scale, miss / 2) - 1
