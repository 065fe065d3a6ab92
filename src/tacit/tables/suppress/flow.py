"""Hide, for one unsafe cell after the other, the cheapest further cells through which it can move."""

from __future__ import annotations

import numpy as np

from ...progress import Progress, report_progress
from ..problem import Problem
from .cell_demands import CellDemands, level_slack
from .deviations import DeviationProgram, deviation_bounds
from .feasibility import why_not
from .paths import Paths

ROUNDS = 4
"""After so many passes what is still short is left to the audit to tell."""


def flow_pattern(
    problem: Problem,
    *,
    start: np.ndarray | None = None,
    guide: np.ndarray | None = None,
    prices: np.ndarray | None = None,
    paths: Paths | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    r"""A pattern in which every unsafe cell reaches its levels, grown from ``start`` (the cells that must be hidden).

    First the demands that the pattern meets already are found; each of the others takes the least-cost movement over all
    cells that may be hidden, at no price for those hidden before. ``guide`` holds shares in [0, 1], e.g. of a relaxed
    optimum: cells with a large share are made cheap. ``prices`` replace the costs. No cell is dropped here: see
    :func:`~tacit.tables.suppress.clean.clean_pattern`. One to three linear programs per demand that is short.
    """
    hidden = problem.must_suppress if start is None else problem.must_suppress | (start & problem.may_suppress)
    needs = CellDemands.of(problem)
    asked = _cell_prices(problem, guide) if prices is None else prices
    for _ in range(ROUNDS):
        short = short_of(problem, hidden, needs)
        if not len(short):
            break
        paths = Paths(problem) if paths is None else paths
        grow_pattern(problem, hidden, needs.select_demands(short), asked, paths, progress)
    return hidden


def short_of(problem: Problem, hidden: np.ndarray, needs: CellDemands) -> np.ndarray:
    """The places of the demands that a pattern does not meet; each is asked unless an earlier movement shows it."""
    rooms, seen = DeviationProgram(problem, hidden), _SeenMovements(problem)
    short = []
    for at, (cell, sign, level) in enumerate(needs):
        if not seen.has_reached(cell, sign, level):
            seen.record_movement(rooms.cells, rooms.reach(cell, sign, level)[1])
            if not seen.has_reached(cell, sign, level):
                short.append(at)
    return np.array(short, dtype=np.int64)


def grow_pattern(
    problem: Problem,
    hidden: np.ndarray,
    needs: CellDemands,
    prices: np.ndarray,
    paths: Paths,
    progress: Progress | None,
) -> None:
    """Hide what each demand needs, in place; a demand that the grown pattern meets asks for nothing."""
    seen = _SeenMovements(problem)
    rooms: DeviationProgram | None = None
    grown = False
    for at, (cell, sign, level) in enumerate(needs):
        if at % 16 == 0:
            report_progress(progress, "hiding further cells", at / len(needs))
        if seen.has_reached(cell, sign, level):
            continue
        if grown:
            # A small program over the hidden cells often spares the large one over all.
            rooms = DeviationProgram(problem, hidden) if rooms is None else rooms
            seen.record_movement(rooms.cells, rooms.reach(cell, sign, level)[1])
            if seen.has_reached(cell, sign, level):
                continue
        movement = paths.cheapest_path(cell, sign, level, prices=np.where(hidden, 0.0, prices))
        if movement is None:
            raise why_not(problem, cell, sign)
        moved = np.flatnonzero(movement)
        if not hidden[moved].all():
            hidden[moved], grown, rooms = True, True, None
        seen.record_movement(moved, movement[moved])


class _SeenMovements:
    """How far every cell was seen to move, each movement stretched as far as the bounds let it."""

    def __init__(self, problem: Problem) -> None:
        self.low, self.high = deviation_bounds(problem)
        self.up, self.down = np.zeros(problem.size), np.zeros(problem.size)

    def record_movement(self, cells: np.ndarray, movement: np.ndarray) -> None:
        moved = np.flatnonzero(movement)
        cells, movement = cells[moved], movement[moved]
        ends = np.where(movement > 0, self.high[cells], self.low[cells])
        movement = movement * max(1.0, float((ends / movement).min(initial=np.inf)) if len(moved) else 1.0)
        self.up[cells] = np.maximum(self.up[cells], movement)
        self.down[cells] = np.maximum(self.down[cells], -movement)

    def has_reached(self, cell: int, sign: int, level: float) -> bool:
        return bool((self.up if sign > 0 else self.down)[cell] >= level - level_slack(np.array(level)))


def _cell_prices(problem: Problem, guide: np.ndarray | None) -> np.ndarray:
    """What each cell costs, never quite nothing, so that no needless cell is hidden; less where the guide points."""
    prices = problem.cost + 1e-6 * max(1.0, float(np.abs(problem.cost).max(initial=0.0)))
    return prices if guide is None else prices * (1 - 0.999 * np.clip(guide, 0.0, 1.0))
