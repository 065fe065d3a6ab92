"""Wilson's interval against published numbers and its defining equation. catalogue: C-03."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.claims import wilson


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    # Newcombe (1998), Two-sided confidence intervals for the single proportion, table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_the_published_ones(hits, trials, low, high):
    assert wilson(hits, trials) == pytest.approx((low, high), abs=5e-5)


def test_ten_of_a_hundred():
    assert wilson(10, 100) == pytest.approx((0.0552, 0.1744), abs=5e-5)


def test_no_hit_stays_below_a_twentieth_from_73_trials_on():
    assert wilson(0, 73)[1] <= 0.05 < wilson(0, 72)[1]


@given(st.integers(1, 10**7), st.floats(0, 1))
def test_the_ends_are_where_the_score_test_turns(trials, share):
    """(p − end)² = z² end (1 − end) / n at both ends, which lie around the share and within [0, 1]."""
    low, high = wilson(share * trials, trials)
    assert 0 <= low <= share * trials / trials + 1e-15
    assert share * trials / trials - 1e-15 <= high <= 1
    for end in (low, high):
        assert (share - end) ** 2 == pytest.approx(1.959963984540054**2 * end * (1 - end) / trials, rel=1e-6, abs=1e-12)


def test_nothing_tried_nothing_known():
    assert wilson(0, 0) == (0.0, 1.0)


def test_hits_that_come_in_pairs_are_counted_as_half_as_many_trials():
    """Pairs of people who are found or missed together: the upper end of 97.5 % covers so often with ``together=2`` alone."""
    rng = np.random.default_rng(4)
    for pairs, chance in ((20, 0.3), (100, 0.1)):
        hits = 2 * rng.binomial(pairs, chance, 4000)
        covered = {m: np.mean([wilson(int(one), 2 * pairs, together=m)[1] >= chance for one in hits]) for m in (1, 2)}
        assert covered[1] < 0.96
        assert covered[2] >= 0.97  # Wilson's own interval covers about, not at least, what it says
    assert wilson(6, 40, together=2) == pytest.approx(wilson(3, 20))
