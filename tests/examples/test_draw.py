"""Categories are drawn with their shares, within each cell, and never with a share of zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.examples.draw import draw_categories, power_law_shares

SHARES = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [4.0, 0.0, 6.0]])


def counts(cell: int) -> np.ndarray:
    rng = np.random.default_rng(cell)
    return np.bincount(draw_categories(np.full(20_000, cell), shares=SHARES, rng=rng), minlength=3)


def p_value(found: np.ndarray, expected: np.ndarray) -> float:
    """Of the χ² test of three counts: with two degrees of freedom it is exp(−χ²/2)."""
    return float(np.exp(-((found - expected) ** 2 / expected).sum() / 2))


@pytest.mark.parametrize("cell", [0, 1])
def test_shares_come_back_and_wrong_ones_are_rejected(cell: int) -> None:
    right = SHARES[cell] * 20_000
    assert p_value(counts(cell), right) > 0.001  # a right drawer fails here for one seed in a thousand
    assert p_value(counts(cell), right + 1000 * np.array([1, 0, -1])) < 1e-6


def test_shares_need_not_add_up_to_one() -> None:
    found = counts(2)
    assert found[1] == 0
    assert found[0] / found.sum() == pytest.approx(0.4, abs=4 * np.sqrt(0.24 / 20_000))


class AtTheEdge:
    """A stand-in for a generator that gives the largest number below one, which no seed would ever show."""

    def random(self, count: int) -> np.ndarray:
        return np.full(count, np.nextafter(1.0, 0.0))


@settings(max_examples=60, deadline=None)
@given(cell=st.integers(0, 999), last=st.integers(0, 4))
def test_the_largest_draw_stays_in_its_cell_and_above_zero_shares(cell: int, last: int) -> None:
    shares = np.zeros((1000, 5))
    shares[:, : last + 1] = 0.1
    edge: Any = AtTheEdge()
    assert draw_categories(np.array([cell]), shares=shares, rng=edge)[0] == last


def test_falling_shares_fall_and_add_up_to_one() -> None:
    shares = power_law_shares(50)
    assert (np.diff(shares) < 0).all() and shares.sum() == pytest.approx(1)
