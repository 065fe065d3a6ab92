"""Counts of agreement over all pairs, against counting pair by pair. catalogue: C-05."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.agreement import agreeing_pairs
from tacit.kernels.agreement_scan import Pairs, best_pairs, pattern_counts, pattern_keys

CELL = st.integers(-1, 2)


@given(
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=9),
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=9),
    st.lists(st.integers(1, 3), min_size=18, max_size=18),
)
def test_at_least_counts_are_those_of_all_pairs(theirs, mine, weights):
    """Column 0 has one condition, column 1 has two, the second of which says both of its codes are equal."""
    rows = np.array(theirs + mine)
    fine = np.where((rows[:, 1] >= 0) & (rows[:, 2] >= 0), 4 * rows[:, 1] + rows[:, 2], -1)
    codes = np.column_stack([rows[:, 0], rows[:, 1], fine]).astype(np.int32)
    weight = np.array(weights[: len(rows)])
    second = np.arange(len(rows)) >= len(theirs)
    order, blocks = np.arange(len(rows), dtype=np.int32), np.array([0, len(rows)], dtype=np.int32)
    found = agreeing_pairs(codes, weight, second, np.array([0, 1, 3]), order, blocks)
    expected = np.zeros(6, dtype=np.int64)
    for a, b in itertools.product(range(len(theirs)), range(len(theirs), len(rows))):
        met = [codes[a, k] == codes[b, k] >= 0 for k in range(3)]
        for first, then in itertools.product(range(2), range(3)):
            if (first == 0 or met[0]) and all(met[1 : 1 + then]):
                expected[first + 2 * then] += weight[a] * weight[b]
    assert found.tolist() == expected.tolist()


NUMBER = st.one_of(st.none(), st.integers(0, 4))


def slow_state(x: float, y: float, reach: list[float], *, full: bool, own: bool) -> int:
    if np.isnan(x) or np.isnan(y):
        return len(reach) + 1 if own and np.isnan(x) and np.isnan(y) else 0
    return sum(abs(x - y) <= one for one in reach) + (not full)


@given(
    st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=8),
    st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=8),
    st.booleans(),
)
def test_scanned_states_and_best_pairs_are_those_of_the_definition(theirs, mine, own):
    points, queries = np.array(theirs, dtype=float), np.array(mine, dtype=float)
    reaches = [[2.0, 0.0], [1.0]]
    columns = np.array([0, 2, 3])
    low = np.array([points[:, 0] - 2, points[:, 0], points[:, 1] - 1])
    high = np.array([points[:, 0] + 2, points[:, 0], points[:, 1] + 1])
    value = queries[:, [0, 0, 1]].copy()
    full = np.array([not (np.isnan(points[:, c]).any() or np.isnan(queries[:, c]).any()) for c in range(2)])
    begin, end = np.zeros(len(mine), dtype=np.int64), np.full(len(mine), len(theirs))
    pairs = Pairs(low, high, value, columns, full, own, begin, end)
    stride = np.array([1, 4])
    states = np.array(
        [
            [[slow_state(x[c], y[c], reaches[c], full=full[c], own=own) for c in range(2)] for y in points]
            for x in queries
        ]
    )
    for q in range(len(mine)):
        assert pattern_keys(pairs, stride, q).tolist() == (states[q] @ stride).tolist()
    counts = np.zeros(16, dtype=np.int64)
    weights = np.arange(1, len(theirs) + 1), np.arange(2, len(mine) + 2)
    pattern_counts(pairs, stride, weights, np.arange(len(mine)), counts)
    expected = np.zeros(16, dtype=np.int64)
    np.add.at(expected, states @ stride, np.outer(weights[1], weights[0]))
    assert counts.tolist() == expected.tolist()
    score = np.array([[0.0, -1.5, 0.5, 2.25], [0.0, -1.0, 3.0, 0.0]])
    sizes, found, best = best_pairs(pairs, score, np.zeros((len(mine), 2)), np.arange(len(mine)))
    totals = score[0][states[:, :, 0]] + score[1][states[:, :, 1]]
    assert np.allclose(best, totals.max(1))
    assert sizes.tolist() == (totals == totals.max(1)[:, None]).sum(1).tolist()
    assert found.tolist() == np.nonzero(totals == totals.max(1)[:, None])[1].tolist()
