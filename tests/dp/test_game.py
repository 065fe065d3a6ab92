"""The game of differential privacy: published numbers, slow oracles and the game itself."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.chances import likely

from tacit.dp.game import format_probability, game, least_error, rough_guide
from tacit.dp.play import play
from tacit.errors import TacitError


@pytest.mark.parametrize(
    ("epsilon", "published"), [(0, ".5"), ("0.1", ".475"), (1, ".269"), (5, ".0067"), (10, ".000045")]
)
def test_the_least_error_is_that_of_the_lecture(epsilon, published):  # catalogue: H-05
    digits = len(published.rstrip("0")) - 1
    assert round(float(least_error(epsilon)), digits) == float(published)


def test_a_huge_loss_keeps_its_power_of_ten():  # catalogue: H-05
    error = least_error(100_000)
    assert f"{error:.1e}" == "3.6e-43430"
    assert float(error.log10()) == pytest.approx(-100_000 / math.log(10), rel=1e-12)
    assert format_probability(error) == "3.56·10^−43430"
    assert "3.56·10^−43430" in str(game(100_000))


def test_a_mantissa_that_rounds_up_moves_the_power():
    assert format_probability(Decimal("9.996e-7")) == "1.00·10^−6"


@given(st.fractions(0, 8))
def test_no_test_is_wrong_less_often_than_the_bound(epsilon):
    """A linear program over all (p, p′) that the definition allows finds the same least error."""
    grow = math.exp(epsilon)
    found = linprog([0.5, -0.5], A_ub=[[-grow, 1], [-1, grow]], b_ub=[0, grow - 1], bounds=[(0, 1)] * 2)
    assert 0.5 + found.fun == pytest.approx(float(least_error(epsilon)), rel=1e-6, abs=1e-9)


@given(st.integers(1, 7), st.fractions(Fraction(1, 5), 6))
def test_the_error_against_discrete_noise_is_half_of_the_overlap(apart, epsilon):
    at = np.arange(-4000, 4000 + apart + 1)
    first, second = (np.exp(-abs(at - centre) * float(epsilon) / apart) for centre in (0, apart))
    overlap = np.minimum(first / first.sum(), second / second.sum()).sum()
    assert float(game(epsilon, answers=(0, apart), law="discrete laplace").error) == pytest.approx(
        overlap / 2, rel=1e-9
    )


@given(st.fractions(Fraction(1, 100), 20), st.sampled_from([(5, 6), (7, 5), (-2, 9)]))
def test_laplace_noise_never_lets_the_adversary_below_the_bound(epsilon, answers):
    for law in ("laplace", "discrete laplace"):
        found = game(epsilon, answers=answers, law=law)
        assert float(found.least_error) <= float(found.error) * (1 + 1e-14) <= 0.5 * (1 + 1e-14)


def test_discrete_noise_between_neighbours_one_apart_cannot_be_bettered():
    found = game(1, law="discrete laplace")
    assert float(found.error) == pytest.approx(float(found.least_error), rel=1e-15)
    assert float(game(1).error) == pytest.approx(math.exp(-0.5) / 2)


def test_the_scale_is_that_of_the_lecture():  # catalogue: H-01
    assert game(1, answers=(5, 6)).scale == 1
    assert game(2, answers=(5, 7)).scale == 1
    assert game(0).scale == math.inf


@pytest.mark.parametrize("law", ["laplace", "discrete laplace"])
def test_the_two_curves_are_distributions_whose_ratio_reaches_exactly_the_loss(law):
    found = game("0.7", answers=(5, 9), law=law)
    at, first, second = found.curves()
    area = np.trapezoid(first, at) if law == "laplace" else first.sum()
    assert area == pytest.approx(1, abs=0.004)  # six scales on: e⁻⁶ is left out
    assert np.abs(np.log(first / second)).max() == pytest.approx(0.7, rel=1e-12)
    assert {5, 9} <= set(at)
    assert (at[first.argmax()], at[second.argmax()]) == (5, 9)


def test_what_cannot_be_played_is_refused():
    for wrong in (-1, "many", math.inf, math.nan, True, 10**18):
        with pytest.raises(TacitError):
            game(wrong)
    for answers in ((5, 5), (5, math.nan)):
        with pytest.raises(TacitError):
            game(1, answers=answers)
    with pytest.raises(TacitError, match="whole"):
        game(1, answers=(5, 5.5), law="discrete laplace")
    with pytest.raises(TacitError, match="law"):
        game(1, law="normal")
    with pytest.raises(TacitError, match="nothing to draw"):
        game(0).curves()
    with pytest.raises(TacitError, match="too many"):
        game("0.0001", law="discrete laplace").curves()


def test_the_rough_guide():  # catalogue: H-08
    said = {"0.09": "high", "0.1": "good", "1": "good", "1.01": "weak", "5": "weak", "5.01": "too big: hardly any"}
    assert {epsilon: rough_guide(epsilon) for epsilon in said} == said


NOISE = {"no": 0, "small": 0.25, "large": 2, "very large": 500}


def test_the_played_game_agrees_with_the_law_and_would_reject_a_scale_30_percent_too_small():  # catalogue: H-05
    """Exact binomial tests at 10⁻¹²; too small a scale passes with a chance below 10⁻¹⁶; 5 % are 7.7 standard errors."""
    rounds = 24_000
    played = {level.name: level for level in play(NOISE, rounds=rounds).levels}
    for name in ("small", "large", "very large"):
        assert likely(round(played[name].error * rounds), rounds, played[name].expected_error)
    for name in ("small", "large"):  # at the largest scale the adversary flips a coin either way
        smaller = play({name: 0.7 * NOISE[name]}, rounds=rounds).levels[0]
        assert not likely(round(smaller.error * rounds), rounds, played[name].expected_error)
    assert played["very large"].off == pytest.approx(played["very large"].expected_off, rel=0.05)


def test_more_noise_is_safer_and_worth_less():
    levels = play(NOISE, rounds=2).levels
    errors, off = [level.expected_error for level in levels], [level.expected_off for level in levels]
    assert errors == sorted(errors)
    assert off == sorted(off)
    assert (errors[0], off[0]) == (levels[0].error, levels[0].off) == (0, 0)
    assert errors[-1] > 0.499


def test_games_that_cannot_be_played_are_refused():
    for wrong in (-1, math.nan, math.inf, 1e9, True, "wide"):
        with pytest.raises(TacitError, match="scale"):
            play({"some": wrong})
    for rounds in (0, 3, 10**7, 2.0):
        with pytest.raises(TacitError, match="rounds"):
            play(NOISE, rounds=rounds)
    for answers in ((5, 5), (5, 6.5)):
        with pytest.raises(TacitError, match="answer"):
            play(NOISE, answers=answers)
