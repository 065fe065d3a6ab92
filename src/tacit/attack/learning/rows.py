"""Who is found by a distance, as linear inequalities in its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

TIE = 1e-12
"""Distances that differ by less than this share of what they are summed from are a tie, and a tie finds nobody."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Seeker i finds its own iff v·p > 0 for every row v of ``values[start[i]:start[i+1]]``.

    A row is the terms of the distance to a rival minus those of the distance to one's own. Of the seekers of one group of
    ``alike`` (they stand in the same place and seek different ones) at most one can be found. ``lost`` are the seekers
    with a rival that cannot be told from their own.
    """

    values: np.ndarray
    start: np.ndarray
    alike: tuple[np.ndarray, ...] = ()
    lost: np.ndarray | None = None

    @property
    def seekers(self) -> int:
        """How many there are."""
        return len(self.start) - 1

    @property
    def size(self) -> int:
        """How many parameters the distance has."""
        return int(self.values.shape[1])


def found_by(rows: Rows, parameters: np.ndarray) -> np.ndarray:
    """Which seekers find their own; O(rows · parameters)."""
    margin = rows.values @ parameters - TIE * (np.abs(rows.values) @ np.abs(parameters))
    found = np.ones(rows.seekers, dtype=bool)
    found[np.repeat(np.arange(rows.seekers), np.diff(rows.start))[margin <= 0]] = False
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Cone:
    """All p with p ≥ 0 (when ``nonnegative``), ``sides`` @ p ≥ 0, and nothing that ``beyond`` objects to.

    ``beyond(p)`` gives rows h with h·p < 0 although every allowed parameter has h·p ≥ 0: none when p is allowed. With it
    a cone may have more sides than anybody could list (the positive definite forms). ``span(p, d)`` is then the interval
    of t for which p + t·d is allowed, p being allowed, where that is quickly told. ``inside`` is a point well within all sides, towards which a point
    on one of them is drawn, so that no rounding leaves the cone; None where none can.
    """

    size: int
    nonnegative: bool = False
    sides: np.ndarray | None = None
    beyond: Callable[[np.ndarray], np.ndarray] | None = None
    span: Callable[[np.ndarray, np.ndarray], tuple[float, float]] | None = None
    inside: np.ndarray | None = None
