"""Numbers in words: an upper bound is never told too small."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.report.words import count_phrase, format_percent, join_words, summarise_value


@given(st.floats(min_value=1e-9, max_value=1.0))
def test_an_upper_bound_is_never_rounded_down(share: float) -> None:
    told = float(format_percent(share, up=True).removesuffix(" %").replace(",", "")) / 100
    assert told >= share * (1 - 1e-9)
    assert told <= share * 1.11 + 1e-12


@given(st.floats(min_value=1e-9, max_value=1.0))
def test_a_share_is_told_to_two_digits(share: float) -> None:
    told = float(format_percent(share).removesuffix(" %").replace(",", "")) / 100
    assert told == pytest.approx(share, rel=0.051)


@pytest.mark.parametrize(("share", "said"), [(0.05, "5 %"), (0.0501, "5.1 %"), (0.999, "100 %"), (0.1, "10 %")])
def test_shares_near_a_requirement_read_as_they_are(share: float, said: str) -> None:
    assert format_percent(share, up=True) == said


def test_a_list_reads_as_a_sentence_would() -> None:
    assert join_words([]) == ""
    assert join_words(["zip"]) == "zip"
    assert join_words(["zip", "sex"]) == "zip and sex"
    assert count_phrase("fewer than 10", "record") == "fewer than 10 records"


def test_a_record_length_finding_is_cut() -> None:
    assert len(summarise_value(list(range(100_000)))) < 100
