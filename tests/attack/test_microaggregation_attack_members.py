"""Who was averaged: sets of records by their sums, against counting all sets. catalogue: M-05."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.attack.masking_models.microaggregation_members import Means, find_members
from tacit.kernels.same_mean import MANY, NONE, ONE, UNKNOWN, same_mean


def searched(values: np.ndarray, sums: np.ndarray, slack: np.ndarray, size: int, work: int = 10**6):
    twin = np.unique(values, axis=0, return_inverse=True)[1].ravel()
    verdict, found = same_mean(values, twin, np.argsort(twin, kind="stable")[None], sums[None], slack, size, work)
    return int(verdict[0]), found[0], twin


@given(seed=st.integers(0, 10**6), slack=st.sampled_from([0.1, 1.2]), columns=st.integers(1, 3))
def test_sets_are_those_that_counting_finds(seed, slack, columns):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 10))
    size = int(rng.integers(2, min(5, count) + 1))
    values = rng.integers(0, 4, (count, columns)).astype(float)
    target = values[rng.choice(count, size, replace=False)].sum(axis=0) + rng.uniform(-0.05, 0.05, columns)
    target += rng.integers(0, 2) * 0.7
    verdict, found, twin = searched(values, target, np.full(columns, slack), size)
    sets = {
        tuple(sorted(twin[list(rows)]))
        for rows in combinations(range(count), size)
        if (np.abs(values[list(rows)].sum(axis=0) - target) <= slack).all()
    }
    assert verdict == {0: NONE, 1: ONE}.get(len(sets), MANY)
    if verdict == ONE:
        assert sets == {tuple(sorted(twin[found]))}


def test_a_search_that_takes_too_long_says_so():
    values = np.random.default_rng(1).normal(size=(30, 2))
    assert searched(values, values[:6].sum(axis=0), np.full(2, 1e-9), 6, work=50)[0] == UNKNOWN


def test_members_leave_the_others_and_equals_stay_open():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(60, 2))
    values[1] = values[0]  # equals in two groups
    group = np.arange(60) // 3
    group[1], group[3] = 1, 0
    centres = np.array([values[group == one].mean(axis=0) for one in range(20)])
    means = Means(values, centres, np.full(20, 3), np.full(2, 1e-9))
    found = find_members(means, complete=True)
    assert (found.group[2:] == group[2:]).all()
    assert (found.group[:2] == -1).all()
    assert found.proven[2:].all() and not found.contradicted
    near = find_members(means, complete=False)  # groups are no neighbours here: nothing can be found near the centres
    assert not near.proven.any()
    assert (near.group == group)[near.group >= 0].all()


def test_one_wrong_value_takes_away_all_proof():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 2))
    group = np.arange(30) // 3
    centres = np.array([values[group == one].mean(axis=0) for one in range(10)])
    values[0, 0] += 0.01
    found = find_members(Means(values, centres, np.full(10, 3), np.full(2, 1e-9)), complete=True)
    assert found.contradicted
    assert not found.proven.any()


def test_no_records_and_no_groups_find_nobody():
    none = find_members(Means(np.empty((0, 2)), np.zeros((1, 2)), np.ones(1, dtype=int), np.ones(2)), complete=True)
    assert len(none.group) == 0
    assert (
        find_members(Means(np.zeros((3, 1)), np.empty((0, 1)), np.empty(0, int), np.ones(1)), complete=True).group < 0
    ).all()
