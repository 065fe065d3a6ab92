"""How well a sum of several unknown cells is known: more than the cells alone may tell."""

from __future__ import annotations

import numpy as np

from ..published import Published
from .opened import consistent, opened
from .propagate import propagated
from .simplex import Simplex
from .system import System

__all__ = ["Sums", "together"]


def together(published: Published, cells: np.ndarray, *, weights: np.ndarray | None = None) -> tuple[float, float]:
    """The smallest and largest value of the (weighted) sum of some cells, given the publication (G-04).

    Two suppressed cells of one row that both belong to one respondent may each be well hidden, while their sum is the row's
    total less the published rest: known to the last digit. Two linear programs.

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> seen = Published(
    ...     labels=pl.DataFrame({"cell": ["a", "b", "rest", "total"]}),
    ...     equations=Equations.of([[1, 1, 1, -1]]),
    ...     low=np.array([0.0, 0, 30, 100]),
    ...     high=np.array([500.0, 500, 30, 100]),
    ... )
    >>> together(seen, [0]), together(seen, [0, 1])
    ((0.0, 70.0), (70.0, 70.0))
    """
    return Sums(published).interval(np.asarray(cells, dtype=np.int64), weights=weights)


class Sums:
    """The unknown cells of a publication, split into parts, ready for many questions about sums of them."""

    def __init__(self, published: Published, *, tolerance: float = 0.0) -> None:
        self.published, self.tolerance, self.programs = published, tolerance, 0
        with consistent(published, tolerance):
            start = opened(published, tolerance=tolerance)
            begun = propagated(start.reduced())
            self.low, self.high, self.per = start.low.copy(), start.high.copy(), start.per
            self.low[begun.cells], self.high[begun.cells] = begun.low, begun.high
            self.parts: list[System] = begun.reduced().components()
        self.part_of, self.place_of = np.full(len(self.low), -1), np.zeros(len(self.low), dtype=np.int64)
        for number, part in enumerate(self.parts):
            self.part_of[part.cells], self.place_of[part.cells] = number, np.arange(len(part.cells))
        self._solvers: dict[int, Simplex] = {}

    def interval(self, cells: np.ndarray, *, weights: np.ndarray | None = None) -> tuple[float, float]:
        """The smallest and largest value of the sum; sums of parts that share no equation add up."""
        given = np.ones(len(cells)) if weights is None else np.asarray(weights, dtype=np.float64)
        settled = self.part_of[cells] < 0
        ends = [float(given[settled] @ side[cells[settled]]) for side in (self.low, self.high)]
        for number in np.unique(self.part_of[cells][~settled]):
            here = self.part_of[cells] == number
            part = self.parts[number]
            asked = np.zeros(len(part.cells))
            np.add.at(asked, self.place_of[cells[here]], given[here])
            for side, way in enumerate((-1, 1)):
                ends[side] += self._extreme(int(number), asked, way)
        return ends[0] / self.per, ends[1] / self.per

    def _extreme(self, number: int, asked: np.ndarray, way: int) -> float:
        part = self.parts[number]
        if not len(part.rows):
            ends = np.stack([asked * part.low, asked * part.high])
            return float((ends.max(axis=0) if way > 0 else ends.min(axis=0)).sum())
        if number not in self._solvers:
            self._solvers[number] = Simplex(part)
        self.programs += 1
        with consistent(self.published, self.tolerance):
            return self._solvers[number].extreme(asked, way=way).value
