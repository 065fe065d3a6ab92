from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from tacit import Release, TacitError
from tacit.loss import headline, wasserstein
from tacit.protect import Mdav, RankSwap

numbers = st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=1, max_size=20)


def of(**columns) -> Release:
    return Release(pl.DataFrame(columns))


def test_by_hand():  # catalogue: F-03
    before, after = of(x=[0.0, 2.0, 4.0, 6.0], y=[1.0] * 4), of(x=[1.0, 3.0, 5.0, 7.0], y=[1.0] * 4)
    found = wasserstein(after, original=before)
    # All go one step; the mean deviation from the median 3 is 2.
    assert found["x"].value == pytest.approx(1 / 2)
    assert (found["y"].value, found[0].value) == (0, pytest.approx(1 / 4))
    assert headline(found) == found[0].value


@given(numbers, numbers)
def test_it_is_the_distance_of_scipy(one, other):
    before, after = of(x=one), of(x=other)
    deviation = np.abs(np.array(one) - np.median(one)).mean() or abs(one[0]) or 1.0
    assume(deviation > 1e-2)
    value = wasserstein(after, original=before)["x"].value
    assert value == pytest.approx(wasserstein_distance(one, other) / deviation, rel=1e-9, abs=1e-9)


def test_all_at_the_median_cost_one_and_more_counts_as_one():
    before = of(x=np.random.default_rng(1).lognormal(size=101), y=np.arange(101))
    median = of(x=np.full(101, np.median(before.floats("x"))), y=np.arange(101))
    assert wasserstein(median, original=before)["x"].value == pytest.approx(1)
    far = wasserstein(of(x=before.floats("x") + 1e6, y=np.arange(101)), original=before)
    assert far["x"].value > 1000 and far[0].value == headline(far) == 0.5


def test_the_unit_of_measurement_does_not_matter():
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=200), rng.normal(size=150)
    one = wasserstein(of(x=x[:150] + noise), original=of(x=x))[0].value
    other = wasserstein(of(x=1e200 * (x[:150] + noise)), original=of(x=1e200 * x))[0].value
    assert one == pytest.approx(other)


def test_swapping_costs_nothing_and_nested_noise_ever_more():
    rng = np.random.default_rng(1)
    release = of(x=rng.lognormal(size=2000))
    assert wasserstein(release.protect(RankSwap(columns="x", percent=5), seed=1), original=release)["x"].value == 0
    noise = rng.normal(size=2000)
    losses = [
        wasserstein(of(x=release.floats("x") + scale * noise), original=release)[0].value for scale in (0, 0.3, 1, 3)
    ]
    assert losses[0] == 0 and all(one < other for one, other in pairwise(losses))


def test_larger_groups_lose_more(reference_data):
    census = Release(pl.read_csv(reference_data / "census.csv"))
    columns = list(census.columns)
    losses = [
        wasserstein(census.protect(Mdav(columns=columns, k=k)), original=census)[0].value for k in (3, 10, 50, 300)
    ]
    assert losses[0] > 0 and losses[-1] < 1 and all(one < other for one, other in pairwise(losses))


def test_missing_values_and_constants():
    before, after = of(x=[1.0, None, 3.0], y=[5.0, 5.0, 5.0]), of(x=[None, 1.0, 3.0], y=[5.0, 5.0, 20.0])
    found = wasserstein(after, original=before)
    assert (found["x"].value, found["y"].value) == (0, pytest.approx(1))
    assert found["y"].facts["unit"] == "the constant value"
    zero = wasserstein(of(x=[0.0, 1.0]), original=of(x=[0.0, 0.0]))
    assert zero["x"].value == pytest.approx(0.5)
    with pytest.raises(TacitError, match="no column holds numbers"):
        wasserstein(of(x=["a"]), original=of(x=["b"]))
    with pytest.raises(TacitError, match="infinite number in row 2"):
        wasserstein(of(x=[1.0, np.inf]), original=of(x=[1.0, 2.0]))
