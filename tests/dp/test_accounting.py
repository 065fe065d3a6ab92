"""Accountants against closed forms, published numbers and each other. Catalogue: H-04, D-05 (composition)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tacit import TacitError
from tacit.dp import Bounds, Cost, Exponential, Gaussian, Histogram, Laplace, Mean, RandomisedResponse
from tacit.dp.accounting import accounts, advanced, basic, optimal, parallel, pld, rdp, zcdp, zcdp_delta, zcdp_epsilon


def laplace(epsilon, steps=1, neighbours="add_remove"):
    return Laplace(sensitivity=steps, epsilon=epsilon, neighbours=neighbours).event


def gaussian(epsilon=1, delta="1e-6", steps=1):
    return Gaussian(sensitivity=steps, epsilon=epsilon, delta=delta, neighbours="add_remove").event


def test_basic_composition_adds_up_exactly():
    assert basic([laplace("0.1")] * 10) == Cost.of(1)
    assert basic([laplace("1/3")] * 3) == Cost.of(1)
    mixed = [laplace(1), Histogram(epsilon="0.5", delta="1e-6", neighbours="add_remove").events[0]]
    assert basic(mixed) == Cost.of("1.5", "1e-6")
    assert basic([Gaussian(sensitivity=1, rho="0.1", neighbours="replace").event] * 2) == Cost.of("0.2", unit="rho")


def test_disjoint_parts_cost_the_dearest_and_two_of_them_under_replacement():
    parts = [[laplace("0.1")] * 3, [laplace("0.5")], []]
    assert parallel(parts) == Cost.of("0.5")
    replaced = [[event.for_neighbours("replace") for event in part] for part in parts]
    assert parallel(replaced) == Cost.of("0.8")


@pytest.mark.parametrize("accountant", [basic, advanced, zcdp, rdp, pld, accounts])
def test_neighbours_of_two_kinds_are_never_added_up(accountant):
    options = {} if accountant is basic else {"delta": 1e-6}
    with pytest.raises(TacitError, match="cannot be added up"):
        accountant([laplace(1), laplace(1, neighbours="replace")], **options)
    with pytest.raises(TacitError, match="nothing to compose"):
        accountant([], **options)


@pytest.mark.parametrize("delta", [0, 1, -1, float("nan"), "x"])
@pytest.mark.parametrize("accountant", [advanced, zcdp, rdp, pld, accounts])
def test_a_delta_that_cannot_be_is_refused(accountant, delta):
    with pytest.raises(TacitError, match="delta"):
        accountant([laplace(1)], delta=delta)


def test_bob_in_ten_thousand_databases():
    """Dwork and Roth (2014), section 3.5.2: ε₀ = 1/801 in 10 000 databases is at most ε = 1 with δ = e^−32."""
    found = advanced([laplace(Fraction(1, 801))] * 10_000, delta=math.exp(-32))
    walk, drift = (
        math.sqrt(2 * 10_000 * 32) / 801,
        10_000 / 801 * math.expm1(1 / 801),
    )  # as Dwork, Rothblum and Vadhan add
    assert 0.9 * walk < found.amount <= min(1, walk + drift)
    assert basic([laplace(Fraction(1, 801))] * 10_000).amount > 12


def test_the_optimum_is_that_of_listing_all_outcomes():
    """Kairouz, Oh, Viswanath: k bits by randomised response, all 2^k outcomes summed."""
    epsilon, times = 0.3, 10
    right = np.exp(epsilon) / (1 + np.exp(epsilon))
    one, other = np.array([1.0]), np.array([1.0])
    for _ in range(times):
        one, other = np.outer(one, [right, 1 - right]).ravel(), np.outer(other, [1 - right, right]).ravel()
    for delta in (1e-3, 1e-2, 0.1):
        found = float(optimal(epsilon, times=times, delta=delta).amount)
        assert np.maximum(one - math.exp(found) * other, 0).sum() == pytest.approx(delta, rel=1e-5)


@given(st.floats(0.01, 0.8), st.integers(1, 60), st.sampled_from(["1e-3", "1e-6"]))
@settings(max_examples=25)
def test_the_loss_distribution_of_unit_steps_is_the_optimum_and_everything_else_is_above(epsilon, times, delta):
    """Discrete Laplace noise with one step is randomised response, so that PLD must find the optimum."""
    events = [laplace(epsilon)] * times
    best = float(optimal(epsilon, times=times, delta=delta).amount)
    found = float(pld(events, delta=delta).amount)
    assert best - 1e-6 <= found <= best + 1.1e-4 * times + 1e-3
    for accountant in (advanced, zcdp, rdp):
        assert float(accountant(events, delta=delta).amount) >= best - 1e-6


@given(st.floats(0.3, 3), st.integers(1, 30))
@settings(max_examples=20)
def test_gaussian_noise_pld_is_below_rdp_and_rdp_about_zcdp(epsilon, times):
    events = [gaussian(epsilon, "1e-5", steps=50)] * times
    tight, renyi, concentrated = (float(a(events, delta="1e-5").amount) for a in (pld, rdp, zcdp))
    assert tight <= renyi + 1e-4
    assert renyi == pytest.approx(concentrated, rel=5e-3)


def test_composed_gaussians_are_one_gaussian_of_closed_form():
    """k answers with σ are one with σ/√k (Balle and Wang), here on a grid fine enough to be continuous."""
    event = gaussian(1, "1e-6", steps=10**7)
    sigma = event.scale / event.sensitivity
    epsilon = float(pld([event] * 25, delta="1e-5").amount)
    s = sigma / 5
    closed = stats.norm.cdf(1 / (2 * s) - epsilon * s) - math.exp(epsilon) * stats.norm.cdf(-1 / (2 * s) - epsilon * s)
    assert closed == pytest.approx(1e-5, rel=2e-3)
    assert closed <= 1e-5


@pytest.mark.parametrize(("rho", "delta"), [(0.1, 1e-6), (1, 1e-5), (0.001, 1e-9), (5, 0.01)])
def test_the_conversion_of_rho_is_between_the_exact_gaussian_and_the_usual_bound(rho, delta):
    found = zcdp_epsilon(rho, delta=delta)
    assert found <= rho + 2 * math.sqrt(rho * math.log(1 / delta))  # Bun and Steinke (2016), proposition 1.3
    sigma = math.sqrt(1 / (2 * rho))
    exact = stats.norm.cdf(1 / (2 * sigma) - found * sigma)
    exact -= math.exp(found) * stats.norm.cdf(-1 / (2 * sigma) - found * sigma)
    assert exact <= delta
    assert zcdp_delta(rho, epsilon=found) == pytest.approx(delta, rel=1e-6)


def test_the_conversion_of_rho_is_the_least_over_all_orders():
    """Against a grid of orders, and OpenDP's own conversion."""
    from tacit.dp.opendp import combinators, domains, measurements, metrics

    rho, delta = 0.125, 1e-6
    orders = 1 + np.geomspace(1e-3, 1e4, 200_000)
    grid = orders * rho - np.log(orders * delta) / (orders - 1) + np.log1p(-1 / orders)
    assert zcdp_epsilon(rho, delta=delta) == pytest.approx(grid.min(), rel=1e-8)
    whole = domains.atom_domain(T="i64"), metrics.absolute_distance(T="f64")
    theirs = combinators.make_zCDP_to_approxDP(measurements.make_gaussian(*whole, scale=2.0)).map(1.0)
    assert theirs.epsilon(delta) == pytest.approx(zcdp_epsilon(rho, delta=delta), rel=1e-3)


def test_a_finer_grid_of_laplace_noise_is_never_dearer_by_more_than_its_rounding():
    fine, coarse = (float(pld([laplace(1, steps)] * 5, delta="1e-3").amount) for steps in (123_457, 1000))
    assert fine == pytest.approx(coarse, rel=2e-2)
    assert fine <= 5.01


def test_shifting_two_answers_costs_no_more_than_shifting_one_by_as_much():
    """The loss of several Laplace answers is that of one with all the shift: sums over all pairs of outcomes."""
    scale, z = 2.0, np.arange(-60, 61)
    law = {s: math.tanh(1 / (2 * scale)) * np.exp(-np.abs(z - s) / scale) for s in (0, 1, 2, 3)}
    for epsilon in (0.1, 0.5, 1.0, 1.4):
        one = np.maximum(law[3] - math.exp(epsilon) * law[0], 0).sum()
        for split in ((1, 2), (2, 1)):
            joint = np.outer(law[split[0]], law[split[1]]) - math.exp(epsilon) * np.outer(law[0], law[0])
            assert np.maximum(joint, 0).sum() <= one + 1e-12


def test_a_threshold_brings_its_delta_to_every_accountant():
    keys = Histogram(epsilon="0.1", delta="1e-6", neighbours="add_remove").events[0]
    for accountant in (advanced, zcdp, rdp):
        assert accountant([keys], delta="1e-5").delta == Fraction(1, 10**5)
        with pytest.raises(TacitError, match="allow a larger delta"):
            accountant([keys], delta="1e-6")
    assert pld([keys] * 3, delta="1e-5").amount <= Fraction("0.31")


def test_all_accountants_side_by_side():
    events = [
        *Mean(bounds=Bounds(0, 100), epsilon="0.2", neighbours="replace", size=10).events,
        Exponential(sensitivity=1, epsilon="0.2", neighbours="replace").event,
        RandomisedResponse(categories=(1, 2), epsilon="0.2").event,
    ] * 20
    found = accounts(events, delta="1e-6")
    assert set(found) == {"basic", "advanced", "zcdp", "rdp", "pld"}
    assert list(found.values()) == sorted(found.values(), key=lambda cost: cost.amount)
    assert found["basic"] == Cost.of(12)
    noisy = Gaussian(sensitivity=1, rho="0.1", neighbours="replace").event
    assert set(accounts([noisy, *events], delta="1e-6")) == {"zcdp", "rdp"}
    with pytest.raises(TacitError, match="declared by rho"):
        pld([noisy], delta=1e-6)
    with pytest.raises(TacitError, match="no ε of its own"):
        advanced([noisy], delta=1e-6)
