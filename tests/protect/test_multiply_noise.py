"""Multiplicative noise (catalogue: E-01)."""

import duckdb
import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.protect import MultiplyNoise

N = 100_000


def factors(**options):
    frame = pl.DataFrame({"x": np.full(N, 2.0) * np.where(np.arange(N) % 2, 1, -1), "y": np.linspace(1, 9, N)})
    new = Release(frame).protect(MultiplyNoise(columns=["x", "y"], **options), seed=5).to_native()
    return (new.to_numpy() / frame.to_numpy()).T


@pytest.mark.parametrize(
    ("options", "spread", "fourth"),
    [
        ({"spread": 0.2, "distribution": "normal"}, 0.2, 3.0),
        ({"spread": 0.2}, 0.2, 3.7),  # (w⁴ + 2w³ + 3w² − 3), w = 1 + 0.04
        ({"distribution": "bounded", "least": 0.1, "most": 0.3}, np.sqrt(0.13 / 3), 1.6),
    ],
)
def test_factors_have_mean_1_and_the_stated_spread_and_30_percent_more_is_rejected(options, spread, fourth):
    for e in factors(**options):
        assert abs(e.mean() - 1) < 5 * spread / np.sqrt(N)
        error = 5 * spread**2 * np.sqrt((fourth - 1) / N)
        assert abs(e.var() - spread**2) < error < abs(1.3 * e.var() - spread**2)
    one, other = factors(**options)
    assert abs(np.corrcoef(one, other)[0, 1]) < 5 / np.sqrt(N)


def test_bounded_factors_keep_away_from_1_on_both_sides_alike():
    e = np.abs(factors(distribution="bounded", least=0.05, most=0.15)[0] - 1)
    assert e.min() >= 0.05 - 1e-12
    assert e.max() <= 0.15 + 1e-12
    up = (factors(distribution="bounded", least=0.05, most=0.15)[0] > 1).mean()
    assert abs(up - 0.5) < 5 * 0.5 / np.sqrt(N)
    assert abs(e.mean() - 0.1) < 5 * 0.1 / np.sqrt(12 * N)


def test_lognormal_factors_keep_signs_and_zeros_are_counted():
    frame = pl.DataFrame({"x": [0.0, -5.0, 7.0, None] * 1000})
    done = Release(frame).protect(MultiplyNoise(columns="x", spread=0.9), seed=1)
    new = done.to_native()["x"]
    assert (new.sign() == frame["x"].sign()).all()
    assert new.null_count() == 1000
    assert done.trace[0].outcome["zeros"].value == {"x": 1000}


def test_one_factor_for_a_record_keeps_ratios_and_totals():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.lognormal(size=500), "b": rng.lognormal(size=500)})
    frame = frame.with_columns(sum=pl.col("a") + pl.col("b"))
    columns = ["a", "b", "sum"]
    new = Release(frame).protect(MultiplyNoise(columns=columns, spread=0.3, together=True), seed=1).to_native()
    assert np.allclose(new["a"] + new["b"], new["sum"], rtol=1e-12)
    assert np.allclose(new["a"] / new["b"], frame["a"] / frame["b"], rtol=1e-12)
    method = MultiplyNoise(columns=["a", "b"], spread=0.3, totals={"sum": ["a", "b"]})
    apart = Release(frame).protect(method, seed=1).to_native()
    assert (apart["a"] + apart["b"] == apart["sum"]).all()
    assert not np.allclose(apart["a"] / apart["b"], frame["a"] / frame["b"], rtol=1e-3)


@pytest.mark.parametrize(
    "options", [{"spread": 0.2}, {"distribution": "bounded", "least": 0.1, "most": 0.2, "bounds": {"n": [0, 200]}}]
)
def test_rows_come_out_the_same_on_duckdb(options):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"n": rng.integers(0, 200, 100_000), "x": rng.normal(size=100_000)})
    method = MultiplyNoise(columns=["n", "x"], **options)
    here = Release(frame).protect(method, seed=4)
    assert here.to_native().equals(Release(duckdb.sql("SELECT * FROM frame")).protect(method, seed=4).to_native().pl())
    assert here.to_native().schema == frame.schema


def test_households_get_one_factor():
    frame = pl.DataFrame({"home": np.arange(300) // 3, "rent": np.arange(300) // 3 * 10.0 + 1, "pay": np.arange(300.0)})
    new = (
        Release(frame, household="home").protect(MultiplyNoise(columns=["rent", "pay"], spread=0.1), seed=1).to_native()
    )
    assert new.group_by("home").agg(pl.col("rent").n_unique())["rent"].max() == 1
    assert (new["rent"] != frame["rent"]).all()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"spread": 0},
        {"spread": -1},
        {"spread": float("inf")},
        {"spread": float("nan")},
        {"spread": "1"},
        {"spread": {"y": 0.1}},
        {"spread": 0.1, "distribution": "cauchy"},
        {"spread": 0.1, "least": 0.1},
        {"distribution": "bounded"},
        {"distribution": "bounded", "least": 0.2, "most": 0.1},
        {"distribution": "bounded", "least": 0.2, "most": 1.0},
        {"distribution": "bounded", "least": 0.1, "most": 0.2, "spread": 1},
        {"spread": {"x": 0.1}, "together": True},
        {"spread": 0.1, "together": 1},
        {"spread": 0.1, "bounds": {"y": [0, 1]}},
    ],
)
def test_parameters_are_checked(options):
    with pytest.raises(TacitError):
        MultiplyNoise(columns="x", **options)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (["a", "b"], "holds text"),
        (pl.Series(["2020-01-01", "2020-01-02"]).str.to_date(), "holds date"),
        ([1.0, 1e200], "beyond"),
        ([2**53 - 1] * 40, "beyond"),
        ([1, 2], "an amount or a code"),
    ],
)
def test_odd_columns_are_answered(column, text):
    kinds = {"x": "continuous"} if text == "beyond" else {}
    release = Release(pl.DataFrame({"x": column}), kinds=kinds)
    with pytest.raises(TacitError, match=text) as caught:
        release.protect(MultiplyNoise(columns="x", spread=0.5), seed=1)
    assert caught.value.column == "x"
