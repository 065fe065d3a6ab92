"""Possible points of each query within its window, against brute force in whole numbers. catalogue: M-03."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.nearest import CODE, FLOOR, NUMBER, Costs
from tacit.kernels.range_search import AWAY, TABLE, Tables, Windows, search_ranges

SIZE = 6
"""Values are 0 to 5, −1 is a gap."""


@st.composite
def spaces(draw):
    columns = draw(st.integers(1, 4))
    kind = np.array(
        draw(st.lists(st.sampled_from([NUMBER, CODE, FLOOR, TABLE, AWAY]), min_size=columns, max_size=columns))
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    points = rng.integers(-1, SIZE, (draw(st.integers(1, 70)), columns))
    queries = rng.integers(-1, SIZE, (draw(st.integers(1, 20)), columns))
    for side in (points, queries):
        side[:, kind == TABLE] = np.maximum(side[:, kind == TABLE], 0)
    low = queries - rng.integers(0, 4, queries.shape)
    high = queries + rng.integers(0, 4, queries.shape)
    free = (queries < 0) | (rng.random(queries.shape) < draw(st.sampled_from([0.0, 0.5, 1.0])))
    windows = Windows(np.where(free, -np.inf, low), np.where(free, np.inf, high))
    missing = rng.integers(0, 5, columns).astype(float)
    both = missing if draw(st.booleans()) else np.zeros(columns)
    table = rng.integers(0, 9, (columns, SIZE, SIZE)).astype(float)
    table[rng.random(table.shape) < 0.3] = np.inf
    return points, queries, Costs(kind, np.arange(1.0, columns + 1), missing, both), windows, table


def slow(points, queries, costs, windows, table):
    """All costs at once; inf where a point is impossible."""
    x, y = queries[:, None, :], points[None, :, :]
    gaps = (x < 0).astype(int) + (y < 0)
    tables = np.stack([table[j][x[..., j], y[..., j]] for j in range(x.shape[2])], axis=2)
    kinds = [costs.kind == kind for kind in (TABLE, CODE, FLOOR, AWAY)]
    away = costs.weight * np.maximum(1 - np.abs(x - y), 0)
    cost = np.select(
        kinds, [tables, costs.weight * (x != y), costs.weight * (x < y), away], costs.weight * (x - y) ** 2
    )
    total = np.where(gaps == 2, costs.both, np.where(gaps == 1, costs.missing, cost)).sum(2)
    beyond = ((y < windows.low[:, None]) | (y > windows.high[:, None])) & (y >= 0)
    return np.where(beyond.any(2), np.inf, total)


def gapped(rows):
    return np.where(rows < 0, np.nan, rows.astype(float))


def flat(table):
    each = SIZE * SIZE
    return Tables(table.ravel(), np.arange(len(table)) * each, np.full(len(table), SIZE))


@given(spaces())
def test_the_cheapest_possible_points_are_those_of_brute_force(space):
    points, queries, costs, windows, table = space
    total = slow(points, queries, costs, windows, table)
    found = search_ranges(gapped(points), gapped(queries), costs, windows, flat(table))
    assert found.inside.tolist() == np.minimum(np.isfinite(total).sum(1), 2).tolist()
    assert found.least.tolist() == total.min(1).tolist()
    for q, row in enumerate(total):
        ties = set(np.flatnonzero((row == row.min()) & np.isfinite(row)).tolist())
        answer = found.points[found.start[q] : found.start[q + 1]].tolist()
        assert len(answer) == len(ties)
        assert set(answer) == ties


@given(spaces())
def test_counting_alone_finds_the_same_numbers_and_the_only_point(space):
    points, queries, costs, windows, table = space
    total = slow(points, queries, costs, windows, table)
    found = search_ranges(gapped(points), gapped(queries), costs, windows, flat(table), count=True)
    assert found.inside.tolist() == np.minimum(np.isfinite(total).sum(1), 2).tolist()
    for q in np.flatnonzero(found.inside == 1):
        assert (
            found.points[found.start[q] : found.start[q + 1]].tolist() == np.flatnonzero(np.isfinite(total[q])).tolist()
        )


def test_progress_is_told_and_large_tie_sets_fit():
    rng = np.random.default_rng(1)
    points = rng.integers(0, 2, (5000, 1)).astype(float)
    heard = []
    windows = Windows(np.full((3000, 1), -np.inf), np.full((3000, 1), np.inf))
    none = Tables(np.zeros(0), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    one = np.ones(1)
    found = search_ranges(
        points, np.zeros((3000, 1)), Costs(np.array([NUMBER]), one, one, one), windows, none, told=heard.append
    )
    assert (np.diff(found.start) == (points == 0).sum()).all()
    assert heard[-1] == 1.0
    assert heard == sorted(heard)


def test_wide_tables_are_searched_exactly():
    """More codes than are looked up one by one for a bound."""
    rng = np.random.default_rng(2)
    size = 200
    table = rng.random((size, size))
    table[rng.random(table.shape) < 0.9] = np.inf
    points, queries = rng.integers(0, size, (400, 1)), rng.integers(0, size, (50, 1))
    windows = Windows(np.full((50, 1), -np.inf), np.full((50, 1), np.inf))
    zero = np.zeros(1)
    tables = Tables(table.ravel(), np.zeros(1, dtype=np.int64), np.array([size]))
    found = search_ranges(
        points.astype(float), queries.astype(float), Costs(np.array([TABLE]), zero, zero, zero), windows, tables
    )
    total = table[queries, points.T]
    assert found.least.tolist() == total.min(1).tolist()
    assert found.inside.tolist() == np.minimum(np.isfinite(total).sum(1), 2).tolist()


@pytest.mark.parametrize("rows", [1, 13, 500])
def test_windows_of_one_value_are_a_join(rows):
    rng = np.random.default_rng(3)
    points = rng.integers(0, 8, (rows, 3)).astype(float)
    none = Tables(np.zeros(0), np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64))
    ones = np.ones(3)
    found = search_ranges(
        points, points, Costs(np.array([NUMBER, CODE, NUMBER]), ones, ones, ones), Windows(points, points), none
    )
    equal = (points[:, None] == points[None]).all(2)
    assert np.diff(found.start).tolist() == equal.sum(1).tolist()
