"""Elimination: no unsafe cell computable, and nothing hidden that could have been published; against exact ranks."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.tables.suppress.heuristics import PRIME, InnerSolver, elimination_pattern

from .instances import balanced, flat, random_problem


def rank(rows):
    """By elimination in fractions: slow and exact."""
    rows, found = [[Fraction(int(value)) for value in row] for row in rows], 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((at for at in range(found, len(rows)) if rows[at][column]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for at in range(found + 1, len(rows)):
            if rows[at][column]:
                factor = rows[at][column] / rows[found][column]
                rows[at] = [one - factor * other for one, other in zip(rows[at], rows[found], strict=True)]
        found += 1
    return found


def computable(problem, hidden, cell):
    """A hidden cell can be computed when some combination of the equations has it alone on its hidden side."""
    part = problem.table.equations.matrix[:, np.flatnonzero(hidden)].toarray()
    alone = (np.flatnonzero(hidden) == cell).astype(float)
    return rank(part.tolist()) == rank([*part.tolist(), alone.tolist()])


SHAPES = [
    [flat(4, "a"), flat(4, "b")],
    [balanced([2, 2], "a"), flat(3, "b")],
    [flat(2, "a"), flat(3, "b"), flat(2, "c")],
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", SHAPES, ids=["flat", "hierarchy", "three"])
def test_no_unsafe_cell_can_be_computed(shape, seed):
    # catalogue: G-04
    problem = random_problem(shape, share=0.15, seed=seed, zero=0.0)
    hidden = elimination_pattern(problem)
    assert hidden[problem.primaries].all()
    for cell in problem.primaries:
        assert not computable(problem, hidden, cell)


def test_no_cell_hidden_by_elimination_could_be_published():
    # catalogue: G-04
    problem = random_problem([flat(4, "a"), flat(4, "b")], share=0.15, seed=1, zero=0.0)
    hidden = elimination_pattern(problem)
    for cell in np.flatnonzero(hidden & ~problem.must_suppress):
        without = hidden.copy()
        without[cell] = False
        assert any(computable(problem, without, unsafe) for unsafe in problem.primaries)


def test_costs_are_those_of_the_published_prototype_figures(reference_data):
    # catalogue: G-04; facts/tables.md, column "Gauss"
    from tacit.tables.files.jj import read_jj

    wanted = {
        "rand2d_10x10_p05": 2407,
        "rand2d_10x10_p20": 6026,
        "rand2d_20x20_p05": 6924,
        "rand2d_h45xh34_p10": 12034,
        "rand3d_6x6x6_p05": 8527,
    }
    for name, cost in wanted.items():
        problem = read_jj(reference_data / "tables" / "jj" / f"{name}.jj")
        assert problem.total_cost(elimination_pattern(problem)) == cost


@pytest.mark.parametrize("shape", SHAPES, ids=["flat", "hierarchy", "three"])
def test_every_cell_is_the_sum_of_its_inner_cells(shape):
    problem = random_problem(shape, seed=2)
    inner = InnerSolver(problem)
    values = problem.table.values
    for cell in np.flatnonzero(problem.must_suppress | problem.may_suppress):
        total = sum(
            values[at] * (factor if factor < PRIME // 2 else factor - PRIME)
            for at, factor in inner.inner_column(cell).items()
        )
        assert total == pytest.approx(values[cell])
    assert inner.relations == []
