"""Which cells are suppressed, and what is known about how good that choice is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pattern:
    """A set of suppressed cells with the evidence for its quality; whether it protects is for the audit to say.

    ``bound`` is a proven lower bound on the cost of ANY pattern that protects (−inf when none is known), ``cost`` that of this
    one, both over all suppressed cells. ``methods`` tells the chain that made it. A pattern is ``reproducible`` unless a
    limit by the clock ended the search; limits that count nodes and iterations do not spoil that.
    """

    hidden: np.ndarray
    cost: float
    bound: float = float("-inf")
    methods: tuple[str, ...] = ()
    reproducible: bool = True
    stopped: str | None = None
    facts: Mapping[str, float] = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """(cost − bound) / cost: 0 for a proven optimum, 1 when nothing is known."""
        if self.cost <= 0:
            return 1.0 if self.bound < self.cost < 0 else 0.0
        return float(min(1.0, max(0.0, (self.cost - self.bound) / self.cost)))

    @property
    def proven(self) -> bool:
        """Whether no pattern that protects is cheaper."""
        return self.gap <= 1e-6
