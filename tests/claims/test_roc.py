"""Scores about membership against their known ROC curve. catalogue: B-06."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from tacit import TacitError
from tacit.claims import MemberClaims
from tacit.claims.judge import right_members
from tacit.claims.roc import roc
from tacit.interval import wilson


def two_normals(apart: float, n: int, seed: int = 3):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=2 * n)
    inside = np.arange(2 * n) < n
    return MemberClaims(scores=scores + apart * inside, threshold=apart / 2), inside


@pytest.mark.parametrize("apart", [0.0, 0.5, 1.5, 3.0])
def test_two_normals_have_the_area_and_the_rates_of_the_formula(apart):
    claims, inside = two_normals(apart, 20_000)
    result = right_members(claims, inside)
    area = norm.cdf(apart / np.sqrt(2))
    assert result.value == pytest.approx(area, abs=4 * np.sqrt(area * (1 - area) / 20_000))
    assert result.interval[0] <= area <= result.interval[1]
    for rate, name in ((0.01, "1 %"), (0.001, "0.1 %")):
        true = norm.sf(norm.isf(rate) - apart)
        # the threshold is estimated too: a relative error of sqrt(1 / (n rate)) in the rate moves along the curve
        slope = norm.pdf(norm.isf(rate) - apart) / norm.pdf(norm.isf(rate))
        error = np.sqrt(true * (1 - true) / 20_000 + slope**2 * rate / 20_000)
        found = result.facts[f"found at {name} false alarms"]
        assert found == pytest.approx(true, abs=4 * error)
        low, high = result.facts[f"found at {name} false alarms, interval"]
        assert low <= found <= high
        assert roc(claims, inside).found_at(rate) == found
    assert result.facts["balanced accuracy"] == pytest.approx(norm.cdf(apart / 2), abs=0.012)
    assert result.facts["best balanced accuracy"] >= result.facts["balanced accuracy"]


def test_the_curve_is_small_and_lies_on_the_true_one():
    claims, inside = two_normals(1.0, 20_000)
    curve = roc(claims, inside)
    assert len(curve.false) <= 200
    assert (curve.false[0], curve.found[0], curve.false[-1], curve.found[-1]) == (0, 0, 1, 1)
    assert sum(rate <= 0.01 for rate in curve.false) > 30  # a plot in log scale has points there
    false, found = np.array(curve.false)[1:-1], np.array(curve.found)[1:-1]
    assert np.abs(found - norm.sf(norm.isf(false) - 1.0))[false > 0.002].max() < 0.05
    assert curve.area == right_members(claims, inside).value
    assert "found at 0.1 % false alarms" in dict(curve.rows())
    assert set(curve.as_json()) == {"false", "found", "members", "others", "area"}


@given(st.lists(st.tuples(st.sampled_from([-np.inf, -1.0, 0.0, 2.0, np.inf]), st.booleans()), min_size=2, max_size=40))
def test_each_member_counts_the_others_whom_it_outscores(people):
    scores, inside = np.array([one for one, _ in people]), np.array([one for _, one in people])
    if inside.all() or not inside.any():
        with pytest.raises(TacitError, match="one sort only"):
            roc(MemberClaims(scores=scores), inside)
        return
    result = right_members(MemberClaims(scores=scores), inside)
    each = result.per_record.values()
    slow = [np.mean((score > scores[~inside]) + 0.5 * (score == scores[~inside])) for score in scores[inside]]
    assert each[inside] == pytest.approx(slow)
    assert (each[~inside] == 0).all() and each[inside].mean() == pytest.approx(result.value)
    curve = roc(MemberClaims(scores=scores), inside)
    cuts = {(np.mean(scores[~inside] >= cut), np.mean(scores[inside] >= cut)) for cut in scores} | {(0.0, 0.0)}
    assert set(zip(curve.false, curve.found, strict=True)) <= cuts


def test_rates_that_cannot_be_seen_are_not_told():
    claims, inside = two_normals(1.0, 500)
    result = right_members(claims, inside)
    assert "found at 1 % false alarms" in result.facts and "found at 0.1 % false alarms" not in result.facts
    assert any("0.1 %" in note and "1,000 are needed" in note for note in result.facts["notes"])
    small = right_members(*two_normals(1.0, 50))
    assert not any(fact.startswith("found") for fact in small.facts) and len(small.facts["notes"]) == 2


def test_what_the_attack_says_beside_stands_in_the_result():
    inside = np.array([True, False, True, False])
    claims = MemberClaims(scores=np.array([3.0, 2.0, 1.0, 0.0]), threshold=2.5, notes=("weak",), facts={"shadows": 16})
    result = right_members(claims, inside)
    assert result.facts["balanced accuracy"] == 0.75 and result.facts["shadows"] == 16
    assert result.facts["notes"][0] == "weak"


def test_intervals_are_of_those_who_were_counted():
    """The area is as sure as the smaller group lets it be, the share found as the members do."""
    scores, inside = np.array([3.0] * 2 + [1.0] * 2 + [2.0] * 100), np.arange(104) < 4
    found = right_members(MemberClaims(scores=scores), inside)
    assert found.value == 0.5 and found.interval == wilson(2.0, 4)
    assert found.facts["found at 1 % false alarms, interval"] == wilson(2.0, 4)


def test_who_reaches_the_threshold_is_taken_for_a_member():
    claims = MemberClaims(scores=np.array([1.0, 1.0, 0.0]), threshold=1.0)
    assert right_members(claims, np.array([True, True, False])).facts["balanced accuracy"] == 1.0
