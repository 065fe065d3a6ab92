"""What a sensitivity rule says of each cell: whether it discloses, and how uncertain it must become."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-12
"""Sums of floating-point numbers are right to about this share: a cell exactly at the border of a rule is safe."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Levels:
    """Which cells are unsafe, and the room that each needs below, above and in all (0 where a cell is safe)."""

    unsafe: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    sliding: np.ndarray

    @classmethod
    def both_ways(cls, unsafe: np.ndarray, level: np.ndarray) -> Levels:
        """The same room below and above.

        The rules ask for room above. The same is asked for below: an interval that began at the true figure would give it
        away to whoever knows how intervals are made.
        """
        room = np.where(unsafe, level, 0.0)
        return cls(unsafe=unsafe, lower=room, upper=room.copy(), sliding=np.zeros(len(room)))

    @classmethod
    def short_by(cls, level: np.ndarray, *, of: np.ndarray) -> Levels:
        """Unsafe where a rule is missed by ``level`` > 0; what is left by rounding in sums of the size ``of`` is nothing."""
        return cls.both_ways(level > ROUNDING * of, level)

    @classmethod
    def all_safe(cls, size: int) -> Levels:
        """No cell is unsafe."""
        return cls.both_ways(np.zeros(size, dtype=bool), np.zeros(size))

    @classmethod
    def combine_levels(cls, every: Iterable[Levels], *, size: int) -> Levels:
        """Unsafe by any of the rules, with the largest room that one of them asks for."""
        found = cls.all_safe(size)
        for one in every:
            found = cls(
                unsafe=found.unsafe | one.unsafe,
                lower=np.maximum(found.lower, one.lower),
                upper=np.maximum(found.upper, one.upper),
                sliding=np.maximum(found.sliding, one.sliding),
            )
        return found
