"""Rényi accounting."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..cost import Cost, rounded_up
from ..event import Event
from ..neighbours import one_kind
from .allowed import allowed, without
from .zcdp import brought_delta

__all__ = ["rdp"]


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
    whole_delta = allowed(delta)
    left = without(whole_delta, brought_delta(events))
    # The relation is checked above; the library asks it only to refuse events that sample records, of which there are none.
    accountant = dp_accounting.rdp.RdpAccountant(neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
    for event, count in Counter(events).items():
        accountant.compose(_told(event, dp_accounting), count)
    return Cost(rounded_up(accountant.get_epsilon(left)), whole_delta)


def _told(event: Event, library: Any) -> Any:
    epsilon = float(event.cost.amount)
    if event.law in ("gaussian", "concentrated") or event.rho < event.cost.amount**2 / 2:
        return library.ZCDpEvent(float(event.rho))
    other = math.exp(-epsilon)
    return library.RandomizedResponseDpEvent(2 * other / (1 + other), 2)
