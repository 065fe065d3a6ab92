"""The linear programs of an adjustment: the least that any directions cost, and the best moves for given ones."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...kernels.highs import program, quiet
from .demands import Demands

PENALTY = 100.0
"""What a unit short of a level costs, times the largest price of all: more than any detour through other cells."""


def least(demands: Demands) -> tuple[float, np.ndarray]:
    r"""A proven lower bound on the cost of any adjustment, and the moves that attain it in the relaxation (G-05).

    "Up by u or down by l" is relaxed to its convex hull: between −l and u a move costs what the straight line between the two
    ends says, and beyond them its length. One linear program with three columns per unsafe cell.
    """
    size, count = len(demands.price), len(demands.cells)
    both = demands.may_up & demands.may_down
    low = np.where(demands.may_down, -demands.down, demands.up)
    high = np.where(demands.may_up, demands.up, -demands.down)
    width = np.where(both, high - low, 0.0)
    slope = np.divide(np.abs(high) - np.abs(low), width, out=np.zeros(count), where=width > 0)
    matrix = demands.problem.table.equations.matrix
    columns = sp.hstack([matrix, -matrix, matrix[:, demands.cells]])
    above, below = demands.above.copy(), demands.below.copy()
    above[demands.cells] = np.where(demands.may_up, above[demands.cells] - high, 0.0)
    below[demands.cells] = np.where(demands.may_down, below[demands.cells] + low, 0.0)
    # a cell with one direction may still go further in it: its line has no width, and the far side is closed
    sides = -matrix[:, demands.cells] @ low
    price = demands.price
    solver = quiet()
    program(
        solver,
        columns,
        columns=(np.zeros(2 * size + count), np.concatenate([above, below, width])),
        rows=(sides, sides),
        costs=np.concatenate([price, price, slope * price[demands.cells]]),
    )
    solver.run()
    if solver.modelStatusToString(solver.getModelStatus()) != "Optimal":
        return float("inf"), np.zeros(size)
    found = np.asarray(solver.getSolution().col_value)
    moves = found[:size] - found[size : 2 * size]
    moves[demands.cells] += low + found[2 * size :]
    constant = float(price[demands.cells] @ np.abs(low))
    return float(solver.getInfo().objective_function_value) + constant, moves


class Moves:
    """The best moves for given directions; kept in one solver, so that a few changed directions are solved from the last answer.

    Every cell has a column for moving up and one for down. With direction up the first starts at the level; the other
    stays open at a penalty, so that directions which contradict one another show as cells that fall short.
    """

    def __init__(self, demands: Demands) -> None:
        self.demands, self.size, self.programs = demands, len(demands.price), 0
        matrix = demands.problem.table.equations.matrix
        self.penalty = PENALTY * float(demands.price.max(initial=1.0))
        self.solver = quiet(presolve="off", solver="simplex")
        zero = np.zeros(len(demands.problem.table.equations))
        program(
            self.solver,
            sp.hstack([matrix, -matrix]),
            columns=(np.zeros(2 * self.size), np.concatenate([demands.above, demands.below])),
            rows=(zero, zero),
            costs=np.concatenate([demands.price, demands.price]),
        )

    def best(self, upward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cheapest moves and, per unsafe cell, how much it falls short of its level (0 where the directions agree)."""
        demands, cells = self.demands, self.demands.cells
        low = np.concatenate([np.where(upward, demands.up, 0.0), np.where(upward, 0.0, demands.down)])
        # short of a level by no more than the level itself: then the cell stays where it is
        high = np.concatenate(
            [np.where(upward, demands.above[cells], demands.down), np.where(upward, demands.up, demands.below[cells])]
        )
        price = demands.price[cells]
        cost = np.concatenate([np.where(upward, price, self.penalty), np.where(upward, self.penalty, price)])
        numbers = np.concatenate([cells, self.size + cells]).astype(np.int32)
        self.solver.changeColsBounds(len(numbers), numbers, low, high)
        self.solver.changeColsCost(len(numbers), numbers, cost)
        self.solver.run()
        self.programs += 1
        found = np.asarray(self.solver.getSolution().col_value)
        moves = found[: self.size] - found[self.size :]
        short = np.where(upward, found[self.size + cells], found[cells])
        return moves, np.where(short > 1e-7 * np.maximum(1.0, np.where(upward, demands.up, demands.down)), short, 0.0)
