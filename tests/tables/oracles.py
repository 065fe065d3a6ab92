"""Slow answers to compare with: written anew from the definition, with SciPy's solvers, nothing shared with the package."""

from dataclasses import replace
from itertools import product

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from tacit.tables.problem import Status


def reach(problem, hidden, cell):
    """The feasibility interval of a cell, by two linear programs over the values themselves."""
    values = problem.table.values
    low, high = np.where(hidden, problem.low, values), np.where(hidden, problem.high, values)
    equations = problem.table.equations
    found = []
    for sign in (1, -1):
        aim = np.zeros(problem.size)
        aim[cell] = sign
        answer = linprog(
            aim, A_eq=equations.matrix, b_eq=equations.constants, bounds=np.c_[low, high], method="highs-ds"
        )
        assert answer.status == 0
        found.append(sign * answer.fun)
    return found


def protects(problem, hidden):
    """Whether every unsafe cell reaches its levels."""
    for cell in problem.primaries:
        least, most = reach(problem, hidden, cell)
        value = problem.table.values[cell]
        room = np.array([value - least, most - value, most - least])
        wanted = np.array([side[cell] for side in (problem.lower, problem.upper, problem.sliding)])
        if (room < wanted - 1e-6 * np.maximum(1, wanted)).any():
            return False
    return True


def cheapest_by_trying_all(problem):
    """The least cost over all patterns; inf when none protects."""
    free = np.flatnonzero(problem.may_suppress)
    patterns = []
    for chosen in product((False, True), repeat=len(free)):
        hidden = problem.must_suppress.copy()
        hidden[free] = chosen
        patterns.append((problem.total_cost(hidden), hidden))
    return next(
        (cost for cost, hidden in sorted(patterns, key=lambda one: one[0]) if protects(problem, hidden)), np.inf
    )


def cheapest_in_one_piece(problem):
    """The least cost by one mixed-integer program with two deviated tables for every unsafe cell; inf when none protects."""
    n, cells = problem.size, problem.primaries
    up, down = problem.high - problem.table.values, problem.table.values - problem.low
    width = n * (1 + 2 * len(cells))
    matrix, one = problem.table.equations.matrix, sp.identity(n, format="csr")
    rows, least, most = [], [], []

    def add(parts, low, high):
        block = sp.lil_matrix((parts[0][1].shape[0], width))
        for place, part in parts:
            block[:, place * n : (place + 1) * n] = part
        rows.append(block.tocsr())
        least.append(np.full(block.shape[0], low))
        most.append(np.full(block.shape[0], high))

    for number, cell in enumerate(cells):
        ends = (1 + 2 * number, 2 + 2 * number)
        for place in ends:
            add([(place, matrix)], 0.0, 0.0)
            add([(place, one), (0, -sp.diags(up))], -np.inf, 0.0)
            add([(place, one), (0, sp.diags(down))], 0.0, np.inf)
        own = one[[cell]]
        add([(ends[0], own)], problem.upper[cell], np.inf)
        add([(ends[1], own)], -np.inf, -problem.lower[cell])
        add([(ends[0], own), (ends[1], -own)], problem.sliding[cell], np.inf)
    answer = milp(
        np.r_[problem.cost, np.zeros(width - n)],
        constraints=LinearConstraint(sp.vstack(rows), np.concatenate(least), np.concatenate(most)),
        bounds=Bounds(
            np.r_[problem.must_suppress.astype(float), np.full(width - n, -np.inf)],
            np.r_[(problem.must_suppress | problem.may_suppress).astype(float), np.full(width - n, np.inf)],
        ),
        integrality=np.r_[np.ones(n), np.zeros(width - n)],
        options={"mip_rel_gap": 0.0},
    )
    return np.inf if answer.status == 2 else float(answer.fun)


def various(problem, seed):
    """The problem with what real ones have besides: sliding levels, zeros that may be hidden, frozen and forced cells, negatives, near bounds."""
    rng = np.random.default_rng([seed, 2])
    status, sliding, low = problem.status.copy(), problem.sliding.copy(), problem.low.copy()
    status[(status == Status.EMPTY) & (rng.random(problem.size) < 0.5)] = Status.SAFE
    safe = np.flatnonzero(status == Status.SAFE)
    status[rng.choice(safe, 2, replace=False)] = (Status.HIDDEN, Status.PUBLISHED)
    wide = problem.primaries[rng.random(len(problem.primaries)) < 0.6]
    sliding[wide] = 3 * problem.upper[wide]
    low[rng.random(problem.size) < 0.2] -= 40.0
    near = rng.random(problem.size) < 0.5
    high = np.where(near, 1.5 * problem.table.values + 10, problem.high)
    # Different levels up and down: with equal ones a cut for the wrong direction would be a valid one.
    upper = problem.upper * rng.choice([0.0, 0.2, 3.0], problem.size)
    return replace(problem, status=status, upper=upper, sliding=sliding, low=low, high=high)
