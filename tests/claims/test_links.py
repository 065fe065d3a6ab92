"""The judge on links: expected hits, ties, several rows of a person, sure links, the control. catalogue: C-03."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.claims import LinkClaims, Truth, judge


def rows(*candidates: list[int], size: int, sure: list[bool] | None = None) -> LinkClaims:
    start = np.cumsum([0, *map(len, candidates)])
    flat = np.array([one for named in candidates for one in named], dtype=int)
    return LinkClaims.of_rows(start, flat, release_size=size, sure=None if sure is None else np.array(sure))


def test_a_set_of_m_counts_one_mth():
    """Four people: alone and right; right among two; alone and wrong; nobody named. Reid = (1 + 1/2) / 4."""
    claims = rows([0], [1, 2], [0], [], size=5)
    result = judge(claims, Truth(released=np.array([0, 1, 7, 8, 2]), intruder=np.arange(4)))
    assert result.value == 0.375
    assert result.per_record.rows_of == "intruder"
    assert result.per_record.values().tolist() == [1, 0.5, 0, 0]
    facts = result.facts
    assert facts["baseline"] == pytest.approx(3 / 4 / 5)  # three of four are there, each found with chance 1/5
    assert (facts["in the release"], facts["without candidate"]) == (0.75, 0.25)
    assert (facts["single links"], facts["right single links"]) == (0.5, 0.25)
    assert facts["mean candidates"] == pytest.approx(4 / 3)
    assert (result.name, result.worse, result.about) == ("re-identification", "high", "identity")


def test_the_rows_of_a_person_count_together():
    """Person 0 stands in three released rows, of which two are among the four candidates."""
    result = judge(rows([0, 1, 2, 3], size=5), Truth(released=np.array([0, 5, 0, 6, 0]), intruder=np.array([0])))
    assert result.value == 0.5
    assert result.facts["baseline"] == pytest.approx(3 / 5)


def test_nobody_is_nobody():
    """−1 on both sides is not a person: an invented record is never the right one."""
    assert judge(rows([0], size=1), Truth(released=np.array([-1]), intruder=np.array([-1]))).value == 0


def test_sure_links_are_counted_and_checked():
    claims = rows([0], [1], [2], [3], size=4, sure=[True, True, False, False])
    result = judge(claims, Truth(released=np.array([0, 9, 2, 3]), intruder=np.arange(4)))
    assert result.facts["sure links"] == 0.5
    assert result.facts["sure links that are right"] == 0.5


def test_weights_are_chances():
    """One claim of two groups: the record of the first has chance 0.6, each of the two of the second 0.2."""
    claims = LinkClaims(
        claim_of=np.array([0, 0, 0]),
        start=np.array([0, 2]),
        candidates=np.array([1, 0]),
        group_of=np.array([1, 0, 0]),
        weights=np.array([0.6, 0.2]),
    )
    result = judge(claims, Truth(released=np.arange(3), intruder=np.arange(3)))
    assert result.per_record.values() == pytest.approx([0.6, 0.2, 0.2])
    with pytest.raises(AssertionError, match="exceed one"):
        LinkClaims(
            claim_of=np.zeros(1, dtype=int),
            start=np.array([0, 1]),
            candidates=np.array([0]),
            group_of=np.array([0, 0]),
            weights=np.array([0.6]),
        )


def test_the_control_says_what_the_attack_believes_of_outsiders():
    truth = Truth(released=np.arange(4), intruder=np.arange(4))
    claims = rows([0], [1], [2], [3], size=4)
    assert judge(claims, truth, rows([0], [1, 2], [], size=4)).facts["control"] == pytest.approx(1.5 / 3)
    assert "control" not in judge(claims, truth).facts


@st.composite
def grouped(draw):
    released, known, groups, claims = (draw(st.integers(1, 8)) for _ in range(4))
    one_of = lambda below, size: np.array(draw(st.lists(st.integers(0, below - 1), min_size=size, max_size=size)))  # noqa: E731
    named = [draw(st.sets(st.integers(0, groups - 1))) for _ in range(claims)]
    made = LinkClaims(
        claim_of=one_of(claims, known),
        start=np.cumsum([0, *map(len, named)]),
        candidates=np.array([group for one in named for group in one], dtype=int),
        group_of=one_of(groups, released),
    )
    return made, Truth(released=one_of(6, released) - 1, intruder=one_of(6, known) - 1)


@given(grouped())
def test_shared_claims_over_groups_are_judged_like_plain_lists(case):
    claims, truth = case
    chances = []
    for record, claim in enumerate(claims.claim_of):
        named = claims.candidates[claims.start[claim] : claims.start[claim + 1]]
        candidates = [row for row, group in enumerate(claims.group_of) if group in named]
        right = [row for row in candidates if truth.released[row] == truth.intruder[record] >= 0]
        chances.append(len(right) / len(candidates) if candidates else 0.0)
    result = judge(claims, truth)
    assert result.per_record.values() == pytest.approx(chances)
    assert result.value == pytest.approx(np.mean(chances))
    low, high = result.interval
    assert low <= result.value + 1e-12
    assert result.value <= high + 1e-12


def test_a_truth_of_other_files_is_refused():
    with pytest.raises(TacitError, match="3 rows of the release"):
        judge(rows([0], size=3), Truth(released=np.arange(2), intruder=np.arange(1)))
    with pytest.raises(TacitError, match="the intruder's file"):
        judge(rows([0], size=1), Truth(released=np.arange(1), intruder=np.arange(2)))
    with pytest.raises(TacitError, match="whole number"):
        Truth(released=np.array([0.5]), intruder=np.arange(1))
    with pytest.raises(TacitError, match="does not lead from 1 masked records to 3"):
        Truth.by_lineage(np.array([3]), 3)


def test_lineage_none_means_that_all_stand_as_they_stood():
    assert Truth.by_lineage(None, 3).released.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "wrong",
    [
        {"claim_of": np.array([1])},
        {"start": np.array([0, 2])},
        {"candidates": np.array([-1])},
        {"sure": np.array([True, False])},
        {"weights": np.array([0.5, 0.5])},
    ],
)
def test_malformed_claims_are_refused(wrong):
    right = {
        "claim_of": np.array([0]),
        "start": np.array([0, 1]),
        "candidates": np.array([0]),
        "group_of": np.arange(2),
    }
    LinkClaims(**right)
    with pytest.raises(AssertionError):
        LinkClaims(**{**right, **wrong})
