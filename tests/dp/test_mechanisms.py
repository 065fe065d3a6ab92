"""Noise and randomised response: the law that is drawn, the scale, the price. Catalogue: H-01, H-03, E-07.

Tests of a law use fresh draws, 4 000 of noise and 6 000 of answers. A right mechanism fails with a chance of 10⁻¹² (tests/chances.py);
a scale that is 30 % too small is taken for right with one below 10⁻²⁷, an ε that is as much too large with one below 10⁻¹².
"""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.chances import follows

from tacit import TacitError
from tacit.dp import Laplace, RandomisedResponse
from tacit.dp.mechanisms.discrete_laplace import half_width
from tacit.dp.noise import with_gaussian, with_laplace

DRAWS = 4000
ANSWERS = 6000


def laplace_law(scale: float, reach: int) -> dict[int, float]:
    return {z: math.tanh(1 / (2 * scale)) * math.exp(-abs(z) / scale) for z in range(-reach, reach + 1)}


def gaussian_law(scale: float, reach: int) -> dict[int, float]:
    weights = {z: math.exp(-((z / scale) ** 2) / 2) for z in range(-20 * reach, 20 * reach + 1)}
    return {z: weights[z] / sum(weights.values()) for z in range(-reach, reach + 1)}


@pytest.mark.parametrize("scale", [0.7, 2.0, 3.3])
def test_laplace_noise_has_the_discrete_law_of_its_scale_and_not_of_another(scale):
    reach = math.ceil(4 * scale)
    assert follows(with_laplace([0] * DRAWS, scale), laplace_law(scale, reach))
    assert not follows(with_laplace([0] * DRAWS, 0.7 * scale), laplace_law(scale, reach))


@pytest.mark.parametrize("scale", [0.8, 3.0])
def test_gaussian_noise_has_the_discrete_law_of_its_scale_and_not_of_another(scale):
    reach = math.ceil(2.5 * scale)
    assert follows(with_gaussian([0] * DRAWS, scale), gaussian_law(scale, reach))
    assert not follows(with_gaussian([0] * DRAWS, 0.7 * scale), gaussian_law(scale, reach))


@given(st.fractions("1/100", 1000), st.fractions("1/100", 20), st.sampled_from(["1", "1/10", "3/7"]))
def test_the_scale_of_laplace_noise_is_never_below_sensitivity_over_epsilon(sensitivity, epsilon, step):
    mechanism = Laplace(sensitivity=sensitivity, epsilon=epsilon, neighbours="replace", step=step)
    steps = math.ceil(sensitivity / Fraction(step))
    assert Fraction(mechanism.scale) >= steps / epsilon
    assert mechanism.scale <= float(steps / epsilon) * (1 + 1e-15)


def test_opendp_confirms_the_price_of_laplace_noise():
    from tacit.dp.noise import _laplace_mechanism

    mechanism = Laplace(sensitivity=7, epsilon="0.3", neighbours="add_remove")
    assert _laplace_mechanism(mechanism.scale).map(7) <= 0.3 * (1 + 1e-15)


@given(st.fractions("-100", 100), st.fractions("-100", 100), st.fractions("1/9", 5))
def test_rounding_to_the_grid_never_moves_two_answers_further_than_the_steps_of_the_sensitivity(one, other, step):
    from tacit.dp.mechanisms.on_grid import in_steps, steps_of_sensitivity

    apart = abs(in_steps(one, step) - in_steps(other, step))
    assert apart <= steps_of_sensitivity(abs(one - other), step)


@given(st.floats(0.1, 500), st.floats(0.001, 0.5))
def test_the_half_width_of_laplace_noise_is_the_smallest_that_holds(scale, miss):
    def beyond(h: int) -> float:
        return 2 * math.exp(-(h + 1) / scale) / (1 + math.exp(-1 / scale))

    found = half_width(scale, miss)
    assert beyond(found) <= miss
    assert found == 0 or beyond(found - 1) > miss * (1 - 2e-9)


def test_without_opendp_the_room_opens_and_the_first_draw_says_what_is_missing():
    probe = """
import sys
sys.modules["opendp"] = None
from tacit.dp import Count
count = Count(epsilon=1, neighbours="replace")
print(count.cost)
try:
    count.release([1])
except ValueError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout
    assert said == "ε = 1\ndifferential privacy needs OpenDP\n  fix: pip install 'tacit[dp]'\n"


def test_answers_stay_on_the_grid_and_huge_ones_are_cut_not_wrapped():
    mechanism = Laplace(sensitivity=1, epsilon=1, neighbours="add_remove", step="0.25")
    assert all(float(mechanism.release(1 / 3) * 4).is_integer() for _ in range(50))
    whole = Laplace(sensitivity=1, epsilon=1, neighbours="add_remove")
    assert whole.release(10**40) > 2**62
    assert whole.release(-(10**40)) < -(2**62)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epsilon": 0}, "epsilon 0 is not above 0"),
        ({"epsilon": -1}, "epsilon -1 is not above 0"),
        ({"epsilon": float("nan")}, "not a finite number"),
        ({"epsilon": float("inf")}, "not a finite number"),
        ({"epsilon": True}, "not a finite number"),
        ({"sensitivity": 0}, "sensitivity 0 is not above 0"),
        ({"sensitivity": "much"}, "sensitivity 'much'"),
        ({"step": -1}, "step -1"),
        ({"neighbours": "add-remove"}, "did you mean 'add_remove'"),
        ({"neighbours": None}, "no neighbour relation"),
    ],
)
def test_a_mechanism_refuses_what_cannot_be(given, said):
    with pytest.raises(TacitError, match=said):
        Laplace(**({"sensitivity": 1, "epsilon": 1, "neighbours": "add_remove"} | given))


def test_an_answer_that_is_no_number_is_refused_without_being_shown():
    mechanism = Laplace(sensitivity=1, epsilon=1, neighbours="add_remove")
    for answer in (float("nan"), float("inf"), "SECRET", None):
        with pytest.raises(TacitError, match="no finite number") as caught:
            mechanism.release(answer)
        assert "SECRET" not in str(caught.value)
    with pytest.raises(TacitError, match="whole numbers of steps"):
        mechanism.release_steps([1, 0.5])


@pytest.mark.parametrize("categories", [2, 3, 6])
def test_randomised_response_has_the_law_of_its_epsilon_and_not_of_another(categories):
    mechanism = RandomisedResponse(categories=range(categories), epsilon="1.2")
    p = math.exp(1.2) / (math.exp(1.2) + categories - 1)
    law = dict.fromkeys(range(categories), (1 - p) / (categories - 1)) | {0: p}
    assert follows(mechanism.release([0] * ANSWERS), law)
    eager = RandomisedResponse(categories=range(categories), epsilon=1.2 / 0.7)
    assert not follows(eager.release([0] * ANSWERS), law)
    unknown = mechanism.release([99, None, [1], float("nan")] * 300)
    assert follows(unknown, dict.fromkeys(range(categories), 1 / categories))


@given(st.integers(2, 40), st.floats(0.01, 30))
def test_the_chance_of_the_truth_never_gives_more_than_epsilon(categories, epsilon):
    p = RandomisedResponse(categories=range(categories), epsilon=epsilon).truth
    assert math.log(p * (categories - 1)) - math.log1p(-p) <= epsilon * (1 + 1e-12)
    assert p > 1 / categories


def test_the_estimate_from_randomised_response_is_unbiased_with_its_stated_error():
    """50 surveys of 200 people: the mean within 8 standard errors (10⁻¹⁴), the variance below five times the stated one.

    Answers are sub-Gaussian with 1.44 times their variance, so that chance has at most the tail of chi-squared at 5·50/1.44: 10⁻¹³.
    """
    mechanism = RandomisedResponse(categories=("x", "y", "z"), epsilon=2)
    people = ["x"] * 140 + ["y"] * 60
    found = [mechanism.estimate(mechanism.release(people)) for _ in range(50)]
    shares = np.array([one.value["x"] for one in found])
    p, q = mechanism.truth, (1 - mechanism.truth) / 2
    true_error = math.sqrt(140 * p * (1 - p) + 60 * q * (1 - q)) / 200 / (p - q)
    assert abs(shares.mean() - 0.7) < 8 * true_error / math.sqrt(50)
    assert np.mean((shares - 0.7) ** 2) < 5 * true_error**2
    # Stated is the error of a sample from a population, which is a little more than that of a fixed list of people.
    stated = np.mean([one.standard_error["x"] for one in found])
    sampled = math.sqrt((q + 0.7 * (p - q)) * (1 - q - 0.7 * (p - q)) / 200) / (p - q)
    assert stated == pytest.approx(sampled, rel=0.03)
    assert true_error < stated


def test_randomised_response_of_nobody_and_bad_lists():
    mechanism = RandomisedResponse(categories=("a", "b"), epsilon=1)
    assert mechanism.release([]) == []
    assert mechanism.estimate([]).value == {"a": 0.5, "b": 0.5}
    for categories in ("ab", ["a"], ["a", "a"], [None, "a"], [[1], "a"], 7):
        with pytest.raises(TacitError, match="public key"):
            RandomisedResponse(categories=categories, epsilon=1)
    with pytest.raises(TacitError, match="of no category"):
        mechanism.estimate(["a", "z"])
