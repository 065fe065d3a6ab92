"""The discrete Gaussian: exact δ(ε) against sums over all outcomes, the analytic scale against published ones. H-03."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import TacitError
from tacit.dp import Gaussian
from tacit.dp.mechanisms.discrete_gaussian import delta_of, half_width, scale_for, tail_bounds


def law(scale: float) -> np.ndarray:
    reach = math.ceil(38 * scale) + 1
    weights = np.exp(-((np.arange(-reach, reach + 1) / scale) ** 2) / 2)
    return weights / weights.sum()


def hockey_stick(shift: int, scale: float, epsilon: float) -> float:
    """δ as it is defined: the sum of P(z) − e^ε P′(z) over all outcomes where it is positive."""
    one = np.append(law(scale), np.zeros(shift))
    other = np.append(np.zeros(shift), law(scale))
    return float(np.maximum(one - np.exp(epsilon) * other, 0).sum())


@given(st.integers(1, 30), st.floats(0.3, 40), st.floats(0.01, 4))
@settings(max_examples=60)
def test_delta_is_that_of_summing_over_all_outcomes(shift, scale, epsilon):
    assert delta_of(shift, scale, epsilon) == pytest.approx(hockey_stick(shift, scale, epsilon), rel=1e-6, abs=1e-15)


@given(st.integers(2, 30), st.floats(0.5, 40), st.floats(0.01, 4))
@settings(max_examples=40)
def test_answers_that_are_closer_are_never_easier_to_tell_apart(shift, scale, epsilon):
    deltas = [hockey_stick(step, scale, epsilon) for step in range(1, shift + 1)]
    assert max(deltas) <= delta_of(shift, scale, epsilon) + 1e-13


@pytest.mark.parametrize("scale", [2000.0, 2345.6, 40_000.0])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.5, 4.0, 8.0])
def test_bounds_on_far_tails_hold_the_sum(scale, share):
    first = round(share * scale) + 1
    exact = law(scale)[len(law(scale)) // 2 + first :].sum()
    low, high = tail_bounds(first, scale)
    assert low * (1 - 1e-11) <= exact <= high * (1 + 1e-11)
    assert high - low <= 2e-3 * exact + 1e-14


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1, 1e-5), (1, 0.1), (10, 1e-6), (0.5, 1e-10)])
def test_on_a_fine_grid_the_scale_is_that_of_balle_and_wang(epsilon, delta):
    from dp_accounting import get_sigma_gaussian

    wanted = get_sigma_gaussian(epsilon, delta)  # Balle and Wang (2018), algorithm 1
    for steps in (10**4, 10**7):
        assert scale_for(steps, epsilon, delta) / steps == pytest.approx(wanted, rel=1e-5)
    if epsilon <= 1:
        assert wanted < math.sqrt(2 * math.log(1.25 / delta)) / epsilon


@given(st.integers(1, 50), st.floats(0.05, 5), st.sampled_from([0.1, 1e-3, 1e-6, 1e-9]))
@settings(max_examples=40)
def test_the_scale_keeps_the_promise_and_one_30_percent_smaller_does_not(steps, epsilon, delta):
    scale = scale_for(steps, epsilon, delta)
    assert hockey_stick(steps, scale, epsilon) <= delta
    if scale > 0.5:
        assert hockey_stick(steps, 0.7 * scale, epsilon) > delta


@given(st.floats(0.3, 60))
@settings(max_examples=40)
def test_the_half_width_is_the_smallest_that_holds(scale):
    chances = law(scale)
    middle = len(chances) // 2
    found = half_width(scale, 0.05)
    assert 1 - chances[middle - found : middle + found + 1].sum() <= 0.05 + 1e-12
    assert found == 0 or 1 - chances[middle - found + 1 : middle + found].sum() > 0.05 - 1e-12


def test_rho_is_half_the_squared_sensitivity_over_the_variance():
    mechanism = Gaussian(sensitivity=3, rho="0.125", neighbours="replace")
    assert mechanism.scale == 6.0
    assert mechanism.cost.unit == "rho"
    analytic = Gaussian(sensitivity=3, epsilon=1, delta="1e-6", neighbours="replace")
    assert float(analytic.event.rho) == pytest.approx(9 / (2 * analytic.scale**2))
    assert analytic.delta_at(1.0) <= 1e-6


@pytest.mark.parametrize(
    "given", [{}, {"rho": 1, "epsilon": 1}, {"epsilon": 1}, {"delta": 1e-6}, {"rho": 0}, {"epsilon": 1, "delta": 1}]
)
def test_gaussian_noise_is_declared_one_way(given):
    with pytest.raises(TacitError, match="fix:"):
        Gaussian(sensitivity=1, neighbours="replace", **given)


def test_epsilon_and_delta_are_those_of_one_answer():
    with pytest.raises(TacitError, match="declare rho"):
        Gaussian(sensitivity=1, neighbours="replace", epsilon=1, delta=1e-6).release_steps([1, 2])
    assert len(Gaussian(sensitivity=1, neighbours="replace", rho=1).release_steps([1, 2])) == 2
