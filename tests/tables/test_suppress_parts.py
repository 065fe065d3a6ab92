"""The parts of the chain by themselves: what each promises before others repair it."""

from dataclasses import replace

import numpy as np

from tacit.tables.build.cross import added_up, cross_dimensions
from tacit.tables.problem import Problem, Status
from tacit.tables.suppress.exact.exact import exact_pattern
from tacit.tables.suppress.heuristics import (
    by_elimination,
    by_flow,
    by_hypercube,
    elimination_pattern,
    heuristic_pattern,
    hypercube_pattern,
)
from tacit.tables.table import Table

from .instances import flat, random_problem


def square(inner, *, level):
    """A table of two dimensions whose first inner cell is unsafe."""
    sides = [flat(len(inner), "r"), flat(len(inner[0]), "c")]
    values = np.zeros([len(one.codes) for one in sides])
    values[1:, 1:] = inner
    labels, sums = cross_dimensions(sides)
    table = Table(
        labels=labels, values=added_up(sides, values).ravel(), equations=sums, dimensions=tuple(sides), response="x"
    )
    none = np.zeros(table.size)
    status, need = np.full(table.size, Status.SAFE, dtype=np.uint8), none.copy()
    first = table.cell(r="r0", c="c0")
    status[first], need[first] = Status.UNSAFE, level
    high = table.values + 1000
    return Problem(
        table=table, status=status, lower=need, upper=need, sliding=none, low=none, high=high, cost=table.values
    )


def names(problem, hidden):
    return {problem.table.name(int(cell)) for cell in np.flatnonzero(hidden)}


def test_a_hypercube_is_the_cheapest_that_has_room():
    # catalogue: G-04
    inner = [[50, 2, 30], [3, 2, 40], [40, 40, 40]]
    with_little = names(square(inner, level=1), hypercube_pattern(square(inner, level=1)))
    with_more = names(square(inner, level=20), hypercube_pattern(square(inner, level=20)))
    assert with_little == {"r0 × c0", "r0 × c1", "r1 × c0", "r1 × c1"}  # 2 + 3 + 2: room for 2
    assert with_more == {"r0 × c0", "r0 × c2", "r2 × c0", "r2 × c2"}  # the cheap corners cannot move by 20


def test_elimination_publishes_the_dearest_cells_first():
    # catalogue: G-04
    problem = square([[50, 2, 30], [3, 2, 40], [40, 40, 40]], level=1)
    assert names(problem, elimination_pattern(problem)) == {"r0 × c0", "r0 × c1", "r1 × c0", "r1 × c1"}
    turned = replace(problem, cost=1000 - problem.cost)
    assert problem.total_cost(elimination_pattern(turned)) > problem.total_cost(elimination_pattern(problem))


def test_the_bound_of_a_heuristic_is_what_must_be_hidden_anyway():
    # catalogue: G-04
    for seed in range(3):
        problem = random_problem([flat(4, "a"), flat(5, "b")], share=0.1, seed=seed)
        least = exact_pattern(problem).cost
        for method in (heuristic_pattern, by_flow, by_elimination, by_hypercube):
            found = method(problem)
            assert found.bound == problem.cost[problem.must_suppress].sum() <= least <= found.cost
