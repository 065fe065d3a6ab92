"""Rotation (catalogue: E-01): exact moments, and how far records move."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import Rotate


def rotated(values, strength, seed=1, **options):
    frame = pl.DataFrame(values, schema=[f"x{i}" for i in range(values.shape[1])])
    done = Release(frame).protect(Rotate(columns=frame.columns, strength=strength, **options), seed=seed)
    return done.to_native().to_numpy()


@given(st.integers(3, 150), st.integers(1, 4), st.floats(0.01, 1), st.integers(0, 10**6))
def test_means_and_covariances_are_kept_exactly(n, width, strength, seed):
    rng = np.random.default_rng(seed)
    old = rng.lognormal(0, 2, (n, width)) * 10.0 ** rng.integers(-3, 6, width) + rng.normal(size=width)
    new = rotated(old, strength, seed)
    assert np.allclose(new.mean(axis=0), old.mean(axis=0), rtol=1e-9)
    scale = np.sqrt(np.outer(old.var(axis=0), old.var(axis=0)))
    assert (np.abs(np.cov(new.T) - np.cov(old.T)) <= 1e-9 * scale).all()
    assert not np.array_equal(new, old)


def test_a_full_rotation_leaves_nothing_but_the_share_of_the_block():
    """At strength 1, T is uniform: of a record's own deviation E(T_ii) = 1/32 is left."""
    old = np.random.default_rng(2).standard_normal((64_000, 2))
    left = np.corrcoef(old[:, 0], rotated(old, 1)[:, 0])[0, 1]
    error = 5 / np.sqrt(64_000)
    assert abs(left - 1 / 32) < error < abs(left - 1.3 / 32) + error
    assert abs(np.corrcoef(old[:, 0], rotated(old, 1)[:, 1])[0, 1]) < error


def test_strength_is_monotone():
    old = np.random.default_rng(2).standard_normal((20_000, 2))
    left = [np.corrcoef(old[:, 0], rotated(old, s)[:, 0])[0, 1] for s in (0.01, 0.1, 0.2, 0.3, 0.5, 0.7, 0.85, 1)]
    assert left[0] > 0.999
    assert (np.diff(left) < 0).all()


def test_a_rotation_mixes_people_and_is_not_a_map_of_the_values():
    old = np.repeat(np.arange(50.0), 40)[:, None]
    new = rotated(old, 0.3)
    assert len(np.unique(new.round(9))) == len(new)


def test_moments_are_kept_in_every_stratum_and_relations_stay():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"a": rng.normal(size=700), "b": rng.lognormal(size=700), "s": rng.integers(0, 3, 700)})
    frame = frame.with_columns(sum=pl.col("a") + pl.col("b") + 1, s=pl.when(pl.col("s") > 0).then("s"))
    new = Release(frame).protect(Rotate(columns=["a", "b", "sum"], strength=0.5, strata="s"), seed=1).to_native()
    for chosen in (pl.col("s") == 1, pl.col("s").is_null()):
        one, other = (part.filter(chosen).select("a", "b").to_numpy() for part in (frame, new))
        assert np.allclose(np.cov(one.T), np.cov(other.T), rtol=1e-9)
        assert np.allclose(one.mean(axis=0), other.mean(axis=0), rtol=1e-9)
    assert np.allclose(new["a"] + new["b"] + 1, new["sum"], atol=1e-9)


def test_missing_values_small_strata_whole_numbers_and_households():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"n": rng.integers(0, 1000, 300), "x": rng.normal(size=300), "s": [1] * 298 + [2] * 2})
    frame = frame.with_columns(x=pl.when(pl.int_range(300) > 9).then("x"))
    done = Release(frame).protect(Rotate(columns=["n", "x"], strength=0.5, strata="s"), seed=1)
    new = done.to_native()
    assert new.schema == frame.schema
    assert new[:10].equals(frame[:10])
    assert new[298:].equals(frame[298:])
    assert (new[10:298]["x"] != frame[10:298]["x"]).all()
    assert abs(new["n"].mean() - frame["n"].mean()) < 0.1
    assert done.trace[0].outcome["left_out"].value == 12
    homes = pl.DataFrame({"home": np.arange(300) // 3, "rent": np.arange(300) // 3 * 10.0})
    kept = Release(homes, household="home").protect(Rotate(columns="rent", strength=0.5), seed=1).to_native()
    assert kept.group_by("home").agg(pl.col("rent").n_unique())["rent"].max() == 1


@pytest.mark.parametrize("strength", [0, -1, 1.1, float("nan"), float("inf"), "1", None, True])
def test_the_strength_is_checked(strength):
    with pytest.raises(TacitError, match="strength"):
        Rotate(columns="x", strength=strength)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (["a", "b", "c"], "holds text"),
        ([1.0, 2.0], "fewer than 3"),
        (pl.Series([None] * 5, dtype=pl.Float64), "fewer than 3"),
        ([1.0, 2.0, 1e200], "beyond"),
        ([1, 2, 3], "an amount or a code"),
    ],
)
def test_odd_columns_are_answered(column, text):
    with pytest.raises(TacitError, match=text):
        Release(pl.DataFrame({"x": column})).protect(Rotate(columns="x", strength=0.5), seed=1)
