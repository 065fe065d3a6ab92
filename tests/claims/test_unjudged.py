"""Nobody knows who is who: what the intruder believes, and that it is said. catalogue: C-03."""

from __future__ import annotations

import numpy as np
import pytest

from tacit import TacitError
from tacit.claims import LinkClaims, MemberClaims, summarise_unjudged


def test_beliefs_are_named_beliefs():
    """Three people: one candidate, four, none. The intruder expects (1 + 1/4 + 0) / 3."""
    claims = LinkClaims.of_rows(
        np.array([0, 1, 5, 5]), np.array([0, 0, 1, 2, 3]), release_size=4, sure=np.array([True, False, False])
    )
    result = summarise_unjudged(claims)
    assert result.name == "believed links"
    assert result.value == pytest.approx(1.25 / 3)
    assert result.interval is None
    assert result.per_record.values().tolist() == [1, 4, 0]
    facts = result.facts
    assert "nobody" in facts["judged by"]
    assert facts["single links"] == facts["sure links"] == facts["without candidate"] == pytest.approx(1 / 3)
    assert facts["mean candidates"] == 2.5
    assert "baseline" not in facts
    assert summarise_unjudged(claims, claims).facts["control"] == pytest.approx(1.25 / 3)


def test_the_likeliest_candidate_counts():
    claims = LinkClaims(
        claim_of=np.array([0, 0]),
        start=np.array([0, 2]),
        candidates=np.array([1, 0]),
        group_of=np.array([1, 0, 0]),
        weights=np.array([0.6, 0.2]),
    )
    assert summarise_unjudged(claims).value == pytest.approx(0.6)


def test_other_claims_say_nothing():
    with pytest.raises(TacitError, match="MemberClaims say nothing without the truth"):
        summarise_unjudged(MemberClaims(scores=np.zeros(2)))
    with pytest.raises(TacitError, match="no rows"):
        summarise_unjudged(LinkClaims.of_rows(np.array([0]), np.zeros(0, dtype=int), release_size=1))
