"""Losses of tables against the lecture's rounded table, loops over pairs, and properties."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.tables.build.cross import added_up, cross_dimensions
from tacit.tables.dimension import Dimension
from tacit.tables.loss import distance, rank_changes, summary, suppressed
from tacit.tables.loss.rank_changes import _count_by_sorting, _side_by_side
from tacit.tables.problem import Problem, Status
from tacit.tables.rules import MinimumFrequency, build_problem
from tacit.tables.table import Table

from .behind import count_table
from .instances import balanced, flat, random_problem


def deck():
    """The 3 × 2 table of the lecture, and its two roundings to base 5: as printed there, and a controlled one."""
    axes = [Dimension.flat("r", "abc"), Dimension.flat("c", "xy")]
    labels, equations = cross_dimensions(axes)
    full = np.zeros((4, 3))
    full[1:, 1:] = [[2, 7], [5, 12], [12, 0]]
    values = added_up(axes, full).ravel()
    table = Table(labels=labels, values=values, equations=equations, dimensions=tuple(axes))
    printed = np.array([[40, 15, 20], [10, 0, 10], [20, 5, 10], [10, 10, 0]], dtype=float).ravel()
    controlled = np.array([[40, 20, 20], [10, 0, 10], [15, 5, 10], [15, 15, 0]], dtype=float).ravel()
    return table, printed, controlled


# catalogue: G-05
def test_the_controlled_rounding_of_the_lecture_adds_up_and_the_printed_one_does_not():
    table, printed, controlled = deck()
    assert distance(table, controlled)["additivity"].value == 0
    assert distance(table, controlled)["absolute distance"].value == 20  # the optimum that the catalogue states
    wrong = distance(table, printed)["additivity"]
    assert wrong.value == 5
    assert wrong.facts["sums that fail"] == 2  # 5 + 10 is not 20, and 15 + 20 is not 40


def test_distances_by_hand():
    table = count_table([4, 16, 0])
    found = distance(table, np.array([20.0, 5.0, 14.0, 1.0]))
    assert found["absolute distance"].value == 4
    assert found["absolute distance"].facts["largest"] == 2
    assert found["relative distance"].value == pytest.approx((0 + 1 / 4 + 2 / 16) / 3)
    assert found["relative distance"].facts["zeros changed"] == 1
    p, q = np.array([4, 16, 0]) / 20, np.array([5, 14, 1]) / 20
    assert found["hellinger"].value == pytest.approx(np.sqrt(1 - np.sqrt(p * q).sum()))
    assert [part.name for part in distance(table, -table.values)] == [
        "absolute distance",
        "relative distance",
        "additivity",
    ]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=8))
def test_rank_changes_are_those_of_all_pairs(both):
    before, after = map(list, zip(*both, strict=True))
    table = count_table(before)
    found = rank_changes(table, np.array([sum(after), *after], dtype=float))
    differ = [(i, j) for i, j in combinations(range(len(before)), 2) if before[i] != before[j]]
    turned = sum((before[i] - before[j]) * (after[i] - after[j]) < 0 for i, j in differ)
    equal = sum(after[i] == after[j] for i, j in differ)
    result = found["order within sums"]
    assert result.value == pytest.approx(turned / len(differ) if differ else 0)
    assert result.facts["became equal"] == pytest.approx(equal / len(differ) if differ else 0)
    if len(set(before)) > 1 and len(set(after)) > 1:
        from scipy.stats import spearmanr

        assert found["rank correlation"].value == pytest.approx(1 - spearmanr(before, after).statistic, abs=1e-9)


@given(st.integers(0, 50))
def test_nothing_changed_is_no_loss(seed):
    table = random_problem([flat(4, "a"), flat(3, "b")], seed=seed).table
    assert all(
        part.value == pytest.approx(0, abs=1e-12)
        for part in (*distance(table, table.values), *rank_changes(table, table.values))
    )


@given(st.integers(0, 50))
def test_suppressing_one_more_cell_never_loses_less(seed):
    problem = random_problem([flat(4, "a"), balanced([2, 2], "b")], seed=seed)
    hidden = problem.must_suppress.copy()
    before = suppressed(problem, hidden)
    cell = int(np.flatnonzero(problem.may_suppress & ~hidden)[0])
    hidden[cell] = True
    after = suppressed(problem, hidden)
    assert all(new.value >= old.value for new, old in zip(after, before, strict=True))
    assert after["suppression cost"].value == pytest.approx(before["suppression cost"].value + problem.cost[cell])


# catalogue: G-04
def test_what_a_suppression_takes():
    problem = build_problem(count_table([1, 0, 9, 10]), [MinimumFrequency(3)])
    hidden = np.array([False, True, False, True, False])
    cells, value, cost = suppressed(problem, hidden)
    assert (cells.value, cells.facts["unsafe"], cells.facts["further"], cells.facts["share"]) == (2, 1, 1, 0.5)
    assert cells.facts["by level"] == {"level 0": "0 of 1", "level 1": "2 of 3"}
    assert value.value == pytest.approx(0.5)
    assert (cost.value, cost.facts["of further cells"]) == (10, 9)
    assert len(summary(problem, hidden=hidden)) == 3
    assert len(summary(problem, values=problem.table.values)) == 6


def test_what_does_not_fit_is_refused():
    table = count_table([1, 2])
    problem = build_problem(table, [])
    for call in (
        lambda: distance(table, np.zeros(2)),
        lambda: distance(table, np.array([1.0, np.nan, 2.0])),
        lambda: rank_changes(table, np.zeros(7)),
        lambda: suppressed(problem, np.zeros(1, dtype=bool)),
        lambda: summary(problem),
    ):
        with pytest.raises(TacitError, match="fix:"):
            call()


def test_a_problem_without_dimensions_has_no_levels():
    problem = random_problem([flat(3)], seed=1)
    bare = Problem(
        table=Table(labels=problem.table.labels, values=problem.table.values, equations=problem.table.equations),
        status=np.full(problem.size, Status.SAFE),
        **{side: getattr(problem, side) for side in ("lower", "upper", "sliding", "low", "high", "cost")},
    )
    assert "by level" not in suppressed(bare, np.zeros(bare.size, dtype=bool))["suppressed cells"].facts


# catalogue: G-05
@given(st.integers(0, 2**32), st.integers(2, 40), st.integers(1, 12))
def test_pairs_counted_by_sorting_are_the_pairs_side_by_side(seed, size, kinds):
    rng = np.random.default_rng(seed)
    before, after = rng.integers(0, kinds, size).astype(float), rng.integers(0, kinds, size).astype(float)
    for now in (after, before, -before, np.zeros(size)):
        assert _count_by_sorting(before, now) == _side_by_side(before, now)


def test_a_long_sum_is_counted_without_all_pairs_in_memory():
    axis = Dimension.flat("town", map(str, range(30_000)))
    labels, equations = cross_dimensions([axis])
    values = np.r_[0.0, np.arange(30_000)]
    table = Table(labels=labels, values=values, equations=equations, dimensions=(axis,))
    found = rank_changes(table, np.r_[0.0, -np.arange(30_000)])["order within sums"]
    assert found.value == 1 and found.facts["pairs"] == 30_000 * 29_999 // 2


def test_a_table_of_zeros_loses_nothing():
    problem = build_problem(count_table([0, 0]), [], zeros="candidates")
    cells, value, cost = suppressed(problem, np.array([False, True, False]))
    assert (cells.value, value.value) == (1, 0)
    nothing = build_problem(count_table([0, 0]), [])
    assert suppressed(nothing, np.zeros(3, dtype=bool))["suppressed cells"].facts["share"] == 0
    assert distance(nothing.table, np.zeros(3))["relative distance"].value == 0


def test_the_largest_part_of_a_true_table_is_still_the_largest():
    table, _, _ = deck()
    assert rank_changes(table, table.values)["order within sums"].facts["another part is the largest"] == 0
