import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.loss import moments
from tacit.protect import RankSwap, SuppressRecords


def changes(before, after, **described):
    results = moments(Release(after), original=Release(before, **described))
    return {(part.name, part.column): part.value for part in results}


def test_by_hand():  # catalogue: F-01
    before = pl.DataFrame({"x": [0.0, 2.0, 4.0, 6.0], "y": [1.0, 2.0, 3.0, 4.0]})
    after = pl.DataFrame({"x": [1.0, 1.0, 5.0, 9.0], "y": [4.0, 3.0, 2.0, 1.0]})
    found = changes(before, after)
    assert found["mean shift", "x"] == pytest.approx(1 / np.sqrt(5))  # 3 → 4, variance 5
    assert found["variance change", "x"] == pytest.approx(11 / 5 - 1)
    assert found["mean shift", "y"] == found["variance change", "y"] == 0
    old, new = np.corrcoef([0, 2, 4, 6], [1, 2, 3, 4])[0, 1], np.corrcoef([1, 1, 5, 9], [4, 3, 2, 1])[0, 1]
    assert found["correlations", None] == pytest.approx(abs(new - old))


@given(st.integers(0, 10**6))
def test_correlations_are_over_the_records_that_have_both(seed):
    rng = np.random.default_rng(seed)
    frames = [pl.DataFrame(rng.normal(size=(25, 3)), schema=["a", "b", "c"]) for _ in range(2)]
    holes = rng.random((25, 3)) < 0.2
    frames = [
        f.with_columns(pl.when(~pl.Series(holes[:, j])).then(c).alias(c) for j, c in enumerate("abc")) for f in frames
    ]

    def correlation(frame, one, other):
        both = frame.drop_nulls([one, other])
        return np.corrcoef(both[one], both[other])[0, 1]

    expected = [abs(correlation(frames[1], *p) - correlation(frames[0], *p)) for p in ("ab", "ac", "bc")]
    assert changes(*frames)["correlations", None] == pytest.approx(np.mean(expected))


def test_rank_swapping_keeps_means_and_variances_but_not_correlations():
    x = np.random.default_rng(1).normal(size=300)
    release = Release(pl.DataFrame({"x": x, "y": x}))
    results = moments(release.protect(RankSwap(columns="x", percent=30), seed=1), original=release)
    assert [part.value for part in results.of("x")] == [0, 0]
    assert results["correlations"].value > 0.01


def test_constants_and_empty_columns():
    before = pl.DataFrame({"flat": [2.0, 2.0], "zero": [0.0, 0.0], "gone": [1.0, 3.0], "inf": [1.0, float("inf")]})
    after = pl.DataFrame({"flat": [2.0, 4.0], "zero": [0.0, 0.0], "gone": [None, None], "inf": [1.0, 2.0]})
    found = changes(before, after.with_columns(pl.col("gone").cast(pl.Float64)))
    assert found == {
        ("mean shift", "flat"): 0.5,
        ("variance change", "flat"): 0.25,
        ("mean shift", "zero"): 0.0,
        ("variance change", "zero"): 0.0,
    }


def test_ids_and_codes_are_no_amounts():
    before = pl.DataFrame({"hh": [1, 2, 3], "sex": [1, 2, 1], "id": [7, 8, 9], "x": [1.5, 2.5, 3.5]})
    found = changes(before, before, household="hh", identifier="id", kinds={"sex": "nominal"})
    assert {column for _, column in found} == {"x"}
    with pytest.raises(TacitError, match="no column holds numbers in both files"):
        changes(before.select("id"), before.select("id"), identifier="id")


def test_engines_agree():
    rng = np.random.default_rng(2)
    before = pl.DataFrame({"x": rng.normal(size=500), "y": rng.integers(0, 99, 500), "q": rng.integers(0, 200, 500)})
    releases = [Release(door(before), quasi="q") for door in (lambda f: f, lambda f: duckdb.from_arrow(f.to_arrow()))]
    here, there = (moments(r.protect(SuppressRecords(k=3)), original=r) for r in releases)
    assert [part.value for part in there] == pytest.approx([part.value for part in here], rel=1e-9)
    assert here.of("mean shift").worst.value > 0
