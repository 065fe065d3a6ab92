"""What an outsider who knows the base and the sums gets back from a rounded table."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError
from ...progress import Progress
from ...result import Result
from ..audit.intervals import intervals
from ..audit.shortfall import level_shortfall
from ..problem import Problem
from ..published import Published
from .perturbed import Perturbed


def recovery_risk(perturbed: Perturbed, *, progress: Progress | None = None) -> Result:
    r"""The share of cells of a rounded table that arithmetic narrows down to one value.

    Everybody who knows the base b knows that a true count lies within b − 1 of the figure (within b for sums and weighted counts), and that the
    TRUE figures add up. The interval of each cell under these conditions is computed by linear programming. ``value`` is
    the share of cells known exactly; ``facts`` also tell how many are narrowed to fewer values than the rounding leaves
    open by itself, and how wide the intervals are on average. The attacker uses the sums alone, not how a
    controlled rounding chooses among the multiples: a bound from below on what can be learnt.
    Two linear programs per cell.
    """
    table, seen = perturbed.original, as_seen(perturbed)
    found = intervals(seen, whole=table.is_integer, progress=progress)
    alone = (seen.high - seen.low)[found.cells]
    narrowed = found.width < alone - 1e-6
    exact = found.width <= 1e-6
    return Result(
        name="cells recovered",
        value=float(exact.sum() / max(1, table.size)),
        worse="high",
        about="attribute",
        facts={
            "cells known exactly": int(exact.sum()),
            "cells narrowed by the sums": int(narrowed.sum()),
            "mean width": float(found.width.mean()) if len(found.cells) else 0.0,
            "mean width without the sums": float(alone.mean()) if len(alone) else 0.0,
        },
    )


def short_of_levels(problem: Problem, perturbed: Perturbed, *, progress: Progress | None = None) -> np.ndarray:
    """The unsafe cells that arithmetic narrows down further than their levels allow. Two linear programs for each."""
    cells = problem.primaries
    found = intervals(as_seen(perturbed), cells, whole=problem.table.is_integer, progress=progress)
    asked = np.isin(found.cells, cells)
    low, high = (problem.table.values.copy() for _ in range(2))
    low[found.cells[asked]], high[found.cells[asked]] = found.low[asked], found.high[asked]
    return np.asarray(cells[level_shortfall(problem, cells, low[cells], high[cells]) > 0])


def as_seen(perturbed: Perturbed) -> Published:
    """A perturbed table in the eyes of somebody who knows how far figures may lie from the truth."""
    table = perturbed.original
    base, most = (perturbed.parameters.get(word) for word in ("base", "largest change"))
    if isinstance(base, float):
        # a fall-back says how far its totals lie; that is published with it, so the attacker has it as well
        steps = max(1, int(np.ceil(float(np.abs(perturbed.values - table.values).max(initial=0.0)) / base - 1e-9)))
        reach = steps * base - (1.0 if table.is_integer else 0.0)
    elif isinstance(most, int | float):
        reach = float(most)
    else:
        raise TacitError(
            f"{perturbed.method} does not say how far figures may lie off",
            code="missing_parameter",
            fix="give a rounded table",
        )
    around = np.full(table.size, reach)
    return Published.from_perturbation(table, perturbed.values, below=around, above=around)
