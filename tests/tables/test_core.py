"""Dimensions, equations and cells: what every table is made of."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.tables.build.cross import added_up, cross_dimensions
from tacit.tables.dimension import Dimension
from tacit.tables.equations import Equations
from tacit.tables.pattern import Pattern
from tacit.tables.problem import is_level_reached
from tacit.tables.published import Published

from .instances import balanced, flat, random_problem, random_table


def test_a_tree_may_be_unbalanced():
    # catalogue: G-06
    tree = Dimension.tree("nace", {"A": "Total", "B": "Total", "A1": "A", "A2": "A", "A11": "A1"})
    assert [tree.codes[leaf] for leaf in tree.leaves] == ["B", "A2", "A11"]
    assert tree.sums == [(0, (1, 2)), (1, (3, 4)), (3, (5,))]
    assert tree.depths == (0, 1, 1, 2, 2, 3)


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ({"a": "b", "b": "c", "c": "a"}, "'b' < 'c' < 'a' < 'b'"),
        ({"a": "Total", "x": "y"}, "'x' lies under 'y', which lies nowhere"),
        ({"a": "a"}, "'a' lies under itself"),
        ({"Total": "World", "a": "Total"}, "the total 'Total' lies under 'World'"),
    ],
)
def test_a_cycle_and_an_orphan_are_named(above, said):
    with pytest.raises(TacitError, match=said):
        Dimension.tree("region", above)


@pytest.mark.parametrize("codes", [("Total", "a", "a"), ()])
def test_codes_stand_once_and_under_a_total(codes):
    with pytest.raises(TacitError, match="twice" if codes else "no total"):
        Dimension("d", codes, (-1, 0, 0)[: len(codes)])


def test_codes_may_hold_anything():
    odd = ["a.b", "é", "it's", '"q"', "; ,", " 1"]
    assert Dimension.flat("d", odd).codes[1:] == tuple(odd)


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.lists(st.integers(1, 4), min_size=1, max_size=2),
    st.integers(0, 99),
)
def test_every_equation_of_a_cross_holds_and_leaves_add_up(first, second, seed):
    # catalogue: G-01
    dimensions = [balanced(first, "a"), balanced(second, "b")]
    table = random_table(dimensions, seed)
    assert np.abs(table.equations.residuals(table.values)).max(initial=0) == 0
    leaves = np.ix_(*[list(one.leaves) for one in dimensions])
    grid = table.values.reshape([len(one.codes) for one in dimensions])
    assert grid[0, 0] == grid[leaves].sum()
    assert len(table.equations) == sum(
        len(one.sums) * len(other.codes) for one, other in (dimensions, dimensions[::-1])
    )


def test_an_equation_is_told_in_codes():
    labels, equations = cross_dimensions([flat(2, "sex"), flat(8, "age")])
    assert equations.format_equation(0, labels) == "sex: 'sex0' + 'sex1' = 'Total' (where age = 'Total')"
    assert "… (8 parts)" in equations.format_equation(9, labels)
    lone = Equations.of([[1.0, 1.0]], np.array([7.0]))
    assert lone.format_equation(0, pl.DataFrame({"cell": ["0", "1"]})) == "cell: '0' + '1' = 7"


def test_a_table_that_is_too_large_is_refused_before_it_is_made():
    with pytest.raises(TacitError, match="1,003,003,001 cells"):
        cross_dimensions([flat(1000, "a"), flat(1000, "b"), flat(1000, "c")])
    with pytest.raises(TacitError, match="no dimension"):
        cross_dimensions([])


def test_a_cell_is_found_by_its_codes():
    table = random_table([flat(2, "a"), flat(3, "b")])
    assert table.labels.row(table.cell(a="a1", b="b2")) == ("a1", "b2")
    assert table.name(table.cell(b="b0")) == "Total × b0"
    with pytest.raises(TacitError, match="no one cell"):
        table.cell(a="a9")
    with pytest.raises(TacitError, match="no dimension"):
        table.cell(c="x")


def test_what_is_published_hides_the_suppressed_figures_alone():
    # catalogue: G-04
    problem = random_problem([flat(3, "a"), flat(3, "b")], share=0.3)
    hidden = problem.must_suppress.copy()
    seen = Published.from_suppression(problem, hidden)
    assert (seen.low[~hidden] == problem.table.values[~hidden]).all() and (seen.high == seen.low)[~hidden].all()
    assert (seen.low[hidden] == 0).all() and (seen.high[hidden] == problem.high[hidden]).all()
    more = seen.with_known_bounds(np.flatnonzero(hidden), np.full(hidden.sum(), 1.0), np.full(hidden.sum(), 1e9))
    assert (more.low[hidden] == 1).all() and (more.high == seen.high).all() and (seen.low[hidden] == 0).all()


def test_sums_reach_every_level():
    inner = np.zeros((4, 3))
    inner[1:, 1:] = [[1, 2], [3, 4], [5, 6]]
    full = added_up([flat(3, "a"), flat(2, "b")], inner)
    assert full[0].tolist() == [21, 9, 12] and full[:, 0].tolist() == [21, 3, 7, 11]


def test_a_gap_is_a_share_of_the_cost():
    hidden = np.zeros(3, dtype=bool)
    assert Pattern(hidden=hidden, cost=200.0, bound=150.0).gap == 0.25
    assert Pattern(hidden=hidden, cost=200.0).gap == 1.0 and not Pattern(hidden=hidden, cost=200.0).proven
    assert Pattern(hidden=hidden, cost=0.0).proven and Pattern(hidden=hidden, cost=5.0, bound=5.0).proven
    assert not Pattern(hidden=hidden, cost=-5.0).proven and Pattern(hidden=hidden, cost=-5.0, bound=-5.0).proven


def test_enough_allows_for_arithmetic_only():
    assert is_level_reached(np.array([10 - 1e-6, 9.999, 1e9 - 1]), np.array([10.0, 10.0, 1e9])).tolist() == [
        True,
        False,
        True,
    ]
    # Of small levels it is a share too, and a level of 0 asks for nothing.
    assert is_level_reached(np.array([1e-9, 1e-7, -1e-12]), np.array([1e-7, 1e-7, 0.0])).tolist() == [False, True, True]
