"""Large problems in blocks, each of which is solved by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...progress import part, report
from .clustered import clustered
from .parts import parts
from .problem import Problem, subproblem

if TYPE_CHECKING:
    from ...progress import Progress

__all__ = ["in_blocks"]


def in_blocks(problem: Problem, block: int, *, progress: Progress | None = None) -> np.ndarray:
    """The group of each cell: clusters within blocks of at most ``block`` cells, where the cuts of Mondrian allow it.

    Every block meets the rules, as Mondrian's parts do, so that each can be clustered by itself.
    """
    if len(problem.values) <= block:
        return clustered(problem, progress=progress)
    of_block = parts(problem, largest=block)
    count = int(of_block.max()) + 1
    group = np.empty(len(problem.values), dtype=np.int64)
    for number in range(count):
        report(progress, "clustering", number / count)
        cells = np.flatnonzero(of_block == number)
        inside = part(progress, number / count, (number + 1) / count)
        # a cluster is called after one of its cells
        group[cells] = cells[clustered(subproblem(problem, cells), progress=inside)]
    return group
