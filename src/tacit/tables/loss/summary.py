"""All losses of a protected table together."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError
from ...result import Results
from ..problem import Problem
from .distance import distance
from .rank_changes import rank_changes
from .suppressed import suppressed


def summary(problem: Problem, *, hidden: np.ndarray | None = None, values: np.ndarray | None = None) -> Results:
    """What was lost: by suppression where cells are ``hidden``, by perturbation where ``values`` replace the figures."""
    if hidden is None and values is None:
        raise TacitError("nothing was done to the table", code="invalid_table", fix="give hidden=… or values=…")
    parts = () if hidden is None else suppressed(problem, hidden).parts
    if values is not None:
        parts += distance(problem.table, values).parts + rank_changes(problem.table, values).parts
    return Results(parts)
