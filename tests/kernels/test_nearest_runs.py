"""Nearest points by runs of sums: the same answers as by the tree; chosen where it pays. catalogue: C-04."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from tacit.kernels import nearest as kernel
from tacit.kernels.near_lists import near_lists
from tacit.kernels.nearest import CODE, FLOOR, NUMBER, Costs, nearest_and_next, nearest_points

STEPS = np.array([17, 23, 9, 31, 13])
WHOLE = np.array([(int(np.prod(STEPS)) // int(step)) ** 2 for step in STEPS])
UNIT = 100 / float(np.prod(STEPS)) ** 2


def plain(columns: int) -> Costs:
    ones = np.ones(columns)
    return Costs(np.full(columns, NUMBER), ones, ones, ones)


def sets(answers) -> list[set[int]]:
    start, found = answers[:2]
    return [set(found[a:b].tolist()) for a, b in zip(start[:-1], start[1:], strict=True)]


@njit(cache=True)
def whole_ties(points, queries, weight):
    """How many points have the smallest distance, in whole numbers."""
    ties = np.zeros(len(queries), np.int64)
    for q in range(len(queries)):
        best = np.int64(2**62)
        for p in range(len(points)):
            total = np.int64(0)
            for j in range(points.shape[1]):
                total += weight[j] * (queries[q, j] - points[p, j]) ** 2
            if total < best:
                best, ties[q] = total, 1
            elif total == best:
                ties[q] += 1
    return ties


@pytest.mark.parametrize("runs", [True, False])
def test_ties_of_a_standardised_grid_are_those_of_whole_numbers(runs, monkeypatch):
    """20,000 rows in five columns; ``==`` on floats counts hundreds of them wrongly."""
    rng = np.random.default_rng(0)
    points = rng.integers(0, 12, (20_000, 5))
    queries = (points + rng.integers(-1, 2, points.shape))[::4]
    monkeypatch.setattr(kernel, "_runs_pay", lambda *_: runs)
    scaled = [rows / (STEPS / 10) for rows in (points, queries)]
    truth = whole_ties(points, queries, WHOLE)
    assert (np.diff(nearest_points(*scaled, plain(5))[0]) == truth).all()
    assert (truth > 1).sum() > 300


@st.composite
def mixed_spaces(draw):
    columns, rows = draw(st.integers(1, 9)), draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    points, queries = rng.integers(0, 5, (rows * 20, columns)), rng.integers(0, 5, (rows, columns))
    kind = rng.choice([NUMBER, NUMBER, CODE, FLOOR], columns)
    share = draw(st.sampled_from([0.0, 0.1]))
    sides = [np.where(rng.random(side.shape) < share, np.nan, side.astype(float)) for side in (points, queries)]
    weight = rng.integers(1, 9, columns) / 7
    both = weight * draw(st.booleans())
    return *sides, Costs(kind, weight, weight, both)


def apart(points, queries, costs):
    x, y = queries[:, None, :], points[None]
    cost = np.select(
        [costs.kind == CODE, costs.kind == FLOOR],
        [costs.weight * (x != y), costs.weight * (x < y)],
        costs.weight * (x - y) ** 2,
    )
    gaps = np.isnan(x).astype(int) + np.isnan(y)
    return np.where(gaps == 2, costs.both, np.where(gaps == 1, costs.missing, np.nan_to_num(cost))).sum(2)


@given(mixed_spaces())
def test_both_searches_give_the_ties_and_the_two_smallest_distances(space):
    points, queries, costs = space
    every = np.sort(apart(points, queries, costs), axis=1)
    truth = [set(np.flatnonzero(row <= row.min() * (1 + 1e-9) + 1e-12)) for row in apart(points, queries, costs)]
    keep = kernel._runs_pay
    try:
        for runs in (True, False):
            kernel._runs_pay = lambda *_, runs=runs: runs
            assert sets(nearest_points(points, queries, costs)) == truth
            found = nearest_and_next(points, queries, costs)
            assert sets(found) == truth
            assert found.distance == pytest.approx(every[:, 0], abs=1e-12)
            assert found.following == pytest.approx(np.minimum(every[:, 1], 4 * every[:, 0]), abs=1e-12)
    finally:
        kernel._runs_pay = keep


def test_a_single_point_has_no_second():
    found = nearest_and_next(np.zeros((1, 2)), np.array([[1.0, 0.0], [0.0, 0.0]]), plain(2))
    assert found.distance.tolist() == [1.0, 0.0]
    assert found.following.tolist() == [4.0, 0.0]


def test_a_pilot_takes_runs_where_the_tree_tells_little_apart(monkeypatch):
    taken = []
    pays = kernel._runs_pay

    def heard(*arguments):
        taken.append(pays(*arguments))
        return taken[-1]

    monkeypatch.setattr(kernel, "_runs_pay", heard)
    rng = np.random.default_rng(0)
    for columns, noise in ((3, 0.1), (16, 1.0)):
        points = rng.normal(size=(4000, columns))
        queries = points + noise * rng.normal(size=points.shape)
        found = nearest_points(points, queries, plain(columns))
        square = (queries**2).sum(1)[:, None] - 2 * queries @ points.T + (points**2).sum(1)
        assert np.array_equal(found[1], square.argmin(1))
    assert taken == [False, True]


@pytest.mark.parametrize("count", [1, 7, 60, 300])
def test_lists_hold_the_nearest_in_order(count):
    rng = np.random.default_rng(count)
    points, queries = rng.normal(size=(300, 3)), rng.normal(size=(40, 3))
    points[:, 2] = rng.integers(0, 3, 300)
    points[rng.random(300) < 0.2, 1] = np.nan
    kind = np.array([NUMBER, NUMBER, CODE])
    costs = Costs(kind, np.ones(3), np.full(3, 0.5), np.full(3, 0.5))
    rows, distances = near_lists(points, queries, costs, count)
    every = apart(points, queries, costs)
    assert distances == pytest.approx(np.sort(every, axis=1)[:, :count])
    assert np.take_along_axis(every, rows, 1) == pytest.approx(distances)
    assert all(len(set(row)) == count for row in rows.tolist())
