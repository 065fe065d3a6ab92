"""All accountants side by side."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import TacitError
from ...frozen import FrozenDict
from ..cost import Cost
from ..event import Event
from ..neighbours import one_kind
from .advanced import advanced
from .allowed import allowed
from .basic import basic
from .pld import pld
from .rdp import rdp
from .zcdp import zcdp

__all__ = ["accounts"]


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
    wanted = allowed(delta)
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
