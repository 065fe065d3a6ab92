"""Precision and recall at thresholds, against slow loops. catalogue: C-03."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.claims import LinkClaims, Truth, judge, precision_curve, wilson


@st.composite
def scored(draw):
    released, known, claims = (draw(st.integers(1, 8)) for _ in range(3))
    one_of = lambda below, size: np.array(draw(st.lists(st.integers(0, below - 1), min_size=size, max_size=size)))  # noqa: E731
    named = [draw(st.sets(st.integers(0, released - 1))) for _ in range(claims)]
    made = LinkClaims(
        claim_of=one_of(claims, known),
        start=np.cumsum([0, *map(len, named)]),
        candidates=np.array([row for one in named for row in one], dtype=int),
        group_of=np.arange(released),
        scores=one_of(3, claims).astype(float) if draw(st.booleans()) else None,
    )
    return made, Truth(released=one_of(6, released) - 1, intruder=one_of(6, known) - 1)


def slow(claims, truth):
    """For each record with a candidate its score and the chance that its link is right."""
    links = []
    for record, claim in enumerate(claims.claim_of):
        named = claims.candidates[claims.start[claim] : claims.start[claim + 1]]
        if len(named):
            right = sum(truth.released[row] == truth.intruder[record] >= 0 for row in named) / len(named)
            links.append((1 / len(named) if claims.scores is None else claims.scores[claim], right))
    return links


@given(scored())
def test_the_curve_is_that_of_slow_loops(case):
    claims, truth = case
    links, curve = slow(claims, truth), precision_curve(claims, truth)
    people = sum(person >= 0 and person in truth.released for person in truth.intruder)
    assert curve.thresholds.tolist() == sorted({score for score, _ in links}, reverse=True)
    for place, threshold in enumerate(curve.thresholds):
        above = [right for score, right in links if score >= threshold]
        assert curve.links[place] == len(above)
        assert curve.precision[place] == pytest.approx(np.mean(above))
        assert curve.recall[place] == pytest.approx(sum(above) / people if people else 0)
        assert tuple(curve.intervals()[place]) == pytest.approx(wilson(sum(above), len(above)))
    result = judge(claims, truth)
    if links:
        assert curve.hits[-1] == pytest.approx(result.value * len(claims.claim_of))
    good = [0.0, *(curve.hits[place] for place in range(len(curve.hits)) if curve.precision[place] >= 0.95 - 1e-12)]
    assert curve.found_at(0.95) == pytest.approx(max(good) / len(claims.claim_of))
    assert ("surest tenth right" in result.facts) == bool(links)


@given(scored(), st.floats(0.01, 1))
def test_the_surest_links_are_an_average_over_the_orders_of_equal_scores(case, share):
    claims, truth = case
    links = slow(claims, truth)
    hits, taken = precision_curve(claims, truth).most_believed(share)
    assert taken == int(np.ceil(share * len(links) - 1e-9))
    expected, rest = 0.0, taken
    for score in sorted({score for score, _ in links}, reverse=True):
        equal = [right for one, right in links if one == score]
        expected += min(rest, len(equal)) * np.mean(equal)  # any of the equal ones, each with the same chance
        rest -= min(rest, len(equal))
    assert hits == pytest.approx(expected)


def test_scores_tell_right_links_from_wrong_ones():
    """A hundred single links; the twenty believed most are right, the others wrong."""
    right = np.arange(100) < 20
    released = np.where(right, np.arange(100), 500)
    claims = LinkClaims(
        claim_of=np.arange(100),
        start=np.arange(101),
        candidates=np.arange(100),
        group_of=np.arange(100),
        scores=np.where(right, 3.0, -1.0),
    )
    facts = judge(claims, Truth(released=released, intruder=np.arange(100))).facts
    assert facts["surest tenth right"] == 1
    assert facts["surest tenth right, interval"] == wilson(10, 10)
    assert facts["found at 95 % precision"] == 0.2


def test_notes_are_facts_when_there_are_any():
    parts = {
        "claim_of": np.array([0]),
        "start": np.array([0, 1]),
        "candidates": np.array([0]),
        "group_of": np.arange(2),
    }
    truth = Truth(released=np.arange(2), intruder=np.arange(1))
    assert "notes" not in judge(LinkClaims(**parts), truth).facts
    result = judge(LinkClaims(**parts, notes=("the trace names an unknown method",)), truth)
    assert result.facts["notes"] == ["the trace names an unknown method"]
    assert "unknown method" in str(result)
    assert result.as_json()["facts"]["notes"] == ["the trace names an unknown method"]
