"""What an adjustment must do: how far each unsafe cell moves, and how far every cell may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...errors import TacitError
from ..problem import Problem, Status
from ..suppress.limits import CannotProtect
from .grid import check_figures

LARGEST = 1e6
"""No figure is larger than this in the units of the linear programs."""

Weighing = Literal["relative", "unit", "cost"]
"""What a unit of change costs: 1/figure, 1, or the cost that the problem gives."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Demands:
    """``cells`` must move up by ``up`` or down by ``down``; any cell at most ``above`` and ``below``; ``price`` per unit.

    ``may_up`` and ``may_down`` tell which directions a cell has at all. Cells that are empty, forced or 0 do not move, and
    none leaves the bounds that everybody knows of it, or falls below 0 where no figure does.

    All amounts are in ``unit``s of the figures, and prices per unit: a solver with tolerances of 10⁻⁷ takes no notice of moves of
    billionths, nor of prices of 1/10⁹. The unit is a power of two, so that nothing is lost by it.
    """

    problem: Problem
    cells: np.ndarray
    up: np.ndarray
    down: np.ndarray
    above: np.ndarray
    below: np.ndarray
    price: np.ndarray
    may_up: np.ndarray
    may_down: np.ndarray
    unit: float

    @classmethod
    def of(cls, problem: Problem, weigh: Weighing) -> Demands:
        """Read off a problem; an unsafe cell that can move neither way is an error that names it."""
        values, cells = problem.table.values, problem.primaries
        check_figures(problem.table)
        fixed = (values == 0) | (problem.status == Status.EMPTY) | (problem.status == Status.PUBLISHED)
        low = np.maximum(problem.low, 0.0) if (values >= 0).all() else problem.low
        above = np.where(fixed, 0.0, np.maximum(problem.high - values, 0.0))
        below = np.where(fixed, 0.0, np.maximum(values - low, 0.0))
        half = problem.sliding[cells] / 2
        up, down = np.maximum(problem.upper[cells], half), np.maximum(problem.lower[cells], half)
        asked = (up > 0) | (down > 0)
        cells, up, down = cells[asked], up[asked], down[asked]
        may_up, may_down = (up > 0) & (up <= above[cells]), (down > 0) & (down <= below[cells])
        stuck = np.flatnonzero(~may_up & ~may_down)
        if len(stuck):
            name = problem.table.name(cells[stuck[0]])
            raise CannotProtect(
                f"the cell {name} can move neither up nor down by its protection levels within its bounds",
                fix="lower its level, widen the bounds, or suppress it instead",
            )
        unit = _scaling_unit(values)
        return cls(
            problem=problem,
            cells=cells,
            up=up / unit,
            down=down / unit,
            above=above / unit,
            below=below / unit,
            price=_change_price(problem, weigh, floor=min(1.0, unit)) * unit,
            may_up=may_up,
            may_down=may_down,
            unit=unit,
        )

    def cost(self, moves: np.ndarray) -> float:
        """What a set of moves costs in all."""
        return float(self.price @ np.abs(moves))


def _scaling_unit(values: np.ndarray) -> float:
    """1 where the largest figure has up to six digits before the point; else what makes it so."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or 1 <= largest <= LARGEST:
        return 1.0
    return float(2.0 ** np.ceil(np.log2(largest / LARGEST)))


def _change_price(problem: Problem, weigh: Weighing, *, floor: float) -> np.ndarray:
    """What a unit of change costs; figures below the floor (1, or a unit where all are small) are weighed like it."""
    values = np.abs(problem.table.values)
    if weigh == "relative":
        return np.asarray(1.0 / np.maximum(values, floor))
    if weigh == "unit":
        return np.ones(problem.size)
    if weigh == "cost":
        return np.asarray(np.maximum(problem.cost, 0.0), dtype=np.float64)
    raise TacitError(
        f"weigh={weigh!r} is unknown", code="unknown_name", parameter="weigh", fix="use relative, unit or cost"
    )
