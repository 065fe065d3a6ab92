"""What a table no longer tells once cells are suppressed."""

from __future__ import annotations

import numpy as np

from ...result import Result, Results
from ..problem import Problem, Status
from .cells import cell_depths, check_cell_count, finest_cells


def suppressed(problem: Problem, hidden: np.ndarray) -> Results:
    r"""How many cells, how much of the total, and which cost a suppression takes.

    * ``suppressed cells``: their number; as a share of those with something in them; how many are unsafe themselves and how
      many are suppressed for their sake; for each level below the grand total, how many of how many.
    * ``suppressed value``: the share of the finest cells' figures, by size, that can no longer be read:
      :math:`\sum_{hidden} |x| / \sum |x|`. The finest cells only, because every figure stands in several sums.
    * ``suppression cost``: the sum of the costs, and of those of the further cells alone: this is what a better pattern saves.

    Loss, measured. O(cells).
    """
    gone = check_cell_count(problem.table, hidden, what="marks of suppressed cells").astype(bool)
    return Results(
        (_suppressed_cells(problem, gone), _suppressed_value(problem, gone), _suppression_cost(problem, gone))
    )


def _suppressed_cells(problem: Problem, gone: np.ndarray) -> Result:
    filled = problem.status != Status.EMPTY
    deep = cell_depths(problem.table)
    levels = {f"level {level}": (deep == level) & filled for level in np.unique(deep).tolist()}
    facts: dict[str, object] = {
        "share": _safe_share(gone.sum(), filled.sum()),
        "unsafe": int((gone & (problem.status == Status.UNSAFE)).sum()),
        "further": int((gone & ~problem.must_suppress).sum()),
        "cells": int(filled.sum()),
    }
    if len(levels) > 1:
        facts["by level"] = {name: f"{int((gone & at).sum())} of {int(at.sum())}" for name, at in levels.items()}
    return Result(name="suppressed cells", value=int(gone.sum()), worse="high", about="utility", facts=facts)


def _suppressed_value(problem: Problem, gone: np.ndarray) -> Result:
    inner = finest_cells(problem.table)
    size = np.where(inner, np.abs(problem.table.values), 0.0)
    facts: dict[str, object] = {
        "finest cells suppressed": int((gone & inner).sum()),
        "finest cells": int((inner & (problem.status != Status.EMPTY)).sum()),
        "sums suppressed": int((gone & ~inner).sum()),
    }
    share = _safe_share(size[gone].sum(), size.sum())
    return Result(name="suppressed value", value=share, worse="high", about="utility", facts=facts)


def _suppression_cost(problem: Problem, gone: np.ndarray) -> Result:
    further = problem.total_cost(gone & ~problem.must_suppress)
    every = float(problem.cost.sum())
    facts: dict[str, object] = {"of further cells": further, "share": _safe_share(problem.total_cost(gone), every)}
    return Result(name="suppression cost", value=problem.total_cost(gone), worse="high", about="utility", facts=facts)


def _safe_share(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else 0.0
