"""Resampling against the exact law of the order statistics of a bootstrap sample."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from scipy.stats import beta

from tacit import Release, TacitError
from tacit.protect import Resample

VALUES = np.random.default_rng(8).lognormal(3, 1, 40)


def resampled(values, seed=1, **how):
    return Release(pl.DataFrame({"x": values})).protect(Resample(columns="x", **how), seed=seed).release.series("x")


def law(values):
    """Mean and variance of each order statistic of a sample with replacement: x_(j) with these probabilities."""
    ranked, n = np.sort(values), len(values)
    edges = np.arange(n + 1) / n
    chance = np.diff([beta.cdf(edges, i, n - i + 1) for i in range(1, n + 1)], axis=1)
    mean = chance @ ranked
    return mean, chance @ ranked**2 - mean**2


@pytest.mark.parametrize("draws", [1, 4])
def test_each_rank_follows_the_law_of_its_order_statistic(draws):  # catalogue: E-06
    """500 files: each of 40 means within 5 standard errors, and the mean of (x' − E)²/var over ranks within 10 %,
    where a variance 30 % off is refused."""
    order = np.argsort(VALUES)
    made = np.array([resampled(VALUES, seed=seed, draws=draws).to_numpy()[order] for seed in range(500)])
    mean, variance = law(VALUES)
    variance = variance / draws
    assert (np.abs(made.mean(axis=0) - mean) < 5 * np.sqrt(variance / 500)).all()
    spread = ((made - mean) ** 2 / variance).mean()
    assert 0.9 < spread < 1.1
    assert not 0.9 < spread / 1.3 < 1.1
    assert not 0.9 < spread * 1.3 < 1.1


def test_ranks_are_kept_and_the_mean_in_expectation():  # catalogue: E-06
    rng = np.random.default_rng(2)
    values = rng.lognormal(3, 1, 100_000)
    new = resampled(values, draws=3).to_numpy()
    order = np.argsort(values)
    assert (np.diff(new[order]) >= 0).all()
    assert abs(new.mean() - values.mean()) < 5 * values.std() / np.sqrt(3 * len(values))
    assert new.max() <= values.max() and new.min() >= values.min()
    assert (new != values).mean() > 0.9


def test_strata_missing_values_types_and_households():
    frame = pl.DataFrame(
        {
            "home": np.arange(900) // 3,
            "s": ["a", "a", "b"] * 300,
            "x": pl.Series(np.arange(900) % 100).set(pl.Series(np.arange(900) % 10 == 0), None),
            "rent": (np.arange(900) // 3).astype(float),
            "born": pl.Series(np.arange(900) * 10).cast(pl.Date),
        }
    )
    release = Release(frame.with_columns(x=pl.col("x") + 1000 * (pl.col("s") == "b")), household="home")
    masked = release.protect(Resample(columns=["x", "born"], draws=2, strata="s"), seed=3)
    new = masked.to_native()
    assert (new["x"].is_null() == frame["x"].is_null()).all() and new.schema == release.to_native().schema
    assert new.filter(pl.col("s") == "b")["x"].min() >= 1000 > new.filter(pl.col("s") == "a")["x"].max()
    assert new["born"].min() >= date(1970, 1, 1)
    assert masked.trace[0].outcome["smallest"].value == {"x": 270, "born": 300}
    rent = release.protect(Resample(columns="rent", draws=2), seed=3).to_native()
    assert rent.group_by("home").agg(pl.col("rent").n_unique())["rent"].max() == 1
    with pytest.raises(TacitError, match="differ within households"):
        release.protect(Resample(columns="rent", draws=2, strata="s"), seed=3)


def test_equal_values_do_not_follow_the_order_of_the_file():
    values = np.concatenate([np.zeros(500), np.arange(1, 11)])
    firsts = [resampled(values, seed=seed, draws=1).to_numpy() for seed in range(40)]
    late = sum((one[250:500] > 0).sum() for one in firsts)
    early = sum((one[:250] > 0).sum() for one in firsts)
    assert early + late > 20 and abs(early - late) < 5 * np.sqrt(early + late)


def test_totals_and_bounds():
    frame = pl.DataFrame({"a": [1.0, 2.0, 9.0], "b": [5.0, 5.0, 6.0], "all": [6.0, 7.0, 15.0]})
    method = Resample(columns=["a", "b"], draws=2, totals={"all": ["a", "b"]}, bounds={"a": [1, 9]})
    masked = Release(frame).protect(method, seed=1)
    new = masked.to_native()
    assert new["all"].to_list() == (new["a"] + new["b"]).to_list() and new["a"].is_between(1, 9).all()
    assert masked.trace[0].outcome["at_bounds"].value["a"] == new["a"].is_in([1.0, 9.0]).sum()


def test_mistakes_are_answered():
    for wrong in ({"draws": 0}, {"draws": 1.5}, {"draws": 2, "strata": "x"}):
        with pytest.raises(TacitError):
            Resample(columns="x", **wrong)
    with pytest.raises(TacitError, match="holds text"):
        resampled(["a", "b", "c"], draws=1)
    with pytest.raises(TacitError, match="2 values to draw from"):
        resampled([1.5, None, 3.5], draws=1)
    with pytest.raises(TacitError, match="no seed"):
        resampled([1.5, 2.5, 3.5], seed=None, draws=1)
