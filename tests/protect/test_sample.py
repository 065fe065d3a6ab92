import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import Sample

FRAME = pl.DataFrame({"zip": ["N1"] * 60 + ["N2"] * 30 + ["N3"] * 10, "w": [3] * 100, "home": np.arange(100) // 4})


def test_every_record_is_equally_likely():  # catalogue: E-09
    """500 draws of 20 from 100: a count is binomial(500, 0.2); 5.5 deviations are passed by chance in 4e-6 of cases."""
    release = Release(FRAME, quasi="zip")
    drawn = np.zeros(100)
    for seed in range(500):
        rows = release.protect(Sample(size=20), seed=seed).lineage
        assert len(set(rows.tolist())) == 20
        drawn[rows] += 1
    off = np.abs(drawn - 100) / np.sqrt(500 * 0.2 * 0.8)
    assert off.max() < 5.5
    assert 0.7 < off.std() / 0.6028 < 1.4  # a half-normal spread: neither a fixed quota nor a lopsided draw


@given(st.integers(1, 99), st.integers(0, 9))
def test_strata_are_drawn_in_proportion(percent, seed):  # catalogue: E-09
    release = Release(FRAME, quasi="zip", weight="w")
    masked = release.protect(Sample(fraction=percent / 100, columns="zip"), seed=seed)
    new = masked.to_native()
    assert new.height == percent
    for zip_, count in FRAME["zip"].value_counts().rows():
        here = new.filter(pl.col("zip") == zip_)
        assert abs(here.height - count * percent / 100) < 1
        if here.height:  # the weights of a stratum add up to what they were
            assert here["w"].sum() == pytest.approx(3 * count)
    assert new.drop("w").equals(FRAME.drop("w")[masked.lineage])
    assert masked.evidence["population"] == 100 and masked.evidence["fraction"] == percent / 100
    assert 3 / new["w"].to_numpy() == pytest.approx(masked.evidence["chance"])


def test_households_stay_whole():
    release = Release(FRAME, quasi="zip", household="home")
    masked = release.protect(Sample(fraction=0.4), seed=2)
    assert set(masked.to_native().group_by("home").len()["len"]) == {4}
    assert masked.release.size == 40
    assert masked.trace[0].as_json(public=True)["outcome"] == {"fraction": 0.4}
    with pytest.raises(TacitError, match="differ within households"):
        Release(FRAME.with_columns(x=pl.int_range(100)), household="home").protect(Sample(size=3, columns="x"), seed=1)


def test_a_stratum_may_go_empty_and_is_counted():
    masked = Release(FRAME, quasi="zip").protect(Sample(size=2, columns="zip"), seed=1)
    assert masked.trace[0].outcome["empty_strata"].value == 1
    assert not masked.trace[0].outcome["empty_strata"].publishable


def test_weighted_sums_are_those_of_horvitz_and_thompson():  # catalogue: E-09
    """600 stratified samples: the weighted total is unbiased within 4.5 standard errors, and its variance is
    Σ N²(1/n − 1/N) S² over the strata; a chi-square of 599 is within 0.75 … 1.28 of its mean but for 2e-5 of the runs.
    Weights left as they were, and a variance 1.3² off, are refused.
    """
    pay = np.random.default_rng(3).lognormal(3, 0.5, 100) * np.repeat([1, 3, 9], [60, 30, 10])
    release = Release(FRAME.with_columns(pay=pay, w=pl.lit(1.0)), quasi="zip", weight="w")
    runs = [release.protect(Sample(fraction=0.4, columns="zip"), seed=seed).to_native() for seed in range(600)]
    totals = np.array([(run["w"] * run["pay"]).sum() for run in runs])
    stated = 0.0
    for low, high in ((0, 60), (60, 90), (90, 100)):
        count, drawn = high - low, 0.4 * (high - low)
        stated += count**2 * (1 / drawn - 1 / count) * pay[low:high].var(ddof=1)
    assert abs(totals.mean() - pay.sum()) < 4.5 * np.sqrt(stated / 600)
    assert abs(np.mean([run["pay"].sum() for run in runs]) - pay.sum()) > 100 * np.sqrt(stated / 600)
    assert 0.75 < totals.var(ddof=1) / stated < 1.28
    assert not 0.75 < totals.var(ddof=1) / (stated / 1.69) < 1.28
    assert not 0.75 < totals.var(ddof=1) / (stated * 1.69) < 1.28


def test_continuous_columns_that_stay_exact_are_warned_of():  # catalogue: E-09
    frame = FRAME.with_columns(pay=pl.Series(np.linspace(1, 2, 100)), births=pl.Series([1] * 100), id=pl.int_range(100))
    release = Release(frame, quasi="zip", identifier="id", weight="w", household="home")
    outcome = release.protect(Sample(fraction=0.4), seed=1).trace[0].as_json(public=True)["outcome"]
    assert outcome["exact_columns"] == ["pay"]
    assert (
        "exact_columns"
        not in Release(FRAME, quasi="zip").select(["zip"]).protect(Sample(size=3), seed=1).trace[0].outcome
    )


def test_mistakes_are_answered():
    for wrong in ({}, {"size": 3, "fraction": 0.5}, {"fraction": 1.0}, {"fraction": 0}, {"size": 0}, {"fraction": "a"}):
        with pytest.raises(TacitError):
            Sample(**wrong)
    release = Release(FRAME, quasi="zip")
    with pytest.raises(TacitError, match="no seed"):
        release.protect(Sample(size=3))
    with pytest.raises(TacitError, match="above the 100 units"):
        release.protect(Sample(size=101), seed=1)
    with pytest.raises(TacitError, match="is none"):
        release.protect(Sample(fraction=0.001), seed=1)
    with pytest.raises(TacitError, match="zip"):
        release.protect(Sample(size=3, columns="zp"), seed=1)
