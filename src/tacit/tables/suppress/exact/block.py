"""A part of the problem that can be solved apart: cells that can move together, and what must be reached among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ...problem import Problem, Status
from ..cell_demands import level_slack
from ..deviations import deviation_bounds, solver_unit
from ..widths import interval_widths


@dataclass(frozen=True, slots=True)
class Goal:
    """One thing to reach: the deviations of a cell in the directions ``signs``, added up, come to ``level`` or more.

    A lower or an upper level has one direction; a sliding level has both.
    """

    cell: int
    signs: tuple[int, ...]
    level: float


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The cells of a connected part, with numbers of their own, and all figures in the unit of the solver.

    ``cells`` are the numbers in the problem; ``up`` and ``down`` how far each may move by what everybody knows, both ≥ 0;
    ``fixed`` those that are hidden in every pattern. ``problem`` is the whole problem with all other cells published.
    """

    problem: Problem
    cells: np.ndarray
    matrix: Any
    transposed: Any
    up: np.ndarray
    down: np.ndarray
    fixed: np.ndarray
    cost: np.ndarray
    goals: tuple[Goal, ...]

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.cells)

    def to_pattern(self, inside: np.ndarray) -> np.ndarray:
        """A pattern of the block as one of the whole problem, in which no other cell is hidden."""
        found = np.zeros(self.problem.size, dtype=bool)
        found[self.cells[inside]] = True
        return found


def split_blocks(problem: Problem) -> list[Block]:
    """The parts that hold an unsafe cell; cells that can never move are in none. O(non-zeros) per sweep.

    A cell whose bounds leave no room, or that is the only one of some equation that could move, deviates in no pattern:
    hiding it protects nobody. It is left out, which may leave others alone; so until nothing changes.
    """
    low, high = deviation_bounds(problem)
    matrix = problem.table.equations.matrix
    moves = movable_cells((problem.must_suppress | problem.may_suppress) & (high > low), matrix)
    # An unsafe cell that cannot move stays, alone, so that its goal is seen to fail.
    lone = (problem.status == Status.UNSAFE) & ~moves
    kept = np.flatnonzero(moves | lone)
    part = sp.csr_matrix(matrix[:, kept])
    part.data = np.where(moves[kept][part.indices], part.data, 0.0)
    part.eliminate_zeros()
    label = connected_components(sp.bmat([[None, part.T], [part, None]]), directed=False)[1][: len(kept)]
    scale = solver_unit(problem)
    wanted = np.unique(label[problem.status[kept] == Status.UNSAFE])
    found = [_build_block(problem, kept[label == one], (high / scale, -low / scale), scale) for one in wanted]
    return [block for block in found if block.goals]


def movable_cells(moves: np.ndarray, matrix: Any) -> np.ndarray:
    """Of the cells that may move, those that are not the only such cell of an equation, and are not so without the others."""
    present = abs(sp.csr_matrix(matrix)).sign()
    while True:
        alone = np.flatnonzero(present @ moves.astype(np.float64) == 1)
        stuck = moves & (np.asarray(present[alone].sum(axis=0)).ravel() > 0)
        if not stuck.any():
            return moves
        moves = moves & ~stuck


def _build_block(problem: Problem, cells: np.ndarray, room: tuple[np.ndarray, np.ndarray], scale: float) -> Block:
    inside = np.zeros(problem.size, dtype=bool)
    inside[cells] = True
    status = np.where(inside, problem.status, Status.PUBLISHED).astype(np.uint8)
    matrix = sp.csr_matrix(problem.table.equations.matrix[:, cells])
    matrix = matrix[np.flatnonzero(np.diff(matrix.indptr))]
    return Block(
        problem=replace(problem, status=status),
        cells=cells,
        matrix=matrix,
        transposed=sp.csr_matrix(matrix.T),
        up=room[0][cells],
        down=room[1][cells],
        fixed=problem.must_suppress[cells],
        cost=problem.cost[cells].astype(np.float64),
        goals=_block_goals(problem, cells, scale),
    )


def _block_goals(problem: Problem, cells: np.ndarray, scale: float) -> tuple[Goal, ...]:
    """Largest first; a sliding level that the two others imply is no goal of its own."""
    found, wide = [], interval_widths(problem)
    for at, cell in enumerate(cells):
        if problem.status[cell] != Status.UNSAFE:
            continue
        lower, upper, both = (float(side[cell]) for side in (problem.lower, problem.upper, wide))
        for signs, level in (((1,), upper), ((-1,), lower), ((1, -1), both if both > lower + upper else 0.0)):
            if level > 0:
                found.append(Goal(at, signs, (level - float(level_slack(np.array(level)))) / scale))
    return tuple(sorted(found, key=lambda goal: (-goal.level, goal.cell, goal.signs)))
