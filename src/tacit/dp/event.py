"""What an accountant is told about one use of a mechanism: its law, its loss, and for which neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from .cost import Cost
from .neighbours import Neighbours

Law = Literal["laplace", "gaussian", "concentrated", "choice", "response", "threshold"]
"""Discrete Laplace noise; discrete Gaussian noise on one answer, or declared by ρ on one or several; a choice by scores;
randomised response; a thresholded list of keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One use of a mechanism.

    ``cost`` is what it was declared to cost; ``rho`` its zero-concentrated loss (with ``cost.delta`` beside it), for pure
    ε at most ε²/2 (Bun and Steinke 2016, proposition 1.4). ``scale`` and ``sensitivity`` are in steps of the grid; 0 where
    the law has none.
    """

    law: Law
    neighbours: Neighbours
    cost: Cost
    rho: Fraction
    scale: float = 0.0
    sensitivity: int = 0

    def for_neighbours(self, neighbours: Neighbours) -> Event:
        """The same use, told for other neighbours; whoever calls it has the argument."""
        return replace(self, neighbours=neighbours)
