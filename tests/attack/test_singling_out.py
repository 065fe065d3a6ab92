"""Singling out: a planted leak is found, chance is told as chance, and every predicate means what it says."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from tacit import Release, TacitError
from tacit.attack import ATTACKS, SinglingOut, reidentify, singling_out
from tacit.claims import PredicateClaims, Truth, judge
from tacit.claims.isolation import by_chance, index_column, is_interval_column, match_predicates
from tacit.examples import clinic
from tacit.protect import FullDomain, Mondrian


def people(rows: int, seed: int) -> Release:
    """Independent columns: what a predicate weighs is the product of what its conditions weigh."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "height": rng.normal(170, 10, rows).round(1),
            "job": rng.integers(0, 30, rows).astype(str),
            "town": rng.integers(0, 40, rows).astype(str),
            "income": rng.lognormal(10, 0.5, rows).round(),
        }
    )
    hierarchies = {
        "age": {"intervals": [10, 30]},
        "job": {"table": {str(job): [f"trade {job % 5}", "*"] for job in range(30)}},
        "town": {"table": {str(town): [f"county {town % 4}", "*"] for town in range(40)}},
    }
    return Release(
        frame, quasi=["age", "job", "town"], confidential="income", kinds={"age": "continuous"}, hierarchies=hierarchies
    )


def clinics(rows: int, seed: int) -> Release:
    example = clinic(rows, seed=seed)
    return Release(
        example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing=example.missing
    )


def test_a_release_of_the_original_singles_out_everybody_it_names():  # catalogue: C-08
    original, control = people(1000, 1), people(1000, 2)
    found = singling_out(original, original=original, control=control, attempts=400, seed=1)
    assert found.value == 1.0
    assert found.facts["baseline"] < 0.15
    assert abs(found.facts["control"] - found.facts["baseline"]) < 0.06
    assert found.facts["above the control, 95 % interval"][0] > 0.7
    assert found.facts["predicates made"] == found.facts["predicates asked for"] == 400


def test_a_release_about_others_is_chance():  # catalogue: C-08
    shares, expected = [], []
    for seed in range(4):
        found = singling_out(people(1000, 10 + seed), original=people(1000, 20 + seed), attempts=400, seed=seed)
        low, high = found.facts["above the baseline, 95 % interval"]
        shares.append(found.value)
        expected.append(found.facts["baseline"])
        assert low - 0.02 < 0 < high + 0.02
    assert np.mean(shares) == pytest.approx(np.mean(expected), abs=0.025)


def test_dependent_columns_are_told_by_the_control():  # catalogue: C-08
    """The clinic's columns depend on each other: a release about others is no better than the control."""
    released, original, control = (clinics(1500, seed) for seed in (1, 2, 3))
    found = singling_out(released, original=original, control=control, attempts=500, seed=1)
    low, high = found.facts["above the control, 95 % interval"]
    assert low < 0.02 and high > -0.02


@pytest.mark.parametrize("method", [FullDomain, Mondrian])
def test_k_anonymity_of_the_columns_that_are_stated(method):  # catalogue: C-08
    original = people(1000, 1)
    known = ("age", "job", "town")
    masked = original.protect(method(models={"k_anonymity": 10}), seed=1)
    before = singling_out(original, original=original, among=known, attempts=300, seed=1)
    after = singling_out(masked, original=original, among=known, attempts=300, seed=1)
    assert before.value == 1.0
    assert after.facts["predicates made"] == 0  # no released record is alone in its class
    assert after.value == 0 and after.interval == (0.0, 1.0)
    assert "0 of the 300 predicates asked for could be made" in after.facts["notes"][0]


@pytest.mark.parametrize("method", [FullDomain, Mondrian])
def test_k_anonymity_leaves_the_other_columns_to_single_out_by(method):  # catalogue: C-08
    """Cohen and Nissim: a class and the columns that were left as they were isolate people."""
    original = people(1000, 1)
    masked = original.protect(method(models={"k_anonymity": 10}), seed=1)
    found = singling_out(masked, original=original, attempts=300, seed=1)
    assert found.facts["predicates that hold for nobody"] == 0  # generalising tells the truth
    assert found.facts["above the baseline, 95 % interval"][0] > 0.2


def test_noise_makes_predicates_hold_for_nobody():
    original = people(1000, 1)
    rng = np.random.default_rng(5)
    noisy = original.with_columns(
        {name: original.floats(name) * rng.lognormal(0, 2, 1000) for name in ("height", "income")}
    )
    found = singling_out(noisy, original=original, among=("height", "income"), columns=2, attempts=300, seed=1)
    assert found.facts["predicates that hold for nobody"] > 150


def held_by(claims: PredicateClaims, table: Release) -> list[int]:
    """For how many rows each predicate holds, by filters on the values themselves."""
    found = []
    for p in range(claims.predicate_count):
        rows = np.ones(table.size, dtype=bool)
        for i in range(claims.start[p], claims.start[p + 1]):
            column = claims.columns[claims.column[i]]
            values = claims.release.codes(column).dictionary.to_list()
            mine = table.series(column).to_list()
            first, last = int(claims.first[i]), int(claims.last[i])
            if not is_interval_column(claims.release, column):
                rows &= np.array([value == values[first] for value in mine])
                continue
            low = (values[first - 1] + values[first]) / 2 if first else -np.inf
            high = (values[last] + values[last + 1]) / 2 if last + 1 < len(values) else np.inf
            rows &= np.array([value is not None and low <= value < high for value in mine])
        found.append(int(rows.sum()))
    return found


def test_predicates_hold_for_one_released_record_and_are_judged_as_they_read():
    release, original = people(300, 1), people(400, 2)
    claims = SinglingOut(attempts=150).find_predicates(release, seed=3)
    assert held_by(claims, release) == [1] * claims.predicate_count
    found = judge(claims, Truth(released=np.zeros(0, int), intruder=np.zeros(0, int), people=original))
    counts = np.array(held_by(claims, original))
    assert found.value == pytest.approx((counts == 1).mean())
    assert found.facts["predicates that hold for nobody"] == (counts == 0).sum()
    assert found.facts["baseline"] == pytest.approx(by_chance(claims.weights, 400).mean())


def test_weights_are_products_of_the_shares_of_the_conditions():
    release = people(300, 1)
    claims = SinglingOut(attempts=50).find_predicates(release, seed=3)
    for p in range(claims.predicate_count):
        weight = 1.0
        for i in range(claims.start[p], claims.start[p + 1]):
            codes = release.codes(claims.columns[claims.column[i]]).codes
            weight *= ((codes >= claims.first[i]) & (codes <= claims.last[i])).mean()
        assert claims.weights[p] == pytest.approx(weight)


def test_fewer_predicates_than_asked_for_are_no_smaller_risk():
    """The share is over those made: three records can be told apart, and each is singled out."""
    frame = pl.DataFrame({"job": ["cook", "judge", "vet", "cook", "cook"], "town": ["a", "a", "a", "a", "a"]})
    release = Release(frame, quasi="job")
    found = singling_out(release, original=release, columns=2, attempts=1000, seed=1)
    assert found.facts["predicates made"] == 2
    assert found.value == 1.0
    assert found.facts["people singled out"] == 2
    assert "2 of the 1,000" in found.facts["notes"][0]
    assert found.per_record.values().tolist() == [0, 1, 1, 0, 0]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 7), st.integers(0, 7))
def test_a_control_of_another_size_is_counted_for_as_many_people(size, others, has, theirs):
    """Against every part of the larger group."""
    has, theirs, common = min(has, size), min(theirs, others), min(size, others)

    def exactly_one(count: int, of: int) -> float:
        parts = list(combinations(range(of), common))
        return sum(sum(one < count for one in part) == 1 for part in parts) / len(parts)

    def of(count: int, rows: int) -> Release:
        return Release(pl.DataFrame({"job": ["cook"] * count + ["vet"] * (rows - count)}), quasi="job")

    release = Release(pl.DataFrame({"job": ["cook", "vet", "vet"]}), quasi="job")
    claims = SinglingOut(columns=1, attempts=5).find_predicates(release, seed=1)
    assert claims.predicate_count == 1
    nobody = np.zeros(0, dtype=int)
    truth = Truth(released=nobody, intruder=nobody, people=of(has, size), others=of(theirs, others))
    found = judge(claims, truth)
    assert found.facts["control"] == pytest.approx(exactly_one(theirs, others))
    assert found.facts["above the control"] == pytest.approx(exactly_one(has, size) - exactly_one(theirs, others))


rows_of_codes = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(rows_of_codes, st.integers(0, 4), st.integers(0, 4), st.lists(st.integers(0, 3), max_size=3, unique=True))
def test_holders_against_the_plain_way(rows, low, high, listed):
    low, high = min(low, high), max(low, high)
    columns = [index_column(np.array(column), 4) for column in zip(*rows, strict=True)]
    counts, who = match_predicates(columns, [[(0, (low, high)), (1, np.array(sorted(listed), dtype=np.int64))]])
    plain = [row for row, (a, b) in enumerate(rows) if low <= a < high and b in listed]
    assert counts.tolist() == [len(plain)]
    assert who.tolist() == [plain[0] if len(plain) == 1 else -1]


def test_the_same_seed_gives_the_same_predicates_and_none_comes_twice():
    release = people(300, 1)
    first, again = (SinglingOut(attempts=200).find_predicates(release, seed=4) for _ in range(2))
    assert (first.first == again.first).all() and (first.column == again.column).all()
    said = {
        tuple(
            zip(
                *(
                    part[first.start[p] : first.start[p + 1]].tolist()
                    for part in (first.column, first.first, first.last)
                ),
                strict=True,
            )
        )
        for p in range(first.predicate_count)
    }
    assert (
        len(said) > 0.95 * first.predicate_count
    )  # two released records may be alike in a column, never in all of a predicate


def test_missing_cells_state_nothing():
    release = clinics(400, 1)
    hollow = release.suppress_cells({"income": np.ones(400, dtype=bool)})
    claims = SinglingOut(attempts=200).find_predicates(hollow, seed=1)
    assert "income" not in claims.columns


def test_it_is_no_attack_that_finds_people_by_name():
    assert ATTACKS["singling_out"].tags.about == "singling out"
    release = people(30, 1)
    with pytest.raises(TacitError, match="not about identity"):
        reidentify(release, original=release, lineage=np.arange(30), attack="singling_out")


def test_a_column_that_the_people_do_not_have():
    release = people(100, 1)
    with pytest.raises(TacitError, match="column 'town' is not in the file of the people"):
        singling_out(release, original=release.select(["age", "height", "job", "income"]), seed=1)
    other = release.with_columns({"town": np.array(["elsewhere"] * 100, dtype=object)})
    with pytest.raises(TacitError, match="column 'town' has no value in the release that any of the people has"):
        singling_out(release, original=other, seed=1)


@pytest.mark.parametrize(
    "wrong", [{"attempts": 0}, {"columns": 0}, {"chance": 0}, {"chance": True}, {"chance": 2}, {"columns": 1.5}]
)
def test_parameters_out_of_range(wrong):
    with pytest.raises(TacitError):
        SinglingOut(**wrong)


def test_a_column_that_is_not_there():
    with pytest.raises(TacitError, match="'agee'"):
        singling_out(people(50, 1), original=people(50, 1), among="agee")


def test_people_without_rows_are_refused():
    release = people(50, 1)
    with pytest.raises(TacitError, match="no rows"):
        singling_out(release, original=release.take(np.zeros(0, dtype=int)), seed=1)


def test_the_chance_of_exactly_one_is_that_of_the_binomial_law():
    weights = np.array([0.0, 0.03, 0.5, 1.0])
    expected = [binom.pmf(1, 7, weight) for weight in weights]
    assert by_chance(weights, 7) == pytest.approx(expected)
    assert by_chance(weights, 1) == pytest.approx(weights)


def test_an_interval_reaches_halfway_to_the_next_released_value():
    release = Release(pl.DataFrame({"pay": [0.0, 10.0, 20.0]}), quasi="pay", kinds={"pay": "continuous"})
    original = Release(pl.DataFrame({"pay": [4.9, 5.0, 14.9, 15.0]}), quasi="pay", kinds={"pay": "continuous"})
    claims = PredicateClaims(
        release=release,
        columns=("pay",),
        start=np.arange(4),
        column=np.zeros(3, dtype=np.int64),
        first=np.arange(3),
        last=np.arange(3),
        weights=np.full(3, 1 / 3),
        asked=3,
    )
    found = judge(claims, Truth(released=np.zeros(0, int), intruder=np.zeros(0, int), people=original))
    assert found.per_record.values().tolist() == [1.0, 0.0, 0.0, 1.0] and found.value == pytest.approx(2 / 3)
