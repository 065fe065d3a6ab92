from datetime import UTC, date, datetime

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import TopBottomCode
from tacit.protect._cut_points import round_number

DOORS = [lambda frame: frame, lambda frame: duckdb.from_arrow(frame.to_arrow())]


def coded(frame, door=DOORS[0], **how):
    masked = Release(door(frame)).protect(TopBottomCode(column="x", **how))
    return masked.release.series("x"), masked.trace[0].outcome["coded"].value


@pytest.mark.parametrize("door", DOORS)
def test_values_beyond_the_bounds_become_the_bounds(door):  # catalogue: E-11
    series, counts = coded(pl.DataFrame({"x": [5, 90, 91, None, 120, 17]}), door, top=90, bottom=18)
    assert series.to_list() == [18, 90, 90, None, 90, 18]
    assert series.dtype == pl.Int64
    assert counts == {"top": 2, "bottom": 2}


@pytest.mark.parametrize("door", DOORS)
def test_or_the_mean_of_the_coded_values(door):  # catalogue: E-11
    frame = pl.DataFrame({"x": [5, 7, 6, 50, None, 100, 130, 115]})
    series, _ = coded(frame, door, top=60, bottom=10, replace="mean")
    assert series.to_list() == [6.0, 6.0, 6.0, 50.0, None, 115.0, 115.0, 115.0]
    assert series.sum() == frame["x"].sum()


@pytest.mark.parametrize("door", DOORS)
def test_dates_are_coded_at_dates(door):
    series, _ = coded(pl.DataFrame({"x": [date(1901, 5, 1), None, date(1980, 1, 1)]}), door, bottom="1930-01-01")
    assert series.to_list() == [date(1930, 1, 1), None, date(1980, 1, 1)]
    moments = pl.DataFrame({"x": [datetime(2020, 1, 1, 7), datetime(2024, 1, 1)]})
    series, _ = coded(moments, door, top="2021-01-01")
    assert series.to_list() == [datetime(2020, 1, 1, 7), datetime(2021, 1, 1)]


def test_moments_with_a_time_zone():
    frame = pl.DataFrame({"x": [datetime(2020, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)]})
    series, _ = coded(frame, top="2021-01-01")
    assert series.to_list() == [datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)]


@given(st.lists(st.none() | st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_nothing_lies_beyond_and_the_rest_is_kept(values):
    series, _ = coded(pl.DataFrame({"x": values}, schema={"x": pl.Float64}), top=10, bottom=-10)
    assert series.to_list() == [None if v is None else min(10.0, max(-10.0, v)) for v in values]


def test_a_bound_may_be_given_as_a_date_and_the_method_stays_plain():
    assert TopBottomCode(column="x", top=date(2000, 1, 1)) == TopBottomCode(column="x", top="2000-01-01")


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({}, "at no bound"),
        ({"top": 1, "replace": "median"}, "replace='median'"),
        ({"top": True}, "top=True"),
        ({"top": float("nan")}, "top=nan"),
        ({"top": 1, "bottom": 2}, "not below"),
        ({"top": 1, "bottom": 1}, "not below"),
        ({"top": "1990-01-01"}, "holds numbers"),
        ({"top": 1.5}, "holds whole numbers"),
        ({"top": 41, "replace": "mean"}, "1 records beyond"),
    ],
)
def test_mistakes_are_answered(how, text):
    with pytest.raises(TacitError) as caught:
        coded(pl.DataFrame({"x": [4242, 3, 1]}), **how)
    assert text in str(caught.value) and "fix:" in str(caught.value)
    assert "4242" not in str(caught.value)


def test_columns_without_order_and_dates_without_sense_are_refused():
    with pytest.raises(TacitError, match="holds text"):
        coded(pl.DataFrame({"x": ["a"]}), top=3)
    with pytest.raises(TacitError, match="no date"):
        coded(pl.DataFrame({"x": [date(2000, 1, 1)]}), top="soon")
    with pytest.raises(TacitError, match="holds date"):
        coded(pl.DataFrame({"x": [date(2000, 1, 1)]}), top=3)
    with pytest.raises(TacitError, match="holds dates"):
        coded(pl.DataFrame({"x": [date(2000, 1, 1)]}), top="1990-01-01", replace="mean")
    with pytest.raises(TacitError, match="infinite"):
        coded(pl.DataFrame({"x": [float("inf"), 9.0, 8.0, 1.0]}), top=3, replace="mean")


def test_a_value_at_the_bound_is_not_beyond_it():
    series, counts = coded(pl.DataFrame({"x": [1, 5, 10, 20]}), top=10, bottom=5)
    assert series.to_list() == [5, 5, 10, 10]
    assert counts == {"top": 1, "bottom": 1}


@pytest.mark.parametrize(("values", "allowed"), [([9.0, 8.0, 1.0], False), ([9.0, 8.0, 7.0, 1.0], True)])
def test_a_mean_of_two_records_tells_each_the_value_of_the_other(values, allowed):
    frame = pl.DataFrame({"x": values})
    if allowed:
        assert coded(frame, top=3, replace="mean")[0].to_list() == [8.0, 8.0, 8.0, 1.0]
        return
    with pytest.raises(TacitError, match="2 records beyond"):
        coded(frame, top=3, replace="mean")


def test_a_bound_beyond_the_type_is_refused():
    with pytest.raises(TacitError, match="fix:"):
        coded(pl.DataFrame({"x": [1, 2]}), top=1e30)


@pytest.mark.parametrize("door", DOORS)
def test_a_share_finds_a_round_bound_with_about_that_many_records_beyond(door):  # catalogue: E-11
    values = np.random.default_rng(1).lognormal(10, 1, 5000)
    series, counts = coded(pl.DataFrame({"x": values}), door, top_share=0.02, bottom_share=0.05)
    top, bottom = series.max(), series.min()
    assert counts == {"top": int((values > top).sum()), "bottom": int((values < bottom).sum())}
    assert 90 <= counts["top"] <= 110 and 225 <= counts["bottom"] <= 275
    assert not {top, bottom} & set(values.tolist())
    assert all(len(f"{bound:g}".rstrip("0")) <= 3 for bound in (top, bottom))
    masked = Release(pl.DataFrame({"x": values})).protect(TopBottomCode(column="x", top_share=0.02))
    assert masked.trace[0].as_json(public=True)["outcome"]["bounds"] == {"top": top}


def test_the_mean_of_the_found_tail_keeps_the_total():
    values = np.random.default_rng(2).integers(0, 10_000, 3000)
    series, counts = coded(pl.DataFrame({"x": values}), top_share=0.01, replace="mean")
    assert series.sum() == pytest.approx(values.sum(), rel=1e-12)
    assert (series == series.max()).sum() == counts["top"]


def test_shares_of_dates_and_whole_numbers():
    days = pl.Series("x", np.random.default_rng(3).integers(-20_000, 10_000, 4000)).cast(pl.Date)
    series, counts = coded(days.to_frame(), bottom_share=0.05)
    bound = series.min()
    assert bound.day == 1 and 180 <= counts["bottom"] <= 220 and counts["bottom"] == (days < bound).sum()
    ages = pl.DataFrame({"x": np.repeat(np.arange(100), 30)})
    series, counts = coded(ages, top_share=0.05)
    assert series.dtype == pl.Int64 and 120 <= counts["top"] <= 180


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"top_share": 0.9}, "top_share=0.9"),
        ({"top_share": 0}, "top_share=0"),
        ({"bottom_share": "a"}, "bottom_share='a'"),
        ({"top_share": 0.1, "top": 3}, "top and top_share"),
        ({"top_share": 0.01}, "fewer than 10 records"),
        ({"top_share": 0.5, "bottom_share": 0.5}, "fix:"),
    ],
)
def test_shares_are_checked(how, text):
    with pytest.raises(TacitError) as caught:
        coded(pl.DataFrame({"x": [4242, *range(99)]}), **how)
    assert text in str(caught.value) and "4242" not in str(caught.value)


@given(st.floats(-1e9, 1e9), st.floats(0, 1e6))
def test_a_round_number_lies_between_and_none_is_rounder(low, wide):
    high = low + wide
    found = round_number(low, high)
    assert low <= found <= high
    digits = len(np.format_float_positional(abs(found), trim="-").replace(".", "").strip("0"))
    for power in range(-3, 12):
        one = round((low / 2 + high / 2) / 10.0**power) * 10.0**power
        if wide and low <= one <= high:  # multiples of a power of ten have no fewer digits than the one found, or five
            assert digits <= len(str(abs(round(one / 10.0**power)))) + 1
