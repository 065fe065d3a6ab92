"""Rules hidden in records: counted row by row afterwards. catalogue: D-08"""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import HideRules
from tacit.protect.hide_rules import WAYS
from tacit.release import Finding

RULES = [
    {"given": {"sex": "F"}, "then": {"ill": "flu"}},
    {"given": {"age": {"from": 30, "below": 50}, "sex": "F"}, "then": {"ill": ["flu", "cold"]}},
    {"given": {"ill": "flu"}, "then": {"sex": "F"}},
    {"given": {"age": {"below": 40}, "ill": "flu"}},
]


def release(rows) -> Release:
    return Release(pl.DataFrame(rows, schema={"age": pl.Int64, "sex": pl.String, "ill": pl.String}, orient="row"))


def meets(row, conditions) -> bool:
    def one(value, condition):
        if value is None:
            return False
        if isinstance(condition, dict):
            return condition.get("from", -1) <= value < condition.get("below", 999)
        return value in (condition if isinstance(condition, list) else [condition])

    return all(one(row[column], condition) for column, condition in conditions.items())


def mined(rows, rule, least: int, minconf: Fraction, *, ignored: bool) -> bool:
    if ignored:
        rows = [row for row in rows if all(row[column] is not None for column in rule.get("then", {}))]
    body = sum(meets(row, rule["given"]) for row in rows)
    both = sum(meets(row, rule["given"]) and meets(row, rule.get("then", {})) for row in rows)
    return both >= least and (not rule.get("then") or both >= minconf * body)


record = st.tuples(
    st.sampled_from([25, 35, 45, None]), st.sampled_from(["F", "M"]), st.sampled_from(["flu", "cold", None])
)
ALL_THERE = [(25, "F", "flu"), (35, "F", "cold")]


@given(
    st.lists(record, min_size=3, max_size=25),
    st.integers(1, 3),
    st.sampled_from([0.5, 0.8]),
    st.sampled_from(sorted(WAYS)),
    st.sampled_from([0, 1]),
    st.booleans(),
)
def test_no_rule_is_mined_afterwards_and_nothing_else_changes(rows, least, minconf, by, decoys, ignored):
    rows = [*rows, *ALL_THERE]
    method = HideRules(
        rules=RULES, minsup=least, minconf=minconf, by=by, decoys=decoys, blanks="ignored" if ignored else "absent"
    )
    masked = release(rows).protect(method, seed=7)
    after, before = masked.to_native().to_dicts(), release(rows).to_native().to_dicts()
    exact = Fraction(minconf).limit_denominator(10)
    assert not any(mined(after, rule, least, exact, ignored=ignored) for rule in RULES)
    assert not any(mined(after, rule, least, exact, ignored=False) for rule in RULES)
    for now, then in zip(after, before, strict=True):
        assert all(now[column] in (None, then[column]) for column in then)
    absent = [mined(before, rule, least, exact, ignored=ignored) for rule in RULES].count(False)
    assert len(masked.evidence["absent"]) == absent
    said = masked.trace[0].outcome.get("nothing_to_hide", Finding([], publishable=False))
    assert said == Finding(masked.evidence["absent"], publishable=False)


def test_the_fewest_cells_are_blanked():
    """Seven of ten women have flu. Below 60 % of ten are five: two cells. Of those known, 4 of 7 are below: three."""
    rows = [(25, "F", "flu")] * 7 + [(25, "F", "cold")] * 3 + [(25, "M", "cold")] * 5
    known = release(rows).protect(HideRules(rules=RULES[:1], minsup=2, minconf=0.6))
    assert sum(known.release.suppressed.values()) == 3 and known.evidence["proven"] and known.evidence["bound"] == 3
    assert known.evidence["rules"][0] == {"rule": "sex=F -> ill=flu", "body": 7, "support": 4, "most": 7}
    masked = release(rows).protect(HideRules(rules=RULES[:1], minsup=2, minconf=0.6, blanks="absent"))
    assert masked.release.suppressed == {"ill": 2}
    assert masked.evidence["rules"][0] == {"rule": "sex=F -> ill=flu", "body": 10, "support": 5, "most": 7}
    assert masked.evidence["proven"] and masked.evidence["bound"] == 2
    for by in WAYS:
        way = HideRules(rules=RULES[:1], minsup=2, minconf=0.6, by=by)
        cells = sum(release(rows).protect(way).release.suppressed.values())
        assert cells >= 3


def test_decoys_look_like_the_cells_that_were_hidden():
    rows = [(25, "F", "flu")] * 7 + [(25, "F", "cold")] * 3 + [(25, "M", "cold")] * 5
    masked = release(rows).protect(HideRules(rules=RULES[:1], minsup=2, minconf=0.6, blanks="absent", decoys=1), seed=3)
    blank = masked.to_native()["ill"].is_null().to_numpy()
    assert blank[:7].sum() == blank[7:10].sum() == 2 and not blank[10:].any()
    with pytest.raises(TacitError, match="seed"):
        release(rows).protect(HideRules(rules=RULES[:1], minsup=2, minconf=0.6, decoys=1))
    veiled = release(rows).protect(HideRules(rules=RULES[:1], minsup=2, minconf=0.6, decoys=0.5), seed=3)
    assert veiled.evidence["rules"][0]["support"] < 0.6 * veiled.evidence["rules"][0]["body"]


def test_a_spread_draws_how_far_below():
    rows = [(25, "F", "flu")] * 90 + [(25, "F", "cold")] * 10
    found = {
        release(rows)
        .protect(HideRules(rules=RULES[:1], minsup=2, minconf=0.8, spread=0.5, blanks="absent"), seed=seed)
        .release.suppressed["ill"]
        for seed in range(6)
    }
    assert len(found) > 2 and min(found) >= 11 and max(found) <= 11 + 40


def test_members_of_a_household_lose_a_shared_cell_together():
    frame = pl.DataFrame({"hh": [1, 1, 2, 2, 3, 3], "town": ["a", "a", "a", "a", "b", "b"]})
    held = Release(frame, household="hh")
    masked = held.protect(HideRules(rules=[{"given": {"town": "a"}}], minsup=4))
    assert masked.to_native()["town"].is_null().to_list() in (
        [True, True, *[False] * 4],
        [False, False, True, True, False, False],
    )
    assert not masked.evidence["proven"]


def test_the_trace_does_not_name_what_is_hidden():
    rows = [(25, "F", "flu")] * 30 + [(25, "M", "cold")] * 5
    step = release(rows).protect(HideRules(rules=RULES[:1], minsup=2, minconf=0.6, blanks="absent"), seed=1).trace[0]
    told = step.as_json(public=True)
    assert "flu" not in str(told) and "minsup" not in str(told) and told["outcome"]["suppressed"] == {"ill": 13}
    assert "flu" in str(step.as_json(public=False))


def test_conditions_of_every_type():
    day = dt.date(2000, 1, 1)
    frame = pl.DataFrame({"born": [day, dt.date(1980, 5, 5), None], "ok": [True, False, True], "x": [0.5, 1.5, 2.5]})
    for asked, left in (
        ({"born": "2000-01-01"}, 1),
        ({"born": {"below": "2000-01-01"}}, 1),
        ({"ok": True}, 2),
        ({"x": {"from": 1.5}}, 2),
        ({"x": [0.5, 2.5]}, 2),
    ):
        method = HideRules(rules=[{"given": asked}], minsup=1)
        assert sum(Release(frame).protect(method).release.suppressed.values()) == left


@pytest.mark.parametrize(
    "change",
    [
        {"rules": []},
        {"rules": "sex=F"},
        {"rules": [{"then": {"ill": "flu"}}]},
        {"rules": [{"given": {}}]},
        {"rules": [{"given": {"sex": "F"}, "then": {"sex": "F"}}]},
        {"rules": [{"given": {"age": {"from": 3, "below": 3}}}]},
        {"rules": [{"given": {"age": {"over": 3}}}]},
        {"rules": [{"given": {"age": []}}]},
        {"rules": [{"given": {"age": None}}]},
        {"minsup": 0},
        {"minsup": 1.5},
        {"minconf": None},
        {"minconf": 2},
        {"by": "fast"},
        {"blanks": "seen"},
        {"spread": -1},
        {"decoys": -1},
        {"rules": [{"given": {"agee": 3}}]},
        {"rules": [{"given": {"sex": 3}}]},
        {"rules": [{"given": {"age": "old"}}]},
        {"rules": [{"given": {"sex": {"from": "A"}}}]},
        {"rules": [{"given": {"sex": "X"}}]},
        {"minsup": 1000},
    ],
)
def test_bad_rules_are_answered(change):
    with pytest.raises(TacitError) as caught:
        options = {"rules": RULES[:1], "minsup": 2, "minconf": 0.5, **change}
        release([(25, "F", "flu"), (30, "M", "cold")]).protect(HideRules(**options), seed=1)
    assert caught.value.fix and "cold" not in str(caught.value)


def test_other_engines_give_the_same(tmp_path):
    rows = [(25, "F", "flu")] * 7 + [(25, "F", "cold")] * 3
    release(rows).to_native().write_csv(tmp_path / "a.csv")
    import tacit

    method = HideRules(rules=RULES[:1], minsup=2, minconf=0.6)
    lazy = tacit.read(tmp_path / "a.csv", engine="duckdb").protect(method, seed=2)
    assert lazy.release.series("ill").to_list() == release(rows).protect(method, seed=2).release.series("ill").to_list()
    assert np.array_equal(lazy.rows(), np.arange(10))
