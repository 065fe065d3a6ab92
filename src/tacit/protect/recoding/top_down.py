"""Groups of cells by cuts from the top down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .problem import Problem


def cut_top_down(problem: Problem, *, relaxed: bool = False, largest: int = 1) -> np.ndarray:
    """The part of each cell: cut for as long as every part meets the rules and a part has more than ``largest`` cells."""
    from ...kernels.mondrian import mondrian, table_of

    p = problem
    table = table_of(p.values, p.cells.size, int(p.cells.first[-1]))
    found: np.ndarray = mondrian(table, p.shapes, p.rules, p.cells, relaxed, largest)
    return found
