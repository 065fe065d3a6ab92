"""Zero-concentrated differential privacy: ρ adds up, and becomes (ε, δ) at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from ...errors import TacitError
from ..cost import Cost, check_positive, rounded_up
from ..event import Event
from ..neighbours import one_kind
from .delta_budget import check_delta, remaining_delta

FINEST = 10**15
"""ρ that was computed is a whole number of 10⁻¹⁵."""
ORDERS = (math.log(1e-4), math.log(1e12))
"""Between what ln(α − 1) is looked for; every order gives a bound that holds, so a missed optimum costs only tightness."""


def zcdp(events: Sequence[Event], *, delta: object) -> Cost:
    """ε for an allowed δ from the sum of ρ.

    Pure ε is ρ = ε²/2, the exponential mechanism ε²/8, Gaussian noise Δ²/2σ² (Bun and Steinke 2016; Cesar and Rogers 2021).
    """
    one_kind(event.neighbours for event in events)
    whole_delta = check_delta(delta)
    rho = sum((event.rho for event in events), Fraction(0))
    return Cost(rounded_up(zcdp_epsilon(rho, delta=remaining_delta(whole_delta, brought_delta(events)))), whole_delta)


def brought_delta(events: Sequence[Event]) -> Fraction:
    """The δ that stands beside ρ: that of thresholds. The δ of Gaussian noise is a way to tell its ρ, no loss of its own."""
    return sum((event.cost.delta for event in events if event.law == "threshold"), Fraction(0))


def zcdp_epsilon(rho: object, *, delta: object) -> float:
    r"""The smallest ε for which ρ implies (ε, δ), by the tight conversion.

    .. math:: \varepsilon = \inf_{\alpha > 1}\; \alpha\rho + \frac{\ln(1/\alpha\delta)}{\alpha - 1} + \ln(1 - 1/\alpha)

    The usual :math:`\rho + 2\sqrt{\rho \ln(1/\delta)}` is larger.

    References
    ----------
    Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, corollary 13.
    """
    r, d = float(check_positive(rho, "rho")), float(check_delta(delta))
    return max(0.0, _minimise_over_orders(lambda a: (a + 1) * r - math.log((a + 1) * d) / a - math.log1p(1 / a)))


def zcdp_delta(rho: object, *, epsilon: float) -> float:
    r"""The smallest δ for which ρ implies (ε, δ): :math:`\inf_\alpha e^{(\alpha-1)(\alpha\rho-\varepsilon)} (1-1/\alpha)^\alpha/(\alpha-1)`."""
    r = float(check_positive(rho, "rho"))
    least = _minimise_over_orders(lambda a: a * ((a + 1) * r - epsilon) - (a + 1) * math.log1p(1 / a) - math.log(a))
    return min(1.0, math.exp(min(0.0, least)))


def zcdp_rho(epsilon: object, *, delta: object) -> Fraction:
    """The largest ρ, rounded down, for which :func:`zcdp` gives no more than ε at δ: what a budget of (ε, δ) buys in ρ.

    About 80 conversions.

    >>> rho = zcdp_rho(1, delta="1e-6")
    >>> round(float(rho), 5), zcdp_epsilon(rho, delta="1e-6") <= 1 < zcdp_epsilon(rho * 1001 / 1000, delta="1e-6")
    (0.02436, True)
    """
    found = _largest_rho(check_positive(epsilon, "epsilon"), check_delta(delta))
    if not found:
        raise TacitError(
            f"epsilon={float(check_positive(epsilon, 'epsilon')):g} buys no noise that can be drawn",
            code="privacy_budget",
            parameter="epsilon",
            fix="give a larger epsilon or delta",
        )
    return found


@lru_cache(maxsize=256)
def _largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    def fits(steps: int) -> bool:
        return rounded_up(zcdp_epsilon(Fraction(steps, FINEST), delta=delta)) <= epsilon

    low, high = 0, 1
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return Fraction(low, FINEST)


def _minimise_over_orders(of: Callable[[float], float]) -> float:
    """The least value over a = α − 1; ln(1 − 1/α) is −ln(1 + 1/a)."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda log_a: of(math.exp(log_a)), bounds=ORDERS, method="bounded", options={"xatol": 1e-10}
    )
    return float(found.fun)
