"""Hiding in transactions: every method hides, at no less than the proven least. catalogue: D-08"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import TacitError
from tacit.protect.rules import (
    Baskets,
    Block,
    Border,
    Exact,
    MaxFia,
    MinFia,
    Rule,
    SlidingWindow,
    audit,
    frequent,
    hide,
    pile_up,
)

from .rules_oracle import fewest, fewest_lost, files, frequent_sets, is_mined, jobs, support

HEURISTICS = (SlidingWindow(), SlidingWindow(window=3), MinFia(), MaxFia(), Border())
REMOVING = (*HEURISTICS, Exact(), Exact(keep="none"), Exact(keep="none", least="transactions"))


@given(jobs(), st.sampled_from(REMOVING))
def test_every_method_hides_and_makes_no_new_set(job, method):
    rows, least, sensitive = job
    found = hide(Baskets.of(rows), sensitive, minsup=least, method=method)
    after = list(found.baskets.item_lists())
    assert not any(support(after, one) >= least for one in sensitive)
    assert all(set(now) <= set(then) for now, then in zip(after, rows, strict=True))
    assert set(frequent_sets(after, least)) <= set(frequent_sets(rows, least))
    assert sum(map(len, rows)) - sum(map(len, after)) == len(found.changed)
    assert found.evidence["rounds"] <= 1
    assert set(found.absent) == {one for one in sensitive if support(rows, one) < least}


@given(jobs())
def test_the_program_needs_no_more_than_any_heuristic_and_than_trying_everything(job):
    rows, least, sensitive = job
    held, best = Baskets.of(rows), fewest(rows, sensitive, least)
    for unit in ("items", "transactions"):
        found = hide(held, sensitive, minsup=least, method=Exact(keep="none", least=unit))
        changed = len(found.changed) if unit == "items" else len(set(found.changed.rows.tolist()))
        assert changed == best[unit] == found.evidence.get("changes", 0) == found.evidence.get("bound", 0)
        assert found.evidence.get("proven", True)
    for method in HEURISTICS:
        assert len(hide(held, sensitive, minsup=least, method=method).changed) >= best["items"]


@settings(max_examples=25)
@given(jobs(items=5, rows=7))
def test_the_program_loses_as_few_sets_as_any_removal(job):
    rows, least, sensitive = job
    lost, items = fewest_lost(rows, sensitive, least)
    found = hide(Baskets.of(rows), sensitive, minsup=least, method=Exact())
    gone = set(frequent_sets(rows, least)) - set(frequent_sets(list(found.baskets.item_lists()), least))
    gone -= {one for one in gone if any(set(inner) <= set(one) for inner in sensitive)}
    assert (len(gone), len(found.changed)) == (lost, items)
    assert found.evidence.get("lost", 0) == lost
    if not lost:
        strict = hide(Baskets.of(rows), sensitive, minsup=least, method=Exact(keep="all"))
        assert len(strict.changed) == items
    else:
        with pytest.raises(TacitError, match="keep='most'"):
            hide(Baskets.of(rows), sensitive, minsup=least, method=Exact(keep="all"))


@st.composite
def rule_jobs(draw):
    rows, least, sets = draw(jobs(items=5, rows=9))
    known = sorted({item for row in rows for item in row})
    if len(known) < 2:
        rows, known = [*rows, ["a", "b"]], sorted({*known, "a", "b"})
    pair = st.lists(st.sampled_from(known), min_size=2, max_size=3, unique=True)
    made = draw(st.lists(pair.map(lambda one: Rule(one[:-1], one[-1:])), min_size=1, max_size=2, unique=True))
    return rows, least, [*made, *sets[:1]]


@given(rule_jobs(), st.sampled_from([Fraction(1, 2), Fraction(2, 3), Fraction(9, 10)]), st.sampled_from(REMOVING))
def test_rules_are_hidden_by_support_or_confidence(job, minconf, method):
    rows, least, sensitive = job
    found = hide(Baskets.of(rows), sensitive, minsup=least, minconf=float(minconf), method=method)
    after = list(found.baskets.item_lists())
    assert not any(is_mined(after, one, least, minconf) for one in sensitive)
    assert set(found.absent) == {one for one in sensitive if not is_mined(rows, one, least, minconf)}


@given(rule_jobs(), st.sampled_from([Fraction(1, 2), Fraction(2, 3), Fraction(9, 10)]))
def test_the_program_hides_rules_with_the_fewest_removals(job, minconf):
    rows, least, sensitive = job
    found = hide(Baskets.of(rows), sensitive, minsup=least, minconf=float(minconf), method=Exact(keep="none"))
    assert len(found.changed) == fewest(rows, sensitive, least, minconf)["items"]
    assert found.evidence["rounds"] <= 1


@given(jobs(), st.sampled_from(REMOVING), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_psi_leaves_its_share_of_the_support_whatever_the_threshold(job, method, psi):
    rows, least, sensitive = job
    after = list(hide(Baskets.of(rows), sensitive, minsup=least, method=method, psi=psi).baskets.item_lists())
    for one in sensitive:
        assert support(after, one) <= Fraction(psi).limit_denominator(10) * support(rows, one)
    if psi == 1.0:
        assert after == [sorted(row) for row in rows]


def test_nothing_is_left_at_psi_0_and_failure_is_told_above():
    held = Baskets.of([["a", "b"]] * 8 + [["a"], ["b"]])
    for method in REMOVING:
        none, half = (hide(held, "a, b", minsup=3, method=method, psi=psi).baskets for psi in (0, 0.5))
        assert none.support("ab") == 0 and half.support("ab") == 4
        assert audit(none, held, "a, b", minsup=3).holds
        failed = audit(half, held, "a, b", minsup=3)
        assert not failed.holds and failed.results[0].value == 1.0 and failed.failing == ("hiding_failure",)
        assert audit(half, held, "a, b", minsup=3, require={"hiding_failure": 1.0}).holds


@given(jobs(), st.sampled_from([SlidingWindow(), MinFia(), Exact(keep="none")]), st.integers(0, 9))
def test_blocking_tells_nothing_false(job, by, seed):
    rows, least, sensitive = job
    found = hide(Baskets.of(rows), sensitive, minsup=least, method=Block(by=by), seed=seed)
    for one in [*sensitive, *frequent_sets(rows, 1)]:
        low, high = found.baskets.interval(one)
        assert low <= support(rows, one) <= high
    assert all(found.baskets.interval(one)[0] < least for one in sensitive)
    truth = [set(row) for row in rows]
    for told, true in zip(found.baskets.item_lists(), truth, strict=True):
        assert {item for item in told if not item.startswith("?")} <= true <= {item.lstrip("?") for item in told}


@given(rule_jobs(), st.sampled_from([Fraction(1, 2), Fraction(9, 10)]), st.sampled_from([MinFia(), Exact(keep="none")]))
def test_blocked_rules_are_hidden_from_readers_of_both_kinds(job, minconf, by):
    rows, least, sensitive = job
    found = hide(Baskets.of(rows), sensitive, minsup=least, minconf=float(minconf), method=Block(by=by), seed=1)
    for rule in sensitive:
        if isinstance(rule, Rule):
            marks = [{f"?{item}" for item in rule.head} for _ in rows]
            told = list(found.baskets.item_lists())
            known = [row for row, mark in zip(told, marks, strict=True) if mark.isdisjoint(row)]
            assert not is_mined(told, rule, least, minconf) and not is_mined(known, rule, least, minconf)


def test_decoys_stand_where_the_item_was_not():
    held = Baskets.of([["a", "b"]] * 6 + [["a"]] * 10 + [["b"]] * 10)
    bare, veiled = (hide(held, "a, b", minsup=4, method=Block(decoys=share), seed=3) for share in (0, 2.0))
    assert len(bare.changed) == 3 and len(veiled.changed) == 9 and veiled.evidence["decoys"] == 6
    there = veiled.changed.is_among(held.held, 2)
    assert int(there.sum()) == 3


def test_margins_leave_patterns_further_below():
    rng = np.random.default_rng(5)
    held = Baskets.of([[item for item in "abcdefgh" if rng.random() < 0.6] for _ in range(400)])
    pairs = [one for one in frequent(held, minsup=100) if len(one) == 2][:8]
    bare = hide(held, pairs, minsup=100, method=MinFia())
    assert {bare.baskets.support(one) for one in pairs} <= set(range(100))
    exact = hide(held, pairs, minsup=100, method=Exact(keep="none"))
    assert max(exact.baskets.support(one) for one in pairs) == 99
    below = hide(held, pairs, minsup=100, margin=0.1, method=Exact(keep="none"))
    assert max(below.baskets.support(one) for one in pairs) == 89
    spread = [hide(held, pairs, minsup=100, spread=0.3, method=MinFia(), seed=seed) for seed in (1, 1, 2)]
    supports = [[one.baskets.support(pair) for pair in pairs] for one in spread]
    assert supports[0] == supports[1] != supports[2]
    assert all(max(each) < 100 for each in supports)
    with pytest.raises(TacitError, match="seed"):
        hide(held, pairs, minsup=100, spread=0.3, method=MinFia())


def test_pile_up_sees_what_stops_at_the_threshold_and_not_what_lies_deeper():
    rng = np.random.default_rng(5)
    held = Baskets.of([[item for item in "abcdefgh" if rng.random() < 0.6] for _ in range(400)])
    apart = ["a, b", "c, d", "e, f"]
    flat = pile_up(hide(held, apart, minsup=100, method=MinFia()).baskets, apart, minsup=100)
    deep = pile_up(hide(held, apart, minsup=100, margin=0.2, method=MinFia()).baskets, apart, minsup=100)
    assert flat.value == 1.0 and deep.value == 0.0
    assert (
        flat.facts["of them sensitive"] == 3
        and flat.facts["chance that a guess holds"] > flat.facts["chance without the band"]
    )
    checked = audit(hide(held, apart, minsup=100, method=MinFia()).baskets, held, apart, minsup=100)
    assert checked.warning and "spread" in checked.warning


def test_victims_and_windows_are_those_of_the_papers():
    held = Baskets.of([["a", "b"]] * 8 + [["a"]] * 3)
    taken = {
        method: set(hide(held, "a, b", minsup=5, method=method).changed.codes.tolist())
        for method in (MinFia(), MaxFia())
    }
    assert taken == {MinFia(): {1}, MaxFia(): {0}}
    swept = hide(held, "a, b", minsup=5, method=SlidingWindow(window=3))
    assert swept.baskets.support("ab") == 4 and swept.evidence["rounds"] == 1


def test_a_border_set_weighs_more_with_every_loss():
    """acd and bcd are alike: to take a makes acd dearer, so b is next."""
    held = Baskets.of([list("abcd")] * 4 + [list("acd")] * 3 + [list("bcd")] * 3)
    found = hide(held, "a, b", minsup=2, method=Border())
    assert sorted(np.bincount(found.changed.codes, minlength=4).tolist()) == [0, 0, 1, 2]


def test_the_band_is_as_wide_as_asked():
    held = Baskets.of([["a", "b"]] * 96 + [["a"]] * 10)
    values = {width: pile_up(held, "a, b", minsup=100, width=width).value for width in (0.05, 0.04, 0.03, 0.001)}
    assert values == {0.05: 1.0, 0.04: 1.0, 0.03: 0.0, 0.001: 0.0}
    assert pile_up(held, "a, b", minsup=97, width=0.001).value == 1.0
    with pytest.raises(TacitError, match="below a support of 1"):
        pile_up(held, "a, b", minsup=1)


def test_the_four_measures_by_hand():
    """abc ×2, ab, c: at support 2 frequent are a b c ab ac bc abc. Without b in one abc: abc and bc are lost, ab stays."""
    before, after = (
        Baskets.of([list("abc"), list("abc"), list("ab"), ["c"]]),
        Baskets.of([list("ac"), list("abc"), list("ab"), ["c"]]),
    )
    found = audit(after, before, ["a, b, c"], minsup=2)
    values = {one.name: one.value for one in found.results}
    assert values["hiding failure"] == 0.0 and values["lost"] == pytest.approx(1 / 6) and values["ghost"] == 0.0
    assert values["dissimilarity"] == pytest.approx(1 / 9)
    worse = audit(before, before, ["a, b"], minsup=2)
    assert (
        worse.results[0].facts == {"sensitive patterns before": 2, "still found": 2} and worse.results[0].value == 1.0
    )
    invented = audit(before, after, ["a"], minsup=2)
    assert invented.results[2].value == pytest.approx(2 / 7) and invented.results[2].facts["ghosts"] == 2


def test_rules_can_appear_when_items_go():
    """a -> b at 2/3; without a in the transaction that lacks b it is at 1."""
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["c"]]
    held, after = Baskets.of(rows), Baskets.of([*rows[:2], ["c"], ["c"]])
    found = audit(after, held, ["a, c"], minsup=1, minconf=0.9)
    assert found.results[2].facts["ghosts"] == 1


def test_what_is_not_frequent_needs_no_hiding_and_that_is_said():
    held = Baskets.of([["a", "b"], ["a"], ["b"], ["c"]])
    found = hide(held, ["a, b", "a -> c"], minsup=2, minconf=0.5, method=Exact())
    assert found.absent == (("a", "b"), Rule(("a",), ("c",))) and not len(found.changed)
    assert "nothing to hide" in str(audit(held, held, ["a, b"], minsup=2).results[0])


def test_a_single_item_and_all_sets_can_be_sensitive():
    rows = [list("abc")] * 4 + [["a"]]
    for method in REMOVING:
        assert hide(Baskets.of(rows), ["a"], minsup=2, method=method).baskets.support("a") == 1
        every = hide(Baskets.of(rows), [*frequent(Baskets.of(rows), minsup=2)], minsup=2, method=method)
        assert not frequent(every.baskets, minsup=2)
        assert audit(every.baskets, Baskets.of(rows), [*"abc"], minsup=2).results[1].value == 0.0


def test_the_trace_tells_the_way_and_not_what_was_hidden():
    found = hide(Baskets.of([["bread", "milk"]] * 30), "bread, milk", minsup=7, method=SlidingWindow(window=9))
    told = found.trace[0].as_json(public=True)
    assert told["method"] == "sliding_window" and told["parameters"] == {"window": 9}
    assert set(told["outcome"]) == {"changed"} and "bread" not in str(told)
    assert found.trace[0].as_json(public=False)["outcome"]["sensitive"] == ["bread, milk"]


@given(files(), st.integers(0, 5))
def test_shuffled_transactions_are_the_same_ones(rows, seed):
    held = Baskets.of(rows)
    moved, order = held.shuffled(seed)
    assert list(moved.item_lists()) == [list(held.item_lists())[place] for place in order]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"psi": -0.1}, "psi"),
        ({"psi": 1.1}, "psi"),
        ({"psi": 0.5, "margin": 0.1}, "psi"),
        ({"margin": 2}, "margin"),
        ({"spread": "a"}, "spread"),
        ({"minsup": 0}, "minsup"),
        ({"sensitive": "a -> b"}, "confidence"),
        ({"sensitive": "a -> b", "minconf": 0}, "minconf"),
        ({"sensitive": "a, z"}, "'z' is in no transaction"),
        ({"sensitive": []}, "no sensitive pattern"),
        ({"method": MinFia}, "method"),
        ({"method": "exact"}, "method"),
    ],
)
def test_bad_parameters_are_answered(change, said):
    given = {"sensitive": "a, b", "minsup": 2, "method": MinFia(), **change}
    with pytest.raises(TacitError, match=said):
        hide(Baskets.of([["a", "b"]] * 3), given.pop("sensitive"), **given)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SlidingWindow(window=0),
        lambda: Exact(keep="some"),
        lambda: Exact(least="rows"),
        lambda: Exact(seconds=0),
        lambda: Block(by=Block()),
        lambda: Block(decoys=-1),
        lambda: audit(Baskets.of([["a"]]), Baskets.of([["a"]]), "a", minsup=1, require={"losst": 1}),
        lambda: audit(Baskets.of([["a"]]), Baskets.of([["a"]]), "a", minsup=1, require={"lost": 2}),
    ],
)
def test_bad_options_are_answered(make):
    with pytest.raises(TacitError) as caught:
        make()
    assert caught.value.fix


def test_sets_around_a_rule_that_stays_frequent_are_kept():
    """a -> b falls by its confidence alone; every b that could go is one that abc or abd cannot do without."""
    rows = [set(one) for one in ["abc"] * 3 + ["abd"] * 3 + ["bc", "bd", "a", "a"]]
    asked = {"minsup": 3, "minconf": 0.7}
    found = hide(Baskets.of(rows), "a -> b", method=Exact(), **asked)
    assert (found.evidence["lost"], len(found.changed)) == (1, 1)
    after = list(found.baskets.item_lists())
    assert support(after, "ab") == 5 and sorted(support(after, one) for one in ("abc", "abd")) == [2, 3]
    with pytest.raises(TacitError, match="keep='most'"):
        hide(Baskets.of(rows), "a -> b", method=Exact(keep="all"), **asked)
