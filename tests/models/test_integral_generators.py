"""Generators: counted, intersected and packed, against sets and brute force. catalogue: D-09."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.models.integral import Generators, disjoint_family
from tacit.models.integral import recurring_model as families
from tacit.models.integral.generators import pack_members
from tacit.models.integral.model_space import drawn_subsets, every_subset
from tacit.models.integral.recurring_model import greedy_hitting_set

PEOPLE = 11


def databases(largest: int = 8):
    one = st.frozensets(st.integers(0, PEOPLE - 1), min_size=1, max_size=6)
    return st.lists(one, min_size=1, max_size=largest, unique=True)


def generators(sets) -> Generators:
    return Generators.of((pack_members(np.array(sorted(one)), PEOPLE) for one in sets), PEOPLE)


@given(databases())
def test_what_databases_share_is_what_sets_share(sets):
    found = generators(sets)
    assert found.count == len(sets) and found.sizes().tolist() == [len(one) for one in sets]
    assert found.common() == len(frozenset.intersection(*sets))
    held = [sum(record in one for one in sets) for record in range(PEOPLE)]
    assert found.inclusions().tolist() == held and found.share() == max(held) / len(sets)
    assert found.mean_share() == pytest.approx(np.mean(held) / len(sets))
    if len(sets) > 1:
        shared = np.mean([len(one & other) for one, other in combinations(sets, 2)])
        assert found.overlap() == pytest.approx(shared / np.mean([len(one) for one in sets]))


def test_a_database_counts_once():
    one = frozenset({1, 2})
    assert generators([one, one]).count == 1
    assert generators([one]).union_with([generators([one]), generators([frozenset({3})])]).count == 2


def most_disjoint(sets) -> int:
    """Brute force over all families."""
    for size in range(len(sets), 0, -1):
        for chosen in combinations(sets, size):
            if len(frozenset.union(*chosen)) == sum(map(len, chosen)):
                return size
    return 0


@given(databases(9))
def test_the_largest_disjoint_family_is_found_and_proven(sets):
    found = disjoint_family(generators(sets))
    chosen = [sets[member] for member in found.members]
    assert len(frozenset.union(*chosen)) == sum(map(len, chosen))
    assert found.size == most_disjoint(sets) and found.is_proven


def test_the_greedy_family_falls_short_of_the_optimum_here(monkeypatch):
    """So that the integer programme is needed, and a bound without it holds still."""
    sets = [frozenset(one) for one in ({0, 1}, {2, 3}, {4, 5}, {1, 2}, {3, 4}, {0, 5, 6}, {7, 8, 9})]
    hard = [frozenset(one) for one in ({0, 1}, {1, 2, 3}, {0, 4, 5}, {6, 7}, {7, 8, 9}, {6, 10, 2})]
    for case in (sets, hard):
        best = most_disjoint(case)
        monkeypatch.setattr(families, "STARTS", 1)
        assert disjoint_family(generators(case)).size == best
        monkeypatch.setattr(families, "PAIRS", 0)
        rough = disjoint_family(generators(case))
        assert rough.size <= best <= rough.bound
        monkeypatch.undo()


@given(databases())
def test_records_that_meet_every_database_do_so(sets):
    found = greedy_hitting_set(generators(sets))
    assert all(one & set(found) for one in sets)
    assert most_disjoint(sets) <= len(found)
    assert (len(found) == 1) == bool(frozenset.intersection(*sets))


@given(st.integers(2, 30), st.data())
def test_databases_of_a_round_share_no_record(population, data):
    size = data.draw(st.integers(1, population))
    rounds = population // size
    found = [set(one.tolist()) for one in drawn_subsets(population, (size,), 3 * rounds, np.random.default_rng(1))]
    assert len(found) == 3 * rounds and all(len(one) == size for one in found)
    for start in range(0, len(found), rounds):
        part = found[start : start + rounds]
        assert len(set.union(*part)) == size * rounds


def test_every_database_is_drawn_as_often_as_any():
    """30,000 draws over the 10 pairs of 5: a chance of 1e-9 that a right sampler strays so far (chi-square, 9 degrees)."""
    from collections import Counter

    drawn = Counter(tuple(sorted(one.tolist())) for one in drawn_subsets(5, (2,), 30_000, np.random.default_rng(3)))
    assert len(drawn) == 10
    assert sum((count - 3000) ** 2 / 3000 for count in drawn.values()) < 64.5


def test_sizes_take_turns():
    sizes = [len(one) for one in drawn_subsets(10, (3, 5), 10, np.random.default_rng(1))]
    assert sizes == [3, 3, 3, 5, 5, 3, 3, 3, 5, 5]
    count, every = every_subset(5, (1, 4))
    assert count == len(list(every)) == 10
