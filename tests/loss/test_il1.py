import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.loss import il1
from tacit.protect import Mdav, Pipeline, Shuffle

TOLD = {3: (1430593.675, 1607.939909), 5: (2129808.276, 2052.653619), 10: (2809349.741, 2573.933734)}
"""IL1 and IL1s as sdcMicro 5.8.1 gives them: Census, 13 columns, MDAV by groups of k."""


@pytest.mark.parametrize("k", TOLD)
def test_census_is_as_sdcmicro_has_it(reference_data, k):  # catalogue: F-01
    frame = pl.read_csv(reference_data / "census.csv")
    release = Release(frame)
    whole = il1(release.protect(Mdav(columns=frame.columns, k=k)), original=release)[0]
    assert f"{whole.facts['IL1 sum']:.3f}" == f"{TOLD[k][0]:.3f}"
    assert f"{whole.facts['IL1s sum']:.6f}" == f"{TOLD[k][1]:.6f}"
    assert whole.facts["cells"] == 1080 * 13
    assert whole.facts["cells without an IL1"] == 0
    assert whole.value == pytest.approx(TOLD[k][1] / (1080 * 13))


def test_by_hand():
    before = Release(pl.DataFrame({"x": [0.0, 2.0, 4.0], "y": [1.0, -2.0, None], "c": [1.0, 1.0, 1.0]}))
    after = Release(pl.DataFrame({"x": [1.0, 2.0, 1.0], "y": [2.0, -2.0, 7.0], "c": [1.0, 2.0, 1.0]}))
    found = il1(after, original=before)
    x, y = 4 / (np.sqrt(2) * 2), 1 / (np.sqrt(2) * np.sqrt(4.5))
    assert found["x"].value == pytest.approx(x / 3)
    assert found["y"].value == pytest.approx(y / 2)
    assert found[0].value == pytest.approx((x + y) / 5)
    assert found["x"].facts["IL1 sum"] == pytest.approx(75)
    assert found["y"].facts["IL1 sum"] == pytest.approx(100)
    assert found[0].facts["IL1s sum"] == pytest.approx(x + y)
    assert found[0].facts["cells"] == 5
    assert found[0].facts["cells without an IL1"] == 1


@given(st.floats(0, 100))
def test_it_grows_as_the_noise_does(times):
    rng = np.random.default_rng(1)
    values, noise = rng.normal(size=(2, 50))
    before, once, more = (Release(pl.DataFrame({"x": values + t * noise})) for t in (0, 1, times))
    assert il1(more, original=before)[0].value == pytest.approx(times * il1(once, original=before)[0].value, abs=1e-9)


def test_values_exchanged_at_random_cost_four_fifths():
    """E|X − Y| = 2σ/√π for normal X and Y, so that IL1s is √(2/π) = 0.798; 20,000 records, 5 standard errors."""
    values = np.random.default_rng(1).normal(size=20_000)
    before, after = Release(pl.DataFrame({"x": values})), Release(pl.DataFrame({"x": np.roll(values, 1)}))
    assert il1(after, original=before)[0].value == pytest.approx(np.sqrt(2 / np.pi), abs=0.03)


def test_records_are_paired_by_lineage():
    values = np.random.default_rng(1).normal(size=50)
    release = Release(pl.DataFrame({"x": values}))
    masked = release.protect(Pipeline(steps=[Mdav(columns="x", k=5), Shuffle()]), seed=1)
    plain = release.protect(Mdav(columns="x", k=5))
    assert il1(masked, original=release)[0].value == pytest.approx(il1(plain, original=release)[0].value)


def test_nothing_left_to_compare():
    before = Release(pl.DataFrame({"x": [1.0, 2.0, None]}))
    after = Release(pl.DataFrame({"x": [None, None, 3.0]}))
    with pytest.raises(TacitError, match="no number has one in the other file"):
        il1(after, original=before)
