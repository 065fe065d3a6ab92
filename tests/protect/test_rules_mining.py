"""Frequent sets and rules: both miners against trying every set. catalogue: D-08"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.protect.rules import Baskets, Rule, frequent, mine_independently, rules
from tacit.protect.rules.patterns import parse_patterns
from tacit.protect.rules.thresholds import least_count

from .rules_oracle import confident_rules, files, frequent_sets


@given(files(), st.integers(1, 10))
def test_both_miners_find_what_trying_every_set_finds(rows, least):
    least, held = min(least, len(rows)), Baskets.of(rows)
    wanted = frequent_sets(rows, least)
    assert dict(frequent(held, minsup=least)) == wanted == dict(mine_independently(held, minsup=least))
    order = sorted(wanted, key=lambda items: (len(items), items))
    assert list(frequent(held, minsup=least)) == order == list(mine_independently(held, minsup=least))


@given(files(), st.integers(1, 4), st.integers(1, 10))
def test_rules_are_compared_in_whole_numbers(rows, least, tenths):
    least, held = min(least, len(rows)), Baskets.of(rows)
    found = rules(held, minsup=least, minconf=tenths / 10)
    assert set(found) == confident_rules(rows, least, Fraction(tenths, 10))
    for rule, confidence in found.items():
        assert confidence == held.support(rule.items) / held.support(rule.body)


def test_more_than_64_transactions_and_many_items_agree():
    rng = np.random.default_rng(7)
    held = Baskets.of([[f"i{item}" for item in np.flatnonzero(rng.random(40) < 0.3)] for _ in range(333)])
    assert dict(frequent(held, minsup=12)) == dict(mine_independently(held, minsup=12))
    assert max(map(len, frequent(held, minsup=12))) >= 3
    assert set(frequent(held, minsup=12, largest=2)) == {one for one in frequent(held, minsup=12) if len(one) <= 2}


def test_the_classic_example():
    """Han, Kamber and Pei (2012), Data mining, table 6.1: nine transactions, minimum support 2."""
    rows = ["I1 I2 I5", "I2 I4", "I2 I3", "I1 I2 I4", "I1 I3", "I2 I3", "I1 I3", "I1 I2 I3 I5", "I1 I2 I3"]
    held = Baskets.of([row.split() for row in rows])
    found = frequent(held, minsup=2)
    assert len(found) == 13 and found[("I1", "I2", "I3")] == found[("I1", "I2", "I5")] == 2
    from_l = {
        rule: value for rule, value in rules(held, minsup=2, minconf=0.7).items() if rule.items == ("I1", "I2", "I5")
    }
    assert {str(rule): value for rule, value in from_l.items()} == {
        "I5 -> I1, I2": 1.0,
        "I1, I5 -> I2": 1.0,
        "I2, I5 -> I1": 1.0,
    }


def test_frames_say_support_confidence_and_lift():
    held = Baskets.of([["a", "b"], ["a", "b"], ["b"], []])
    assert frequent(held, minsup=0.5).frame().rows() == [("a", 2, 0.5), ("b", 3, 0.75), ("a, b", 2, 0.5)]
    assert rules(held, minsup=2, minconf=1.0).frame().rows() == [("a -> b", 2, 1.0, 4 / 3)]


def test_repeated_items_count_once_and_empty_transactions_count():
    held = Baskets.of([["a", "a", "b"], [], ["b"]])
    assert held.support(["a"]) == 1 and held.doubled == 1 and held.size == 3
    assert least_count(0.5, held.size) == 2 and dict(frequent(held, minsup=0.5)) == {("b",): 2}
    assert "1 of them empty" in repr(held)


@pytest.mark.parametrize("minsup", [0, -1, 1.5, 4, True, "a", float("nan"), 0.0])
def test_a_threshold_out_of_range_is_an_error(minsup):
    with pytest.raises(TacitError, match="minsup") as caught:
        frequent(Baskets.of([["a"]] * 3), minsup=minsup)
    assert caught.value.fix


def test_too_many_sets_or_rules_stop_with_an_error():
    held = Baskets.of([list("abcdefghij")] * 3)
    with pytest.raises(TacitError, match="more than 100 sets"):
        frequent(held, minsup=2, most=100)
    with pytest.raises(TacitError, match="more than 100 sets"):
        mine_independently(held, minsup=2, most=100)
    with pytest.raises(TacitError, match="more than 2,000 rules"):
        rules(held, minsup=2, minconf=0.5, most=2000)
    assert len(frequent(held, minsup=2, most=1023)) == 1023


def test_patterns_are_read_as_people_write_them():
    assert parse_patterns("b ,a") == (("a", "b"),) == parse_patterns([["b", "a", "a"]])
    assert parse_patterns(["age=[30, 40), sex=F -> ill=flu"]) == (Rule(("age=[30, 40)", "sex=F"), ("ill=flu",)),)
    assert str(Rule.read("b,a->c")) == "a, b -> c"
    for wrong in ([], [""], "-> a", "a ->", "a -> a", 3, [3], [[]], [[1]]):
        with pytest.raises(TacitError):
            parse_patterns(wrong)


def test_an_unknown_item_is_answered_with_the_nearest():
    with pytest.raises(TacitError, match="'brad' is in no transaction.*\n.*'bread'"):
        Baskets.of([["bread"]]).support(["brad"])
    with pytest.raises(TacitError, match="transaction 2"):
        Baskets.of([["a"], "bc"])
    with pytest.raises(TacitError, match="transaction 1"):
        Baskets.of([["a", 3]])
