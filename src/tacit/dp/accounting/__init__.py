"""Composition: what many answers cost together.

Every accountant takes the events of mechanisms or statistics, all for the same neighbours. ``basic`` and ``parallel`` are exact
sums; the others give ε for a δ that is allowed for the whole: ``advanced`` from pure ε alone, ``zcdp`` from ρ, ``rdp`` and
``pld`` through the accountants of dp-accounting. None is best for all lists; :func:`accounts` asks all.
"""

from .accounts import accounts, advanced, basic, optimal, parallel, pld, rdp
from .zcdp import zcdp, zcdp_delta, zcdp_epsilon, zcdp_rho

__all__ = [
    "accounts",
    "advanced",
    "basic",
    "optimal",
    "parallel",
    "pld",
    "rdp",
    "zcdp",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_rho",
]
