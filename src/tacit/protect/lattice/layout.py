"""What to search, as the kernels read it: the lattice, and the groups of its lowest node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .problem import Problem


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SearchRange:
    """What to search: the levels from ``low`` to ``high``, the best ``keep`` nodes below ``worst``.

    ``every``: all nodes, without leaving any out. ``remember``: the evaluated nodes are wanted.
    """

    low: np.ndarray
    high: np.ndarray
    keep: int = 1
    worst: float = np.inf
    every: bool = False
    remember: bool = True


def lay_out(problem: Problem, wanted: SearchRange, order: np.ndarray) -> tuple[Any, Any, np.ndarray]:
    """The lattice, a stack whose slot 0 holds the groups of the lowest node, and the group of each finest class there.

    The columns stand in the given order. O(classes · columns).
    """
    from ...kernels.lattice import Lattice, pack_keys, project_groups, roll_cells, stack_of

    tables, cells, before = problem.tables, problem.cells, problem.room
    lattice = Lattice(
        **{name: getattr(tables, name)[order] for name in ("word", "shift", "mask", "first", "total", "most")},
        up=tables.up,
        cost=tables.cost,
        weight=problem.weight[order],
        low=wanted.low[order],
        high=wanted.high[order],
        size=problem.size,
        limit=problem.limit,
        kind=problem.objective.kind,
        target=problem.target,
        every=wanted.every,
    )
    pack_keys(problem.codes, tables.leaf, tables.at, wanted.low, tables.word, tables.shift, before.keys[0])
    project_groups(before, 0, np.full(before.keys.shape[1], -1, np.int64), 1)
    groups = int(before.groups[1])
    slots = int((wanted.high - wanted.low).sum()) + 2
    stack = stack_of(slots, groups, before.keys.shape[1], cells)
    stack.groups[0] = groups
    for mine, theirs in ((stack.keys, before.keys), (stack.sizes, before.sizes)):
        mine[0] = theirs[1, ..., : mine.shape[-1]]
    of_class = np.empty(len(problem.order), np.int64)
    of_class[problem.order] = before.to[1]
    if len(cells.start):
        before.to[1] = of_class
        roll_cells(before, 0, 1)
        stack.start[0] = before.start[1, :, : groups + 1]
        stack.code[0], stack.number[0] = before.code[1], before.number[1]
    return lattice, stack, of_class
