r"""The exact δ(ε) of the discrete Gaussian that is drawn, and the scale for a wanted (ε, δ).

With :math:`P(z) \propto e^{-z^2/2\sigma^2}` on the whole numbers, two answers that are Δ apart are (ε, δ)-close for

.. math:: \delta(\varepsilon) = P\left[Y > \tfrac{\varepsilon\sigma^2}{\Delta} - \tfrac{\Delta}{2}\right]
          - e^{\varepsilon} P\left[Y > \tfrac{\varepsilon\sigma^2}{\Delta} + \tfrac{\Delta}{2}\right],

and for no smaller δ (Canonne, Kamath, Steinke 2020, theorem 7). Answers that are closer give no more: the set that tells
two shifts apart best is a tail, and the tail of a smaller shift weighs less. The form is that of Balle and Wang (2018) for
the continuous Gaussian; the textbook :math:`\sqrt{2 \ln(1.25/\delta)}` is larger where it holds (ε < 1) and wrong beyond.

Tails are sums of up to 40 σ terms; from σ = 2 000 on, bounds on them (Euler–Maclaurin with its remainder, and the midpoint
and trapezoid rules where the density is convex), of which δ takes the unfavourable ends.
"""

from __future__ import annotations

import math
from functools import lru_cache

SUMMED_BELOW = 2000.0
REMAINDER = 7e-3
"""2ζ(4)/(2π)⁴ · √24, rounded up: the remainder of Euler–Maclaurin is below it times σ⁻⁴ (Cauchy–Schwarz on |f⁗|)."""
CAREFUL = 1 - 1e-9
"""What rounding in floating point may take from a wanted chance."""


def tail_bounds(first: int, scale: float) -> tuple[float, float]:
    """Bounds on P[Y ≥ first] for the discrete Gaussian; equal where it is summed."""
    if first <= 0:
        low, high = tail_bounds(1 - first, scale)
        return 1 - high, 1 - low
    return _summed_tail(first, scale) if scale < SUMMED_BELOW else _bounded_tail(first, scale)


def _summed_tail(first: int, scale: float) -> tuple[float, float]:
    import numpy as np

    reach = math.ceil(40 * scale) + 2
    weight = np.exp(-0.5 * (np.arange(first, first + reach) / scale) ** 2).sum()
    found = float(weight) / _total_weight(scale)
    return found, found


@lru_cache(maxsize=256)
def _total_weight(scale: float) -> float:
    """The sum of e^{−z²/2σ²} over all whole numbers."""
    import numpy as np

    return 1 + 2 * float(np.exp(-0.5 * (np.arange(1, math.ceil(40 * scale) + 2) / scale) ** 2).sum())


def _bounded_tail(first: int, scale: float) -> tuple[float, float]:
    u = first / scale
    density = math.exp(-u * u / 2) / (scale * math.sqrt(2 * math.pi))  # the sum of all weights is σ√(2π) in floats
    about = _normal_tail(u) + density * (1 / 2 + u / (12 * scale) + (3 * u - u**3) / (720 * scale**3))
    low, high = about - REMAINDER * scale**-4, about + REMAINDER * scale**-4
    if first - 0.5 >= scale:  # convex from σ on
        low, high = max(low, _normal_tail(u) + density / 2), min(high, _normal_tail((first - 0.5) / scale))
    return max(low, 0.0), high


def _normal_tail(u: float) -> float:
    return math.erfc(u / math.sqrt(2)) / 2


def delta_of(shift: int, scale: float, epsilon: float) -> float:
    """δ(ε) of answers that are at most ``shift`` steps apart; never below the true one but for rounding. O(σ).

    >>> f"{delta_of(1, 4.0, 1.0):.2g}"
    '3.1e-06'
    """
    first = math.floor(epsilon * scale**2 / shift - shift / 2) + 1
    kept, lost = tail_bounds(first, scale)[1], tail_bounds(first + shift, scale)[0]
    return max(0.0, kept - (math.exp(epsilon + math.log(lost)) if lost > 0 else 0.0))


@lru_cache(maxsize=256)
def scale_for(shift: int, epsilon: float, delta: float) -> float:
    """The smallest scale (to 12 digits) whose δ(ε) is at most ``delta``. O(σ) for each of about 60 tries.

    >>> round(scale_for(1, 1.0, 1e-6), 3)
    4.231
    """
    low, high = 0.0, shift / 16
    while delta_of(shift, high, epsilon) > delta * CAREFUL:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if delta_of(shift, middle, epsilon) > delta * CAREFUL:
            low = middle
        else:
            high = middle
    return high


@lru_cache(maxsize=256)
def tail_threshold(scale: float, chance: float) -> int:
    """The smallest t ≥ 1 with P[Y ≥ t] ≤ chance; from σ = 2 000 on by the upper bound on the tail. O(σ) for about two tries.

    P[Y ≥ t] is at most the normal law's beyond t − 1 (Canonne, Kamath, Steinke 2020), so the search begins near its end.
    """
    from scipy.stats import norm

    sure = min(chance * CAREFUL, 0.5)
    found = math.ceil(scale * float(norm.isf(sure))) + 1
    while found > 1 and tail_bounds(found - 1, scale)[1] <= sure:
        found -= 1
    return found


def half_width(scale: float, miss: float) -> int:
    """The smallest h with P(|Y| > h) = 2·P[Y ≥ h + 1] ≤ miss, in steps.

    >>> half_width(10.0, 0.05)
    20
    """
    return tail_threshold(scale, miss / 2) - 1
