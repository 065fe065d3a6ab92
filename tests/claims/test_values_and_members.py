"""The judge on values and on membership, beside guessing. catalogue: C-03."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.claims import LinkClaims, MemberClaims, Truth, ValueClaims, judge

NOBODY = np.zeros(0, dtype=int)


def values(true, control=None) -> Truth:
    control_values = None if control is None else np.array(control)
    return Truth(released=NOBODY, intruder=NOBODY, values=np.array(true), control_values=control_values)


def test_intervals_are_right_when_they_hold_the_value():
    claims = ValueClaims(column="income", low=np.array([0.0, 5.0, 3.0, np.nan]), high=np.array([2.0, 9.0, 3.0, np.nan]))
    result = judge(claims, values([2.0, 4.0, 3.0, 1.0]))
    assert result.per_record.values().tolist() == [1, 0, 1, 0]
    assert (result.value, result.column, result.about) == (0.5, "income", "attribute")
    # dealt out at random: [0, 2] holds two of the four values, [5, 9] none, [3, 3] one, no claim none
    assert result.facts["baseline"] == pytest.approx((2 + 0 + 1 + 0) / 16)


def test_distributions_count_the_share_of_the_true_value():
    claims = ValueClaims(
        column="illness",
        start=np.array([0, 2, 3, 3]),
        codes=np.array([0, 1, 1]),
        shares=np.array([0.75, 0.25, 1.0]),
    )
    result = judge(claims, values([0, 0, 2]))
    assert result.per_record.values() == pytest.approx([0.75, 0, 0])
    # codes 0 and 2 have 2/3 and 1/3 of the people, code 1 nobody
    assert result.facts["baseline"] == pytest.approx(0.75 * 2 / 3 / 3)


def test_the_control_is_judged_on_its_own_values():
    made = {"column": "x", "low": np.array([0.0, 0.0]), "high": np.array([1.0, 1.0])}
    control = ValueClaims(column="x", low=np.zeros(4), high=np.ones(4))
    result = judge(ValueClaims(**made), values([0.5, 0.5], [0.5, 3.0, 3.0, 3.0]), control)
    assert (result.value, result.facts["control"]) == (1.0, 0.25)
    with pytest.raises(TacitError, match="nothing for the 4 rows of the control"):
        judge(ValueClaims(**made), values([0.5, 0.5]), control)
    with pytest.raises(TacitError, match="cannot be the control"):
        links = LinkClaims.of_rows(np.array([0, 0]), NOBODY, release_size=0)
        judge(ValueClaims(**made), values([0.5, 0.5]), links)


def test_malformed_values_are_refused():
    for wrong in (
        {"low": np.zeros(2)},
        {"low": np.ones(1), "high": np.zeros(1)},
        {"start": np.array([0, 1]), "codes": np.array([0]), "shares": np.array([1.5])},
        {
            "start": np.array([0, 1]),
            "codes": np.array([0]),
            "shares": np.ones(1),
            "low": np.zeros(1),
            "high": np.ones(1),
        },
    ):
        with pytest.raises(AssertionError):
            ValueClaims(column="x", **wrong)


def membership(scores, inside):
    inside = np.array(inside, dtype=bool)
    persons = np.arange(len(inside))
    return judge(MemberClaims(scores=np.array(scores, dtype=float)), Truth(released=persons[inside], intruder=persons))


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40))
def test_the_area_is_the_share_of_pairs_in_the_right_order(people):
    scores, inside = (np.array(side) for side in zip(*people, strict=True))
    if inside.all() or not inside.any():
        with pytest.raises(TacitError, match="one sort only"):
            membership(scores, inside)
        return
    pairs = scores[inside][:, None] - scores[~inside]
    result = membership(scores, inside)
    assert result.value == pytest.approx((pairs > 0).mean() + (pairs == 0).mean() / 2)
    cuts = [np.mean(scores[inside] >= cut) - np.mean(scores[~inside] >= cut) for cut in range(7)]
    assert result.facts["advantage"] == pytest.approx(max(cuts))
    assert result.interval[0] <= result.value <= result.interval[1]


def test_the_few_who_are_surely_found_are_seen_at_one_false_alarm_in_a_hundred():
    """Ten of a hundred members score above everybody; the others are like the two hundred outsiders."""
    scores = [9.0] * 10 + [0.0] * 90 + [5.0] * 2 + [0.0] * 198
    result = membership(scores, [True] * 100 + [False] * 200)
    assert result.facts["found at 1 % false alarms"] == pytest.approx(0.1)
    assert result.facts["baseline"] == 0.5
    assert result.facts["advantage"] == pytest.approx(0.1)


def test_useless_scores_get_one_half_within_the_interval():
    rng = np.random.default_rng(4)
    result = membership(rng.normal(size=2000), np.arange(2000) < 1000)
    assert result.interval[0] < 0.5 < result.interval[1]  # a right judge fails here for less than one seed in twenty
    shifted = membership(rng.normal(size=2000) + (np.arange(2000) < 1000), np.arange(2000) < 1000)
    assert shifted.interval[0] > 0.6  # the area of two normals one deviation apart is 0.76
