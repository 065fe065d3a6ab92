"""The δ that is allowed for a whole composition, and what is left of it beside the δ that single events bring."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ...errors import TacitError, format_value
from ..cost import check_positive
from ..event import Event


def check_delta(delta: object) -> Fraction:
    """A δ above 0 and below 1."""
    found = check_positive(delta, "delta")
    if found >= 1:
        raise TacitError(f"delta {format_value(delta)} is not below 1", code="out_of_range", fix="e.g. delta=1e-6")
    return found


def remaining_delta(delta: Fraction, brought: Fraction) -> float:
    """What is left of the allowed δ when the events' own is taken off."""
    if delta <= brought:
        raise TacitError(
            f"the events bring δ = {float(brought):g}, which leaves nothing of {float(delta):g}",
            code="privacy_budget",
            fix="allow a larger delta",
        )
    return float(delta - brought)


def epsilon_deltas(events: Iterable[Event]) -> list[tuple[float, Fraction]]:
    """ε and δ of each event; Gaussian noise that was declared by ρ has none."""
    found = list(events)
    if any(event.cost.unit != "epsilon" for event in found):
        raise TacitError(
            "noise that was declared by rho has no ε of its own", code="invalid_parameter", fix="use zcdp or rdp"
        )
    return [(float(event.cost.amount), event.cost.delta) for event in found]
