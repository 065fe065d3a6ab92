"""Model spaces: exact by enumeration, sampled within it, relaxed beyond it. catalogue: D-09."""

from __future__ import annotations

from itertools import combinations
from math import floor
from statistics import mean, stdev

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.models.integral import (
    IntegralPrivacy,
    KMeans,
    Linear,
    Logistic,
    Moments,
    Tree,
    enumerate_models,
    find_recurrent_models,
)

PAY = [10, 12, 19, 20, 31, 44, 80]
LEARNER = Moments(on="pay", grid={"pay": 10})


def paid(pay=PAY) -> Release:
    return Release(pl.DataFrame({"pay": [float(one) for one in pay]}))


def listed(pay, size, step=10) -> dict[tuple[int, int], set[frozenset[int]]]:
    """All databases by their mean and deviation on the grid: the definition, with sets and the statistics module."""
    found: dict[tuple[int, int], set[frozenset[int]]] = {}
    for rows in combinations(range(len(pay)), size):
        values = [pay[row] for row in rows]
        key = tuple(floor(figure / step + 0.5) for figure in (mean(values), stdev(values)))
        found.setdefault(key, set()).add(frozenset(rows))
    return found


def by_key(space) -> dict[tuple[int, int], set[frozenset[int]]]:
    """The generators of a space as sets of rows of the file."""
    origin = space.population.design.features[0].origin
    rows = space.population.rows
    return {
        (one.key[0] + origin, one.key[1]): {frozenset(rows[inside].tolist()) for inside in one.generators.matrix()}
        for one in space.candidates
    }


@pytest.mark.parametrize("size", [2, 3, 4])
def test_enumeration_finds_every_generator(size):
    space = enumerate_models(paid(), LEARNER, sizes=size)
    truth = listed(PAY, size)
    assert by_key(space) == truth and space.exact
    for one in space.candidates:
        sets = truth[one.key[0] + space.population.design.features[0].origin, one.key[1]]
        assert one.common == len(frozenset.intersection(*sets))
        assert one.recurrence == len(sets) / sum(map(len, truth.values()))
    assert [one.count for one in space.candidates] == sorted((len(sets) for sets in truth.values()), reverse=True)


@given(st.lists(st.integers(0, 60), min_size=4, max_size=7), st.integers(2, 3))
def test_enumeration_is_the_definition_on_any_tiny_population(pay, size):
    assert by_key(enumerate_models(paid(pay), LEARNER, sizes=size)) == listed(pay, size)


@pytest.mark.parametrize("draws", [1, 10, 60])
def test_what_is_drawn_is_there(draws):
    """Fewer generators than there are, and no fewer records common to all: a verdict that holds on a sample holds."""
    truth = listed(PAY, 3)
    space = find_recurrent_models(paid(), LEARNER, draws=draws, sizes=3, seed=7)
    assert not space.exact and space.looked <= draws
    for key, sets in by_key(space).items():
        assert sets <= truth[key]
        assert frozenset.intersection(*sets) >= frozenset.intersection(*truth[key])


def test_many_draws_find_all_of_them():
    """35 databases, 1,000 draws: a chance below 35 · (34/35)^1000 < 1e-10 that one is missing, and the seed is fixed."""
    assert by_key(find_recurrent_models(paid(), LEARNER, draws=1000, sizes=3, seed=7)) == listed(PAY, 3)


def test_shares_come_near_the_exact_ones():
    """2,000 draws of pairs among 25 records: within four standard errors of the exact share for every model."""
    pay = np.random.default_rng(1).integers(0, 60, 25).tolist()
    truth = listed(pay, 2)
    rng_draws = 2000
    from tacit.models.integral.model_space import drawn_subsets
    from tacit.models.integral.population import population_of

    population = population_of(paid(pay), LEARNER)
    counts: dict = {}
    for members in drawn_subsets(25, (2,), rng_draws, np.random.default_rng(5)):
        key = population.key(members)
        counts[key] = counts.get(key, 0) + 1
    origin = population.design.features[0].origin
    for key, sets in truth.items():
        share = len(sets) / 300
        seen = counts.get((key[0] - origin, key[1]), 0) / rng_draws
        assert abs(seen - share) <= 4 * (share * (1 - share) / rng_draws) ** 0.5 + 1e-9


def test_the_order_of_the_file_changes_nothing():
    frame = people(120)
    learner = Tree(target="ill", depth=2, grid={"age": 10})
    first = find_recurrent_models(Release(frame), learner, draws=60, sizes=20, seed=7)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3).select(reversed(frame.columns))
    second = find_recurrent_models(Release(shuffled), learner, draws=60, sizes=20, seed=7)
    assert str(first) == str(second)
    assert [(a.key, a.count, a.common, a.score) for a in first.candidates] == [
        (b.key, b.count, b.common, b.score) for b in second.candidates
    ]
    other = find_recurrent_models(Release(frame), learner, draws=60, sizes=20, seed=8)
    assert str(other) != str(first)


def people(rows: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    age = rng.integers(18, 90, rows)
    ill = np.where(age + rng.normal(0, 8, rows) > 55, "yes", "no")
    return pl.DataFrame({"age": age, "sex": rng.choice(["f", "m"], rows), "ill": ill, "pay": 500.0 + 10 * age})


def test_nobody_who_judges_is_in_a_database():
    space = find_recurrent_models(Release(people()), Tree(target="ill"), draws=5, held_out=0.3, seed=7)
    population = space.population
    assert population.size == 210 and len(population.judged[0]) == 90 and len(set(population.rows)) == 210
    inside = {tuple(row) for row in people().with_row_index()[population.rows].rows()}
    assert len(inside) == 210
    frame = people()
    learner = population.learner
    judged = sorted(set(range(300)) - set(population.rows.tolist()))
    expected = learner.matrix(population.design, Release(frame[judged]))
    assert sorted(map(tuple, population.judged[0])) == sorted(map(tuple, expected))


@pytest.mark.parametrize(
    "learner",
    [
        Tree(target="ill", depth=2, grid={"age": 10, "pay": 100}),
        Logistic(target="ill", on=["age"], grid={"age": 10}, rounding=1),
        Linear(target="pay", on=["age"], grid={"age": 10, "pay": 100}),
        KMeans(clusters=2, on=["age"], grid={"age": 10}),
        Moments(on=["age"], grid={"age": 10}),
    ],
    ids=repr,
)
def test_every_kind_of_model_recurs_and_is_chosen(learner):
    space = find_recurrent_models(Release(people()), learner, draws=80, sizes=60, seed=7)
    asked = IntegralPrivacy(k=10)
    found = space.select_candidate(asked)
    assert found is not None and asked.holds(found) and found.common == 0
    better = [one for one in space.candidates if one.score > found.score]
    assert all(not asked.holds(one) for one in better)
    assert (
        space.best_score >= found.score and sum(one.count for one in space.candidates) + space.without == space.looked
    )
    wider = space.relax(0.05 if isinstance(learner, Tree) else 1)
    before = {one.key: one.count for one in space.candidates}
    assert all(one.count >= before[one.key] for one in wider.candidates)
    assert max(one.count for one in wider.candidates) > max(before.values()) or len(before) == 1


def test_the_relaxed_generators_are_those_within_delta():
    space = enumerate_models(paid(), LEARNER, sizes=3)
    truth = by_key(space)
    for delta in (0, 1, 2.5):
        for key, sets in by_key(space.relax(delta)).items():
            near = [other for other in truth if max(abs(a - b) for a, b in zip(key, other, strict=True)) <= delta]
            assert sets == set.union(*(truth[other] for other in near))
    with pytest.raises(TacitError, match="already"):
        space.relax(1).relax(1)


@pytest.mark.parametrize("known", [[], [0], [2, 4], [0, 1, 2]])
def test_what_is_left_to_an_intruder_who_knows_members(known):
    space = enumerate_models(paid(), LEARNER, sizes=3)
    truth = by_key(space)
    origin = space.population.design.features[0].origin
    for one in space.candidates:
        left = [sets - set(known) for sets in truth[one.key[0] + origin, one.key[1]] if sets >= set(known)]
        found = space.with_known_members(one, known)
        assert found.count == len(left)
        if left:
            assert found.common == len(frozenset.intersection(*left))
            held = [sum(row in sets for sets in left) for row in range(len(PAY))]
            assert found.share == max(held) / len(left)
            assert bool(IntegralPrivacy(k=2).holds(found)) == (len(left) >= 2 and not frozenset.intersection(*left))
        else:
            assert not IntegralPrivacy(k=2).holds(found) and "0 of 35 databases" in str(found)


def test_trees_are_as_far_apart_as_they_disagree():
    space = find_recurrent_models(
        Release(people()), Tree(target="ill", depth=2, grid={"age": 10}), draws=60, sizes=20, seed=7
    )
    learner, judged = space.population.learner, space.population.judged[0]
    delta = 0.1
    told = {one.key: learner.predict_targets(one.key, judged) for one in space.candidates}
    counts = {one.key: one.count for one in space.candidates}
    for one in space.relax(delta).candidates:
        near = [key for key in told if (told[key] != told[one.key]).mean() <= delta]
        assert one.count == sum(counts[key] for key in near)


def test_the_pareto_set_is_that_of_generators_and_score():
    space = find_recurrent_models(
        Release(people()), Tree(target="ill", depth=3, grid={"age": 10}), draws=80, sizes=20, seed=7
    )
    points = [(one.count, one.score) for one in space.candidates]
    best = {p for p in points if not any(q[0] >= p[0] and q[1] >= p[1] and q != p for q in points)}
    assert {(one.count, one.score) for one in space.pareto()} == best


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_accuracy_is_counted_on_the_judged(seed):
    space = find_recurrent_models(
        Release(people(80)), Tree(target="ill", depth=2, grid={"age": 10}), draws=4, sizes=20, seed=seed
    )
    features, target = space.population.judged
    for one in space.candidates:
        right = space.population.learner.predict_targets(one.key, features) == target
        assert one.score == pytest.approx(right.sum() / len(target))
        assert one.interval[0] < one.score < one.interval[1] or one.score in (0.0, 1.0)
