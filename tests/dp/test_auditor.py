"""The auditor: accepts what keeps its promise, rejects a scale 30 % too small and the taught mean. Catalogue: H-02, H-05, B-06.

Whether it rejects is judged on seeded noise, so that the outcome is fixed. Mechanisms with the library's secure noise keep their
promise in each of these tests but for a chance of 10⁻¹², which is the confidence that they are audited with.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from tests.chances import ERROR, follows

from tacit import TacitError
from tacit.dp import Bounds, Cost, Gaussian, Histogram, Laplace, PermuteAndFlip, RandomisedResponse, audit
from tacit.dp.auditor import _epsilon_lower_bound
from tacit.dp.noise import with_gaussian, with_laplace
from tacit.dp.teaching import TextbookMean, empty_chances

RUNS = 40_000
SURE = 1 - ERROR
SALARIES = [1000, 2000, 3000, 2000, 1000, 6000, 2000, 10000, 2000, 4000]


def laplace(rng: np.random.Generator, scale: float, runs: int) -> np.ndarray:
    """Discrete Laplace noise: the difference of two geometric numbers."""
    one, other = rng.geometric(-math.expm1(-1 / scale), (2, runs))
    return one - other


def gaussian(rng: np.random.Generator, scale: float, runs: int) -> np.ndarray:
    """Discrete Gaussian noise by its weights."""
    places = np.arange(-math.ceil(12 * scale), math.ceil(12 * scale) + 1)
    weights = np.exp(-((places / scale) ** 2) / 2)
    return rng.choice(places, runs, p=weights / weights.sum())


def seeded(noise: Callable[[np.random.Generator, float, int], np.ndarray], scale: float):
    rng = np.random.default_rng(1)
    return lambda answer, runs: (answer + noise(rng, scale, runs)).tolist()


def drawn_with(noise, scale):
    return lambda answer, runs: noise([answer] * runs, scale)


@pytest.mark.parametrize("epsilon", [0.3, 4])
def test_laplace_noise_is_accepted_and_with_a_scale_30_percent_too_small_rejected(epsilon):
    mechanism = Laplace(sensitivity=10, epsilon=epsilon, neighbours="replace")
    right = audit(seeded(laplace, mechanism.scale), 0, 10, declared=mechanism.cost, runs=RUNS, confidence=0.9999)
    assert right.holds
    assert 0.6 * epsilon < right.lower <= epsilon
    wrong = audit(seeded(laplace, 0.7 * mechanism.scale), 0, 10, declared=mechanism.cost, runs=RUNS)
    assert not wrong
    assert epsilon < wrong.lower <= epsilon / 0.7 * 1.1


def test_gaussian_noise_is_judged_by_its_whole_profile():
    mechanism = Gaussian(sensitivity=10, epsilon=1, delta="1e-5", neighbours="replace")
    assert audit(seeded(gaussian, mechanism.scale), 0, 10, declared=mechanism, runs=RUNS, confidence=0.9999)
    assert not audit(seeded(gaussian, 0.7 * mechanism.scale), 0, 10, declared=mechanism, runs=2 * RUNS)


def test_a_promise_of_rho_is_judged_by_its_conversion():
    mechanism = Gaussian(sensitivity=10, rho=1, neighbours="replace")
    assert audit(seeded(gaussian, mechanism.scale), 0, 10, declared=mechanism.cost, runs=RUNS, confidence=0.9999)
    assert not audit(seeded(gaussian, 0.5 * mechanism.scale), 0, 10, declared=mechanism.cost, runs=RUNS)


def test_the_noise_of_the_library_keeps_its_promise():
    pure, profile = (
        Laplace(sensitivity=10, epsilon=4, neighbours="replace"),
        Gaussian(sensitivity=10, epsilon=1, delta="1e-5", neighbours="replace"),
    )
    for run, declared in (
        (drawn_with(with_laplace, pure.scale), pure.cost),
        (drawn_with(with_gaussian, profile.scale), profile),
    ):
        assert audit(run, 0, 10, declared=declared, runs=8000, confidence=SURE)


def test_delta_is_taken_off_before_ratios_are():
    """Shows the person with chance 0.1 and else nothing: private with δ = 0.1, and with no ε without it."""
    rng = np.random.default_rng(1)

    def run(name: str, runs: int) -> list[str]:
        return [name if shown else "nobody" for shown in rng.random(runs) < 0.0989]

    assert audit(run, "ann", "bob", declared=Cost.of("1e-3", "0.1"), runs=RUNS, confidence=0.9999)
    found = audit(run, "ann", "bob", declared=Cost.of(1, "0.05"), runs=RUNS)
    assert not found
    assert found.chances[1] == 0


def test_answers_that_are_no_numbers_are_audited_too():
    mechanism = RandomisedResponse(categories=("a", "b", "c"), epsilon=1)
    assert audit(
        lambda name, runs: mechanism.release([name] * runs), "a", "b", declared=Cost.of(1), runs=2000, confidence=SURE
    )
    rng = np.random.default_rng(1)

    def run(name: str, runs: int) -> list[str]:
        others = [one for one in "abc" if one != name]
        return rng.choice([name, *others], runs, p=[mechanism.truth, *[(1 - mechanism.truth) / 2] * 2]).tolist()

    assert not audit(run, "a", "b", declared=Cost.of("0.7"), runs=4000)
    choice = PermuteAndFlip(sensitivity=1, epsilon=1, neighbours="replace")

    def chosen(scores, runs):
        return [choice.release(scores) for _ in range(runs)]

    assert audit(chosen, [0, 0, 1], [1, 1, 0], declared=Cost.of(1), runs=2000, confidence=SURE)


def test_a_whole_histogram_is_audited_by_its_shown_keys():
    histogram = Histogram(epsilon=1, delta="0.01", neighbours="add_remove")

    def run(data, runs):
        return [tuple(histogram.release(data).value) for _ in range(runs)]

    assert audit(run, ["a"] * 3, ["a"] * 3 + ["b"], declared=histogram.cost, runs=2000, confidence=SURE)


def test_the_bound_is_that_of_clopper_and_pearson():
    """Both one-sided bounds at 2.5 %, from their definition: the chance at which the count would be as extreme as that."""
    found = float(_epsilon_lower_bound(np.array(60), np.array(20), [100, 100], 0.1, 0.95))
    least = stats.binomtest(60, 100, alternative="greater").proportion_ci(0.975, "exact").low
    most = stats.binomtest(20, 100, alternative="less").proportion_ci(0.975, "exact").high
    assert found == pytest.approx(math.log((least - 0.1) / most))
    assert _epsilon_lower_bound(np.array(0), np.array(0), [100, 100], 0.0, 0.95) == -np.inf


def test_an_audit_of_equal_data_finds_nothing():
    found = audit(seeded(laplace, 2.0), 5, 5, declared=Cost.of("0.1"), runs=RUNS, confidence=0.9999)
    assert found.holds
    assert found.lower < 0.1


def test_the_empty_database_of_the_taught_mean_has_point_masses():
    """Catalogue: H-02, ε = 1. 10⁻¹² each: tests/chances.py, and the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart."""
    assert [round(chance, 4) for chance in empty_chances(1)] == [0.3033, 0.3033, 0.3935]
    taught = TextbookMean(bounds=Bounds(2000, 4000), epsilon=1, cut=True)
    found = np.array(taught.draw_answers([], 3000))
    between = found[(found > 2000) & (found < 4000)]
    assert follows(
        np.where((found > 2000) & (found < 4000), 0, found), dict(zip((2000, 4000, 0), empty_chances(1), strict=True))
    )
    furthest = stats.kstest(between, stats.uniform(2000, 2000).cdf).statistic
    assert furthest < math.sqrt(math.log(2 / ERROR) / (2 * len(between)))


def test_the_taught_mean_with_cut_inputs_has_its_centre_at_2700():
    low, high = TextbookMean(bounds=Bounds(2000, 4000), epsilon=1, cut=True).end_chances(SALARIES)
    assert (round(low, 4), round(high, 5)) == (0.0151, 0.00075)


def test_the_taught_mean_of_uncut_inputs_is_rejected():
    """Catalogue: H-02. Replacing 1 000 by 100 000 changes the chance of 2 000 by e^49.5."""
    taught = TextbookMean(bounds=Bounds(2000, 4000), epsilon=1, cut=False)
    rich = [100_000, *SALARIES[1:]]
    assert math.log(taught.end_chances(SALARIES)[0] / taught.end_chances(rich)[0]) == pytest.approx(49.5)
    found = audit(taught.draw_answers, SALARIES, rich, declared=Cost.of(1), runs=20_000, confidence=SURE)
    assert not found
    assert found.lower > 5


def test_the_taught_mean_of_cut_inputs_is_rejected_when_a_record_is_added():
    """Catalogue: H-02. {0} against {0, 1}: the density at ½ changes by 2e^(ε/2), 3.30 at ε = 1."""
    assert round(2 * math.exp(0.5), 2) == 3.30
    for epsilon in ("1/4", "1/2"):  # ε = 1, where the excess is small, takes 400 000 runs: bench/queries_epsilon.py
        taught = TextbookMean(bounds=Bounds(0, 1, step="0.001"), epsilon=epsilon, cut=True)
        assert not audit(taught.draw_answers, [0], [0, 1], declared=Cost.of(epsilon), runs=RUNS)


@pytest.mark.parametrize("given", [{"runs": 10}, {"runs": 1.5}, {"confidence": 1}, {"confidence": 0.1}])
def test_bad_audits_are_refused(given):
    with pytest.raises(TacitError, match="fix:"):
        audit(drawn_with(with_laplace, 1.0), 0, 1, **({"declared": Cost.of(1), "runs": 1000} | given))
    with pytest.raises(TacitError, match="as many outcomes"):
        audit(lambda data, runs: [1], 0, 1, declared=Cost.of(1), runs=1000)
