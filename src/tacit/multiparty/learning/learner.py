"""What a model is to a session: how its sums are made from the own rows, step by step, and what follows from them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import polars as pl

from ..statistics.feasibility import Check

Add = Callable[[Sequence[int], Check], Awaitable[list[int]]]
"""A secure sum: my whole numbers in, everybody's sums out. All parties call it equally often, with equally many numbers.

The check gets what the others brought together, and how many they are; a sum that it refuses ends the session before the next step.
"""
Figures = dict[str, Any]


class Learner(Protocol):
    """A model that is learnt by secure sums; what the steps reveal is said in its docstring."""

    @property
    def side_information(self) -> str | None:
        """What all parties see of the steps that the figures do not tell, in a few words."""

    def max_sum(self, parties: int) -> int:
        """A bound on the size of every sum."""

    def load_input(self, frame: pl.DataFrame) -> Any:
        """The own rows, checked."""

    async def learn(self, own: Any, add: Add) -> Figures:
        """The algorithm."""
