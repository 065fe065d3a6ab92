"""Accounting by the distribution of the privacy loss itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from ...errors import TacitError
from ..cost import Cost, rounded_up
from ..event import Event
from ..neighbours import one_kind
from .allowed import allowed, without

__all__ = ["pld"]

MOST_STEPS = 1000
"""Of a Laplace mechanism: beyond it a coarser one that dominates it is taken."""
LARGEST_SCALE = 20_000.0
"""Of discrete Gaussian noise whose loss is listed step by step."""
APART = 0.07
"""Discrete Gaussian noise and continuous noise rounded to whole steps are at most this times σ⁻² apart in total variation:
half of ⅛ ∫|φ″|, by the error of the midpoint rule."""


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
            fix="use zcdp or rdp, or declare epsilon and delta",
        )
    wanted = allowed(delta)
    counts = Counter(events)
    composed = reduce(
        lambda one, other: one.compose(other), (_loss(event).self_compose(n) for event, n in counts.items())
    )
    apart = sum(n * APART / event.scale**2 for event, n in counts.items() if _is_large(event))
    return Cost(rounded_up(_epsilon(composed, wanted, apart)), wanted)


def _is_large(event: Event) -> bool:
    return event.law == "gaussian" and event.scale > LARGEST_SCALE


def _loss(event: Event) -> Any:
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


def _epsilon(composed: Any, delta: Fraction, apart: float) -> float:
    """The ε at which the distribution's δ and what stands beside it are allowed."""
    found = float(composed.get_epsilon_for_delta(float(delta)))
    while apart:
        beside = Fraction((1 + math.exp(found)) * apart)
        wider = float(composed.get_epsilon_for_delta(without(delta, beside)))
        if wider <= found * (1 + 1e-9):
            break
        found = wider
    if not math.isfinite(found):
        raise TacitError(f"the events are not (ε, {float(delta):g})-private for any ε", fix="allow a larger delta")
    return found
