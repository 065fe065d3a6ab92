"""Advanced composition: many small ε add up like a random walk, not like a march."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ...errors import whole
from ..cost import Cost, positive, rounded_up
from ..event import Event
from ..neighbours import one_kind
from .allowed import allowed, pure, without

__all__ = ["advanced", "optimal"]


def advanced(events: Sequence[Event], *, delta: object) -> Cost:
    r"""ε of a list of (ε, δ) mechanisms for an allowed δ, chosen one after the other in any way.

    The smallest of :math:`\sum\varepsilon_i` and, with :math:`m = \sum \varepsilon_i (e^{\varepsilon_i} - 1)/(e^{\varepsilon_i} + 1)`,
    :math:`s = \sum \varepsilon_i^2`,

    .. math:: m + \sqrt{2 s \ln(1/\delta)}, \qquad m + \sqrt{2 s \ln(e + \sqrt{s}/\delta)}.

    References
    ----------
    Dwork, Rothblum, Vadhan (2010), Boosting and differential privacy, FOCS. Kairouz, Oh, Viswanath (2017), The composition
    theorem for differential privacy, IEEE Trans. Inf. Theory 63, theorem 3.5 (the form used).
    """
    one_kind(event.neighbours for event in events)
    losses, whole_delta = pure(events), allowed(delta)
    left = without(whole_delta, sum((part for _, part in losses), Fraction(0)))
    mean = sum(epsilon * math.tanh(epsilon / 2) for epsilon, _ in losses)
    square = sum(epsilon**2 for epsilon, _ in losses)
    spread = min(-math.log(left), math.log(math.e + math.sqrt(square) / left))
    found = min(sum(epsilon for epsilon, _ in losses), mean + math.sqrt(2 * square * spread))
    return Cost(rounded_up(found), whole_delta)


def optimal(epsilon: object, *, times: int, delta: object) -> Cost:
    r"""The smallest ε that holds for every ``times``-fold composition of pure ε-mechanisms at an allowed δ.

    The worst mechanism is randomised response on one bit; of k answers of which l are right its loss is
    (2l − k)ε, so that

    .. math:: \delta(\varepsilon') = \sum_{l} \binom{k}{l}
              \frac{\left[e^{l\varepsilon} - e^{\varepsilon' + (k - l)\varepsilon}\right]_+}{(1 + e^\varepsilon)^k}.

    Time O(k) for each of about 60 tries.

    References
    ----------
    Kairouz, Oh, Viswanath (2017), theorem 3.3.
    """
    one = float(positive(epsilon, "epsilon"))
    whole("times", times, least=1)
    wanted = allowed(delta)
    low, high = 0.0, times * one
    while high - low > 1e-12 * times * one:
        middle = (low + high) / 2
        if _delta(middle, one, times) > float(wanted):
            low = middle
        else:
            high = middle
    return Cost(rounded_up(high), wanted)


def _delta(whole_epsilon: float, epsilon: float, times: int) -> float:
    import numpy as np
    from scipy.special import gammaln

    right = np.arange(times + 1)
    ways = gammaln(times + 1) - gammaln(right + 1) - gammaln(times - right + 1)
    log_chance = ways + right * epsilon - times * np.logaddexp(0, epsilon)
    beyond = np.minimum(whole_epsilon + (times - 2 * right) * epsilon, 0.0)
    return float((np.exp(log_chance) * -np.expm1(beyond)).sum())
