"""The exact interval of every cell of one connected part, with as few linear programs as it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .propagate import propagate_bounds
from .simplex import Extreme, Simplex
from .system import NOISE, System

AT_ONCE = 12
"""So many programs first push many cells to their bounds together; most cells need no program of their own then."""
WORTH = 0.02
"""Pushing together goes on while it settles this share of what is open."""


@dataclass(frozen=True, slots=True, eq=False)
class PartIntervals:
    """The interval of each cell of a part, in its units, and whether it is proven in exact arithmetic."""

    low: np.ndarray
    high: np.ndarray
    proven: np.ndarray
    programs: int


def part_intervals(part: System, wanted: np.ndarray, *, tick: Callable[[int], None]) -> PartIntervals:
    """The intervals of the wanted cells; of the others, bounds that hold but may be wide.

    A part without circles needs no program: propagated bounds are exact. Elsewhere a table of the system in which a cell
    stands at its propagated bound settles that side, whatever question it answered.
    """
    if part.is_forest or not len(part.rows):
        found = propagate_bounds(part, rounds=max(1, len(part.rows)) + 1)
        tick(int(wanted.sum()))
        return PartIntervals(found.low, found.high, np.full(len(part.cells), part.exact), 0)
    search = _Search(part, wanted)
    search.at_once()
    for place in np.flatnonzero(wanted):
        search.solve_cell(int(place))
        tick(1)
    return search.part_bounds()


class _Search:
    """Bounds that close in from both sides: tables seen so far from within, equations and prices from without."""

    def __init__(self, part: System, wanted: np.ndarray) -> None:
        self.part, self.wanted, self.simplex = part, wanted, Simplex(part)
        self.low, self.high = part.low.copy(), part.high.copy()
        self.least, self.most = np.full(len(part.cells), np.inf), np.full(len(part.cells), -np.inf)
        self.proven = np.zeros((2, len(part.cells)), dtype=bool)
        self.noise = part.noise

    def open_cells(self, way: int) -> np.ndarray:
        """The wanted cells that no table seen so far has at their upper (way = 1) or lower bound."""
        short = self.most < self.high - self.noise if way > 0 else self.least > self.low + self.noise
        return np.flatnonzero(self.wanted & short)

    def at_once(self) -> None:
        """Push all open cells together, up and down by turns."""
        for way in (-1, 1):
            for _ in range(AT_ONCE // 2):
                places = self.open_cells(way)
                if len(places) < 4:
                    break
                weights = np.zeros(len(self.low))
                weights[places] = 1.0
                self.add_table(self.simplex.extreme(weights, way=way))
                if len(self.open_cells(way)) > (1 - WORTH) * len(places):
                    break

    def solve_cell(self, place: int) -> None:
        """Both ends of one cell; a program only for the end that is still open."""
        for way, ends in ((-1, self.low), (1, self.high)):
            reached = self.most >= self.high - self.noise if way > 0 else self.least <= self.low + self.noise
            if reached[place]:
                self.proven[(way + 1) // 2, place] |= self.part.exact
                continue
            weights = np.zeros(len(self.low))
            weights[place] = 1.0
            found = self.simplex.extreme(weights, way=way)
            self.add_table(found)
            ends[place] = found.value
            self.proven[(way + 1) // 2, place] = found.proven or bool(np.isinf(found.value))

    def add_table(self, found: Extreme) -> None:
        """Take in one more table of the system."""
        if found.feasible:
            self.least = np.minimum(self.least, found.table)
            self.most = np.maximum(self.most, found.table)

    def part_bounds(self) -> PartIntervals:
        """The bounds; without whole units, two ends that differ by no more than the solver's error are one."""
        ranges = (self.part.high - self.part.low)[np.isfinite(self.part.high - self.part.low)]
        low, high = self.low, self.high
        if not self.part.exact and len(ranges):
            with np.errstate(invalid="ignore"):
                point = high - low <= NOISE * float(ranges.max()) + 4 * self.noise
            middle = np.where(point, (low + high) / 2, 0.0)
            low, high = np.where(point, middle, low), np.where(point, middle, high)
        return PartIntervals(low, high, np.asarray(self.proven.all(axis=0)), self.simplex.count)
