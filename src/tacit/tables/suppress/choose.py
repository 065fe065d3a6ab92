"""Which method a table gets when none is asked for."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..problem import Problem
from .limits import Limits

__all__ = ["Shape", "choose", "limits_for", "shape_of"]

Shape = Literal["network", "hierarchies", "more"]
"""How the sums of a table cross: as a network, as two hierarchies, or in more ways."""

EXACT = {"network": 12_000, "hierarchies": 2_200, "more": 400}
"""Up to how many cells the exact method is run."""

SHORT = Limits(nodes=2_000, iterations=200_000)


def shape_of(problem: Problem) -> Shape:
    """Told from the equations alone, so that ready-made problems without codes are judged alike.

    An inner cell (the total of no sum) stands in one equation per dimension. Cells that stand in three or more equations
    of a table of two dimensions come from a second hierarchy.
    """
    equations = problem.table.equations
    among = np.bincount(equations.matrix.indices, minlength=problem.size)
    if int(among[~equations.totals].max(initial=0)) > 2:
        return "more"
    return "network" if int(among.max(initial=0)) <= 3 else "hierarchies"


def choose(problem: Problem) -> str:
    """``exact`` where a proof is within reach, else ``heuristic``."""
    return "exact" if problem.size <= EXACT[shape_of(problem)] else "heuristic"


def limits_for(problem: Problem) -> Limits:
    """Limits of the exact method where none are given: short where a proof is not to be hoped for."""
    return SHORT if shape_of(problem) == "more" else Limits()
