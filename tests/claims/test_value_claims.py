"""Claims about values against a slow reading of their definition. catalogue: B-04, B-07, B-09."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.claims import ValueClaims
from tacit.claims.gain import above_others, above_own
from tacit.claims.values import right_values
from tacit.interval import wilson
from tacit.result import Result


@st.composite
def claims_and_values(draw, *, numbers: bool):
    count = draw(st.integers(1, 5))
    values = st.integers(0, 6)
    lists = draw(st.lists(st.lists(values, min_size=0, max_size=4, unique=True), min_size=count, max_size=count))
    shares = []
    for named in lists:
        parts = draw(st.lists(st.integers(1, 9), min_size=len(named), max_size=len(named)))
        shares.append([part / (sum(parts) + draw(st.integers(0, 3))) for part in parts])
    people = draw(st.integers(1, 8))
    claim_of = draw(st.lists(st.integers(0, count - 1), min_size=people, max_size=people))
    unknown = np.nan if numbers else -1
    true = draw(st.lists(st.one_of(values, st.just(unknown)), min_size=people, max_size=people))
    return lists, shares, np.array(claim_of), np.array(true, dtype=float if numbers else np.int64)


def made(lists, shares, claim_of, *, numbers: bool) -> ValueClaims:
    named = np.array([value for one in lists for value in one], dtype=float if numbers else np.int64)
    return ValueClaims(
        column="ill",
        start=np.append(0, np.cumsum([len(one) for one in lists])),
        codes=None if numbers else named,
        numbers=named if numbers else None,
        shares=np.array([share for one in shares for share in one], dtype=float),
        claim_of=claim_of,
    )


def chance(named, shares, value, within) -> float:
    return sum(share for other, share in zip(named, shares, strict=True) if abs(other - value) <= within)


@pytest.mark.parametrize("numbers", [False, True])
@given(data=st.data())
def test_shares_of_what_is_right_are_those_of_the_definition(numbers, data):
    lists, shares, claim_of, true = data.draw(claims_and_values(numbers=numbers))
    within = data.draw(st.sampled_from([0.0, 1.0, 2.5])) if numbers else 0.0
    found = right_values(made(lists, shares, claim_of, numbers=numbers), true, within=within)
    known = [place for place, value in enumerate(true) if (value == value and value >= 0)]
    each = [chance(lists[claim_of[place]], shares[claim_of[place]], true[place], within) for place in known]
    assert found.value == pytest.approx(np.mean(each) if each else 0.0)
    assert found.per_record.values()[known] == pytest.approx(each)
    dealt = [
        chance(lists[claim_of[place]], shares[claim_of[place]], true[other], within)
        for place in known
        for other in known
    ]
    assert found.facts["baseline"] == pytest.approx(np.mean(dealt) if dealt else 0.0)
    assert found.facts["records attacked"] == len(known)


def test_a_number_is_right_within_and_not_beyond():
    claims = ValueClaims(column="income", low=np.array([10.0, 10.0, np.nan]), high=np.array([10.0, 12.0, np.nan]))
    found = right_values(claims, np.array([11.0, 13.5, 1.0]), within=1.0)
    assert found.per_record.values().tolist() == [1.0, 0.0, 0.0]


def test_nobody_is_judged_of_whom_the_value_is_unknown():
    claims = ValueClaims(
        column="ill", start=np.array([0, 1]), codes=np.array([2]), shares=np.ones(1), claim_of=np.zeros(3, int)
    )
    found = right_values(claims, np.array([2, -1, 0]))
    assert found.value == 0.5 and found.facts["value unknown"] == 1


def shared(hits: int, trials: int, baseline: float = 0.0) -> Result:
    return Result(
        name="attribute inference",
        value=hits / trials,
        interval=wilson(hits, trials),
        worse="high",
        about="attribute",
        facts={"baseline": baseline, "records attacked": trials},
    )


@pytest.mark.parametrize(
    ("first", "second", "interval"),
    [((56, 70), (48, 80), (0.0524, 0.3339)), ((9, 10), (3, 10), (0.1705, 0.8090)), ((10, 10), (0, 20), (0.6791, 1.0))],
)
def test_the_difference_of_two_shares_has_newcombes_interval(first, second, interval):
    """Newcombe (1998), table II, method 10."""
    value, found = above_others(shared(*first), shared(*second))
    assert value == pytest.approx(first[0] / first[1] - second[0] / second[1])
    assert found == pytest.approx(interval, abs=6e-5)


def test_the_gain_is_above_the_baseline_of_each_group():
    value, (low, high) = above_others(shared(80, 100, 0.5), shared(60, 100, 0.4))
    assert value == pytest.approx(0.1) and low < value < high


def test_the_interval_of_paired_differences_holds_the_truth_as_often_as_it_says():
    """Coverage of 95 % intervals in 400 draws: below 91 % has a chance under 0.1 % (binomial)."""
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(400):
        own = rng.random(150) < 0.7
        rest = np.where(rng.random(150) < 0.8, own, rng.random(150) < 0.5)
        truth = 0.7 - (0.8 * 0.7 + 0.2 * 0.5)
        low, high = above_own(own.astype(float), rest.astype(float))[1]
        held += low <= truth <= high
    assert held >= 364


def test_no_difference_is_not_taken_for_certainty():
    value, (low, high) = above_own(np.ones(50), np.ones(50))
    assert value == 0.0 and low < 0 < high and high > 0.03


@given(st.data())
def test_intervals_are_those_of_the_definition(data):
    """Both ends reach ``within`` further, and people of whom the value is unknown count on neither side."""
    size, within = data.draw(st.integers(1, 8)), data.draw(st.sampled_from([0.0, 1.0]))
    ends = st.one_of(st.none(), st.tuples(st.integers(0, 6), st.integers(0, 3)))
    claimed = data.draw(st.lists(ends, min_size=size, max_size=size))
    true = data.draw(st.lists(st.one_of(st.integers(0, 9), st.just(np.nan)), min_size=size, max_size=size))
    low, high = (
        np.array([np.nan if one is None else one[0] + far * one[1] for one in claimed], dtype=float) for far in (0, 1)
    )
    found = right_values(ValueClaims(column="pay", low=low, high=high), np.array(true, dtype=float), within=within)
    judged = [at for at in range(size) if true[at] == true[at]]

    def holds(claim: int, person: int) -> float:
        one = claimed[claim]
        return float(one is not None and one[0] - within <= true[person] <= sum(one) + within)

    pairs = [holds(claim, person) for claim in judged for person in judged]
    assert found.value == pytest.approx(np.mean([holds(at, at) for at in judged]) if judged else 0.0)
    assert found.facts["baseline"] == pytest.approx(np.mean(pairs) if pairs else 0.0)
