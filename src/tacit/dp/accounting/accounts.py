"""All accountants side by side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from ...errors import TacitError, check_int
from ...frozen import FrozenDict
from ..cost import Cost, check_positive, rounded_up, sum_costs
from ..event import Event
from ..neighbours import one_kind
from .delta_budget import check_delta, epsilon_deltas, remaining_delta
from .zcdp import brought_delta, zcdp

MOST_STEPS = 1000
"""Of a Laplace mechanism: beyond it a coarser one that dominates it is taken."""

LARGEST_SCALE = 20_000.0
"""Of discrete Gaussian noise whose loss is listed step by step."""

APART = 0.07
"""Discrete Gaussian noise and continuous noise rounded to whole steps are at most this times σ⁻² apart in total variation:
half of ⅛ ∫|φ″|, by the error of the midpoint rule."""


def accounts(events: Sequence[Event], *, delta: object) -> FrozenDict[str, Cost]:
    """What every accountant that can judge the events says of them, the smallest ε first. All of them hold.

    >>> from tacit.dp import Laplace
    >>> noise = Laplace(sensitivity=1, epsilon="0.1", neighbours="add_remove")
    >>> found = accounts([noise.event] * 100, delta="1e-6")
    >>> list(found)
    ['pld', 'rdp', 'zcdp', 'advanced', 'basic']
    """
    from . import library  # noqa: F401  (that it is missing must be told, not taken for an accountant that cannot judge)

    one_kind(event.neighbours for event in events)
    wanted = check_delta(delta)
    found = {}
    for name, accountant in {"pld": pld, "rdp": rdp, "zcdp": zcdp, "advanced": advanced}.items():
        try:
            found[name] = accountant(events, delta=wanted)
        except TacitError:
            continue
    if all(event.cost.unit == "epsilon" for event in events):
        summed = basic(events)
        if summed.delta <= wanted:
            found["basic"] = summed
    return FrozenDict(sorted(found.items(), key=lambda one: one[1].amount))


def rdp(events: Sequence[Event], *, delta: object) -> Cost:
    """ε for an allowed δ from the Rényi divergences of all orders, by dp-accounting.

    Gaussian noise and the exponential mechanism are told by ρ; every other mechanism by randomised response on one bit, which
    has the largest divergence of all that are ε-differentially private.

    References
    ----------
    Mironov (2017), Rényi differential privacy, CSF. Google, dp-accounting.
    """
    from .library import dp_accounting

    one_kind(event.neighbours for event in events)
    whole_delta = check_delta(delta)
    left = remaining_delta(whole_delta, brought_delta(events))
    # The relation is checked above; the library asks it only to refuse events that sample records, of which there are none.
    accountant = dp_accounting.rdp.RdpAccountant(neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
    for event, count in Counter(events).items():
        accountant.compose(_library_event(event, dp_accounting), count)
    return Cost(rounded_up(accountant.get_epsilon(left)), whole_delta)


def _library_event(event: Event, library: Any) -> Any:
    epsilon = float(event.cost.amount)
    if event.law in ("gaussian", "concentrated") or event.rho < event.cost.amount**2 / 2:
        return library.ZCDpEvent(float(event.rho))
    other = math.exp(-epsilon)
    return library.RandomizedResponseDpEvent(2 * other / (1 + other), 2)


def basic(events: Sequence[Event]) -> Cost:
    """The sum of all costs: of ε and δ, or of ρ.

    References
    ----------
    Dwork, Kenthapadi, McSherry, Mironov, Naor (2006), Our data, ourselves, EUROCRYPT. Bun, Steinke (2016) for ρ.
    """
    one_kind(event.neighbours for event in events)
    return sum_costs((event.cost for event in events), events[0].cost.unit)


def parallel(parts: Sequence[Sequence[Event]]) -> Cost:
    """The cost of answers about disjoint parts of the data: that of the dearest part.

    A person who is added or removed is in one part only. A person who is *replaced* may leave one part and enter another, so
    that the two dearest parts count; the mechanisms of a part are then those for adding and removing, told for replacement.

    References
    ----------
    McSherry (2009), Privacy integrated queries, SIGMOD.
    """
    neighbours = one_kind(event.neighbours for part in parts for event in part)
    costs = [basic(part) for part in parts if part]
    if len({cost.unit for cost in costs}) > 1:
        raise TacitError("ε and ρ cannot be compared", code="invalid_parameter", fix="convert one of them first")
    touched = 2 if neighbours == "replace" else 1
    return Cost(
        _sum_largest((cost.amount for cost in costs), touched),
        _sum_largest((cost.delta for cost in costs), touched),
        costs[0].unit,
    )


def _sum_largest(amounts: Iterable[Fraction], count: int) -> Fraction:
    return sum(sorted(amounts, reverse=True)[:count], Fraction(0))


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
    losses, whole_delta = epsilon_deltas(events), check_delta(delta)
    left = remaining_delta(whole_delta, sum((part for _, part in losses), Fraction(0)))
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
    one = float(check_positive(epsilon, "epsilon"))
    check_int("times", times, least=1)
    wanted = check_delta(delta)
    low, high = 0.0, times * one
    while high - low > 1e-12 * times * one:
        middle = (low + high) / 2
        if _composed_delta(middle, one, times) > float(wanted):
            low = middle
        else:
            high = middle
    return Cost(rounded_up(high), wanted)


def _composed_delta(whole_epsilon: float, epsilon: float, times: int) -> float:
    import numpy as np
    from scipy.special import gammaln

    right = np.arange(times + 1)
    ways = gammaln(times + 1) - gammaln(right + 1) - gammaln(times - right + 1)
    log_chance = ways + right * epsilon - times * np.logaddexp(0, epsilon)
    beyond = np.minimum(whole_epsilon + (times - 2 * right) * epsilon, 0.0)
    return float((np.exp(log_chance) * -np.expm1(beyond)).sum())


def pld(events: Sequence[Event], *, delta: object) -> Cost:
    r"""ε for an allowed δ from the convolved privacy loss distributions, by dp-accounting; its rounding is pessimistic.

    * *Laplace*: the discrete mechanism itself. With more than a thousand steps of sensitivity, that with Δ/k steps and scale
      b/k: a geometric number is k times a geometric one plus an independent rest, so the finer mechanism is the coarser one with
      independent noise added afterwards.
    * *Gaussian*, one answer: the discrete mechanism itself; from σ = 20 000 steps on the continuous one, whose rounding
      differs by at most τ = 0.07/σ² in total variation, so that δ grows by :math:`(1 + e^\varepsilon)\tau`.
    * *Every other*: what (ε, δ) alone says, the worst mechanism of all.

    References
    ----------
    Meiser, Mohammadi (2018), Tight on budget, CCS. Koskela, Jälkö, Honkela (2020), Computing tight differential privacy
    guarantees using FFT, AISTATS. Google, dp-accounting.
    """
    one_kind(event.neighbours for event in events)
    if any(event.law == "concentrated" for event in events):
        raise TacitError(
            "Gaussian noise that was declared by rho may be on several answers, whose loss has no distribution here",
            code="invalid_parameter",
            fix="use zcdp or rdp, or declare epsilon and delta",
        )
    wanted = check_delta(delta)
    counts = Counter(events)
    composed = reduce(
        lambda one, other: one.compose(other),
        (_loss_distribution(event).self_compose(n) for event, n in counts.items()),
    )
    apart = sum(n * APART / event.scale**2 for event, n in counts.items() if _is_large(event))
    return Cost(rounded_up(_composed_epsilon(composed, wanted, apart)), wanted)


def _is_large(event: Event) -> bool:
    return event.law == "gaussian" and event.scale > LARGEST_SCALE


def _loss_distribution(event: Event) -> Any:
    from .library import common
    from .library import privacy_loss_distribution as losses

    if event.law == "laplace":
        coarser = math.ceil(event.sensitivity / MOST_STEPS)
        steps = math.ceil(event.sensitivity / coarser)
        return losses.from_discrete_laplace_mechanism(coarser / event.scale, steps)
    if _is_large(event):
        return losses.from_gaussian_mechanism(event.scale / event.sensitivity)
    if event.law == "gaussian":
        return losses.from_discrete_gaussian_mechanism(event.scale, event.sensitivity)
    declared = common.DifferentialPrivacyParameters(float(event.cost.amount), float(event.cost.delta))
    return losses.from_privacy_parameters(declared)


def _composed_epsilon(composed: Any, delta: Fraction, apart: float) -> float:
    """The ε at which the distribution's δ and what stands beside it are allowed."""
    found = float(composed.get_epsilon_for_delta(float(delta)))
    while apart:
        beside = Fraction((1 + math.exp(found)) * apart)
        wider = float(composed.get_epsilon_for_delta(remaining_delta(delta, beside)))
        if wider <= found * (1 + 1e-9):
            break
        found = wider
    if not math.isfinite(found):
        raise TacitError(
            f"the events are not (ε, {float(delta):g})-private for any ε", code="wrong_type", fix="allow a larger delta"
        )
    return found
