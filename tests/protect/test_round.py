"""Rounding against its law: multiples of the base, unbiased at random, in the type of the column, on every engine."""

from datetime import UTC, date, datetime

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import Round

N = 200_000


def rounded(frame, seed=None, **how):
    return Release(frame, kinds={"x": "continuous"} if frame["x"].dtype.is_integer() else None).protect(
        Round(columns="x", **how), seed=seed
    ).release.series("x")  # fmt: skip


@given(st.lists(st.none() | st.floats(-1e6, 1e6), min_size=1, max_size=30), st.sampled_from([0.1, 0.25, 2.5, 3, 50]))
def test_the_nearest_multiple_is_off_by_half_a_base_at_most(values, base):  # catalogue: E-06
    frame = pl.DataFrame({"x": values}, schema={"x": pl.Float64})
    for form, most in (("nearest", base / 2), ("random", base)):
        new = rounded(frame, seed=1, base=base, form=form)
        for old, one in zip(values, new, strict=True):
            assert (old is None) == (one is None)
            if old is not None:
                assert abs(one - old) <= most * (1 + 1e-9) + 1e-9 and abs(one / base - round(one / base)) < 1e-6


def test_multiples_of_a_tenth_are_written_as_such():
    frame = pl.DataFrame({"x": [0.31, 0.74, 1.149]})
    assert rounded(frame, base=0.1).to_list() == [0.3, 0.7, 1.1]


def test_random_rounding_is_unbiased_with_the_stated_variance():  # catalogue: E-06
    """200 000 records each of x = 12 and 19 to base 10: goes up in 20 and 90 %, within 5 standard errors; a chance 30 %
    off is 40 or more away."""
    for x, chance in ((12, 0.2), (19, 0.9)):
        new = rounded(pl.DataFrame({"x": np.full(N, x)}), seed=3, base=10, form="random")
        assert set(new) == {10, 20} and new.dtype == pl.Int64
        error = np.sqrt(chance * (1 - chance) / N)
        up = (new == 20).mean()
        assert abs(up - chance) < 5 * error and abs(up - chance * 0.7) > 40 * error
        assert new.mean() == pytest.approx(x, abs=50 * error)
        assert new.var() == pytest.approx((x - 10) * (20 - x), rel=0.05)


def test_dates_are_rounded_to_days_and_periods():
    frame = pl.DataFrame({"x": [date(1962, 1, 24), date(1962, 1, 3), None, date(1999, 12, 31)]})
    new = rounded(frame, base="month").to_list()
    assert new == [date(1962, 2, 1), date(1962, 1, 1), None, date(2000, 1, 1)]
    assert rounded(frame, base="year").to_list() == [date(1962, 1, 1), date(1962, 1, 1), None, date(2000, 1, 1)]
    assert all(day is None or day.weekday() == 0 for day in rounded(frame, base="week"))
    assert all(day is None or (day - date(1970, 1, 1)).days % 7 == 0 for day in rounded(frame, base=7))
    moments = pl.DataFrame({"x": [datetime(2024, 5, 17, 13, 40, 1, tzinfo=UTC), None]})
    assert rounded(moments, base=3600).to_list() == [datetime(2024, 5, 17, 14, tzinfo=UTC), None]
    assert rounded(moments, base="quarter").to_list() == [datetime(2024, 7, 1, tzinfo=UTC), None]


def test_months_at_random_keep_the_mean():
    """The 10th of a month of 30 days goes up in 30 % of 200 000 records, within 5 standard errors; not in 39 %."""
    new = rounded(pl.DataFrame({"x": [date(2024, 4, 10)] * N}), seed=2, base="month", form="random")
    up = (new == date(2024, 5, 1)).mean()
    assert abs(up - 0.3) < 5 * np.sqrt(0.21 / N) < abs(up - 0.39)


def test_totals_stay_sums_and_bounds_hold():
    frame = pl.DataFrame({"a": [13, 48], "b": [21, 55], "all": [34, 103]})
    release = Release(frame, kinds={"a": "continuous", "b": "continuous"})
    new = release.protect(Round(columns=["a", "b"], base={"a": 10, "b": 50}, totals={"all": ["a", "b"]})).to_native()
    assert new.rows() == [(10, 0, 10), (50, 50, 100)]
    new = release.protect(Round(columns="b", base=50, bounds={"b": [10, 60]})).to_native()
    assert new["b"].to_list() == [10, 50]


def test_every_engine_gives_the_same_values():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "x": pl.Series(rng.normal(0, 1000, 150_000)).set(pl.Series(rng.random(150_000) < 0.1), None),
            "k": rng.integers(-500, 500, 150_000),
            "d": pl.Series(rng.integers(0, 20_000, 150_000)).cast(pl.Date),
        }
    )
    method = Round(columns=["x", "k", "d"], base={"x": 7.5, "k": 25, "d": "month"}, form="random")
    whole = Release(frame).protect(method, seed=5).release
    lazy = Release(duckdb.from_arrow(frame.to_arrow())).protect(method, seed=5).release
    for column in frame.columns:
        assert whole.series(column).dtype == frame[column].dtype
        assert whole.series(column).to_list() == lazy.series(column).to_list()


def test_households_are_rounded_as_one():
    home = np.arange(6000) // 3
    frame = pl.DataFrame({"home": home, "rent": home % 17 + 0.5})
    new = Release(frame, household="home").protect(Round(columns="rent", base=5, form="random"), seed=1).to_native()
    assert new.group_by("home").agg(pl.col("rent").n_unique())["rent"].max() == 1
    assert new["rent"].mean() == pytest.approx(frame["rent"].mean(), abs=5 * 2.5 / np.sqrt(2000))


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"base": 0}, "base=0"),
        ({"base": "day"}, "base='day'"),
        ({"base": {"y": 3}}, "has no base"),
        ({"base": {"x": 3, "y": 3}}, "not among the columns"),
        ({"base": True}, "base=True"),
        ({"base": 5, "form": "up"}, "form='up'"),
        ({"base": 2.5}, "no multiples of 2.5"),
        ({"base": "month"}, "no dates"),
        ({"base": 5, "form": "random"}, "no seed"),
        ({"base": 5, "bounds": {"z": [1, 2]}}, "'z'"),
    ],
)
def test_mistakes_are_answered(how, text):
    with pytest.raises(TacitError) as caught:
        rounded(pl.DataFrame({"x": [4242, 3]}), **how)
    assert text in str(caught.value) and "fix:" in str(caught.value) and "4242" not in str(caught.value)


def test_columns_that_are_no_amounts_are_refused():
    with pytest.raises(TacitError, match="holds text"):
        rounded(pl.DataFrame({"x": ["a"]}), base=5)
