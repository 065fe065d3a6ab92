"""All nearest points of each query, ties judged in whole numbers. catalogue: C-04."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Cancelled
from tacit.kernels.nearest import CODE, FLOOR, NUMBER, Costs, distinct_rows, nearest_points
from tacit.progress import report_progress

STEPS = np.array([17, 23, 9, 31, 13])
"""Column j is scaled by 10/STEPS[j]; times the product of all steps every distance is a whole number."""
WHOLE = np.array([(int(np.prod(STEPS)) // int(step)) ** 2 for step in STEPS])


def exact(points, queries, kind, weight, missing, both):
    """The tie sets in whole numbers; −1 is a gap."""
    x, y = queries[:, None, :], points[None, :, :]
    gaps = (x < 0).astype(int) + (y < 0)
    cost = np.select([kind == CODE, kind == FLOOR], [weight * (x != y), weight * (x < y)], weight * (x - y) ** 2)
    total = np.where(gaps == 2, both, np.where(gaps == 1, missing, cost)).sum(2)
    return [set(np.flatnonzero(row == row.min()).tolist()) for row in total]


def found(points, queries, costs):
    start, answers = nearest_points(points, queries, costs)
    sets = [answers[a:b].tolist() for a, b in zip(start[:-1], start[1:], strict=True)]
    assert all(len(ties) == len(set(ties)) for ties in sets)
    return [set(ties) for ties in sets]


def gapped(rows):
    return np.where(rows < 0, np.nan, rows.astype(float))


@st.composite
def spaces(draw):
    columns = draw(st.integers(1, 5))
    row = st.lists(st.integers(-1, 4), min_size=columns, max_size=columns)
    points = np.array(draw(st.lists(row, min_size=1, max_size=60)))
    queries = np.array(draw(st.lists(row, min_size=1, max_size=20)))
    kind = np.array(draw(st.lists(st.sampled_from([NUMBER, CODE, FLOOR]), min_size=columns, max_size=columns)))
    missing = np.array(draw(st.lists(st.integers(0, 9), min_size=columns, max_size=columns))) * WHOLE[:columns]
    both = np.where(draw(st.booleans()), missing, 0)
    return points, queries, kind, WHOLE[:columns], missing, both


@given(spaces())
def test_tie_sets_are_those_of_whole_number_arithmetic(space):
    points, queries, kind, weight, missing, both = space
    unit = 100 / float(np.prod(STEPS)) ** 2
    costs = Costs(kind, weight * unit, missing * unit, both * unit)
    assert found(gapped(points), gapped(queries), costs) == exact(points, queries, kind, weight, missing, both)


def test_ties_on_a_large_grid():
    """Deep trees: 3,000 points of a scaled grid in five columns, two of them codes, some cells missing."""
    rng = np.random.default_rng(0)
    points = rng.integers(0, 7, (3000, 5))
    queries = points[:700] + rng.integers(-1, 2, (700, 5)).clip(-points[:700])
    for rows in (points, queries):
        rows[rng.random(rows.shape) < 0.03] = -1
    kind = np.array([NUMBER, NUMBER, CODE, NUMBER, FLOOR])
    missing = 3 * WHOLE
    unit = 100 / float(np.prod(STEPS)) ** 2
    costs = Costs(kind, WHOLE * unit, missing * unit, missing * unit)
    truth = exact(points, queries, kind, WHOLE, missing, missing)
    assert found(gapped(points), gapped(queries), costs) == truth
    assert sum(len(ties) > 1 for ties in truth) > 100


@pytest.mark.parametrize("columns", [1, 5, 20])
def test_distances_are_the_smallest(columns):
    rng = np.random.default_rng(columns)
    points, queries = rng.normal(size=(2000, columns)), rng.normal(size=(300, columns))
    ones = np.ones(columns)
    start, answers = nearest_points(points, queries, Costs(np.zeros(len(ones), int), ones, ones, ones))
    assert (np.diff(start) == 1).all()
    squares = ((queries[:, None, :] - points) ** 2).sum(2)
    assert np.array_equal(answers, squares.argmin(1))


def test_equal_sums_tie_though_their_floats_differ():
    """The same four differences in every order: one distance, which floats add up to several numbers."""
    points = np.array(list(permutations([1.0, 2.0, 3.0, 5.0])) + [[1.0, 2.0, 3.0, 6.0]])
    weight = np.full(4, 0.1)
    sums = np.cumsum(weight * points[:24] ** 2, axis=1)[:, -1]
    assert len(set(sums)) > 1
    costs = Costs(np.zeros(len(weight), int), weight, weight, weight)
    assert found(points, np.zeros((1, 4)), costs) == [set(range(24))]


def test_many_ties_and_the_order_of_points_do_not_matter():
    """All 500 points at one distance: a sphere of codes, more than fit into the first buffer."""
    points = np.arange(500.0)[:, None]
    costs = Costs(np.array([CODE]), np.ones(1), np.ones(1), np.ones(1))
    assert found(points, np.array([[-1.0], [7.0], [np.nan]]), costs) == [set(range(500)), {7}, set(range(500))]
    assert found(points[::-1], np.array([[7.0]]), costs) == [{492}]


def test_what_is_zero_but_for_rounding_ties_with_zero():
    points = np.array([[0.3], [0.1 + 0.2], [0.3 + 1e-9]])
    costs = Costs(np.array([NUMBER]), np.ones(1), np.ones(1), np.ones(1))
    assert found(points, np.array([[0.3]]), costs) == [{0, 1}]


def test_whole_numbers_far_from_zero_stay_exact():
    """Differences of one at 10¹²: scaling the values instead of the differences would blur them."""
    points = 10.0**12 + np.array([[0.0], [1.0], [3.0]])
    costs = Costs(np.array([NUMBER]), np.array([1 / 3.0]), np.ones(1), np.ones(1))
    assert found(points, 10.0**12 + np.array([[2.0], [0.4]]), costs) == [{1, 2}, {0}]


def test_progress_is_told_and_can_cancel():
    points = np.random.default_rng(0).normal(size=(9000, 1))
    costs = Costs(np.array([NUMBER]), np.ones(1), np.ones(1), np.ones(1))
    shares: list[float] = []
    nearest_points(points, points, costs, told=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with pytest.raises(Cancelled):
        nearest_points(points, points, costs, told=lambda share: report_progress(lambda *_: False, "linking", share))


def test_equal_rows_are_found_gaps_and_signed_zeros_included():
    rows = np.array([[0.0, np.nan], [1.0, 2.0], [-0.0, np.nan], [0.0, 2.0], [1.0, 2.0]])
    groups, first = distinct_rows(rows)
    assert groups.tolist() == [0, 1, 0, 2, 1]
    assert first.tolist() == [0, 1, 3]
