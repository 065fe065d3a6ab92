"""The exact interval of every suppressed or rounded cell, by linear programming."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...progress import Progress, report_progress
from ..published import Published
from .component import part_intervals
from .consistency import consistent_system, explain_contradictions
from .integer_bounds import integer_intervals, round_inwards
from .propagate import propagate_bounds
from .shortfall import is_point

Whole = bool | Literal["exact"]
"""Whether the attacker uses that cells are whole numbers: no, by rounding inwards, or to the full."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Intervals:
    """From where to where each cell can lie, given the publication alone.

    ``proven`` marks intervals whose two ends were confirmed in exact arithmetic: a table that attains the end, and prices
    that show that none goes beyond. The others are right to the solver's tolerance (about 1e-9 of the largest figure).
    ``programs`` is how many linear programs that took.
    """

    cells: np.ndarray
    low: np.ndarray
    high: np.ndarray
    proven: np.ndarray
    programs: int = 0

    @property
    def width(self) -> np.ndarray:
        """How much is left open of each cell."""
        return np.asarray(self.high - self.low)

    @property
    def exact(self) -> np.ndarray:
        """The cells that are known exactly."""
        return np.asarray(self.cells[is_point(self.low, self.high)])


def intervals(
    published: Published,
    cells: np.ndarray | None = None,
    *,
    tolerance: float = 0.0,
    whole: Whole = False,
    progress: Progress | None = None,
) -> Intervals:
    r"""The smallest and largest value of each cell over all tables that agree with the publication.

    .. math:: \min / \max\ x_k \quad \text{such that}\quad A x = b,\; l \le x \le h

    Two linear programs per cell, fewer where a table already seen or a single equation settles one; the argument that
    the answers are exact is in ``intervals.md``. ``cells`` are those asked for, all that are not known by default.
    ``tolerance``: each published figure was rounded, and lies within so much of the true one. ``whole``: the attacker
    knows that cells are whole numbers; True rounds the ends inwards (no whole table is lost, but a real attacker may
    know still more), "exact" solves whole-number programs, for parts of at most 2 000 cells.

    Figures that contradict one another are an error that names an equation. Time: 0.1 to 3 milliseconds per program;
    memory: entries of the matrix.

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> sums = Equations.of([[1, 1, 0, 0, 0, -1, 0], [0, 0, 1, 1, 0, 0, -1], [1, 0, 1, 0, -1, 0, 0]])
    >>> low, high = np.array([0, 0, 0, 0, 9.0, 7, 8]), np.array([99, 99, 99, 99, 9.0, 7, 8])
    >>> seen = Published(labels=pl.DataFrame({"cell": list("abcdxyz")}), equations=sums, low=low, high=high)
    >>> found = intervals(seen)
    >>> list(zip(found.cells.tolist(), found.low.tolist(), found.high.tolist()))
    [(0, 1.0, 7.0), (1, 0.0, 6.0), (2, 2.0, 8.0), (3, 0.0, 6.0)]

    References
    ----------
    Fischetti, Salazar (2001), Solving the cell suppression problem on tabular data with linear constraints.
    Hundepool et al. (2012), Statistical Disclosure Control, chapter 4.
    """
    asked = np.flatnonzero(published.low < published.high) if cells is None else np.asarray(cells, dtype=np.int64)
    wanted = np.zeros(len(published.low), dtype=bool)
    wanted[asked] = True
    with explain_contradictions(published, tolerance):
        start = consistent_system(published, tolerance=tolerance, whole=bool(whole))
        begun = propagate_bounds(start.without_known())
        low, high, proven = start.low.copy(), start.high.copy(), np.full(len(start.low), start.exact)
        low[begun.cells], high[begun.cells] = begun.low, begun.high
        tick, programs = _progress_counter(progress, len(asked)), 0
        for part in begun.without_known().components():
            if not wanted[part.cells].any():
                continue
            found = part_intervals(part, wanted[part.cells], tick=tick)
            if whole == "exact":
                found = integer_intervals(part, found, wanted[part.cells])
            programs += found.programs
            low[part.cells], high[part.cells], proven[part.cells] = found.low, found.high, found.proven
    if whole:
        low, high = round_inwards(low, high, start.per)
    low, high = low[asked] / start.per, high[asked] / start.per
    return Intervals(cells=asked, low=low, high=high, proven=proven[asked], programs=programs)


def _progress_counter(progress: Progress | None, count: int) -> Callable[[int], None]:
    """Tells the listener how many of the cells are done."""
    done = 0

    def tick(more: int) -> None:
        nonlocal done
        done += more
        report_progress(progress, "intervals", min(1.0, done / max(1, count)))

    return tick
