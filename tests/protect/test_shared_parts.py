"""What the masking methods share: numbers and back, totals, units, parameters by column."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import AddNoise, RankSwap, SemanticSwap
from tacit.protect._bounds import at_bounds, check_bounds, checked_bounds
from tacit.protect._numbers import as_numbers, checked_numeric, from_numbers, masked_dtypes, numeric_matrix
from tacit.protect._totals import check_totals, checked_totals, with_totals
from tacit.protect._units import masking_units
from tacit.protect.parameters import per_column, seed_of, strata_names, value_for
from tacit.seed import BLOCK, draw_rows

FRAME = pl.DataFrame(
    {
        "small": pl.Series([1, None, -128], dtype=pl.Int8),
        "amount": [1.5, None, -2.25],
        "day": [dt.date(2020, 2, 29), None, dt.date(1899, 5, 5)],
        "moment": [dt.datetime(2020, 1, 1, 3, 4, 5, 600), None, dt.datetime(1950, 5, 5)],
        "zoned": pl.Series(
            [dt.datetime(2020, 7, 1, 3), None, dt.datetime(1950, 5, 5)], dtype=pl.Datetime("ms")
        ).dt.replace_time_zone("Europe/Vienna"),
    }
)


def test_numbers_come_back_in_their_type():
    release = Release(FRAME, quasi="small")
    for column, dtype in masked_dtypes(release, release.columns).items():
        back = from_numbers(as_numbers(release.series(column)), column, dtype)
        assert back.to_list() == FRAME[column].to_list(), column
        assert back.dtype == (pl.Int64 if column == "small" else FRAME.schema[column])
    assert numeric_matrix(release, ["small", "amount"]).shape == (3, 2)


def test_numbers_are_rounded_and_cut_off_at_the_bounds():
    assert from_numbers(np.array([1.6, -4.0, np.nan]), "n", pl.Int64(), (0, None)).to_list() == [2, 0, None]
    days = from_numbers(np.array([0.4, 9999.0]), "d", pl.Date(), (None, "1970-02-01"))
    assert days.to_list() == [dt.date(1970, 1, 1), dt.date(1970, 2, 1)]
    moments = from_numbers(np.array([-5.0]), "m", pl.Datetime("us"), ("1970-01-01T00:00:10", None))
    assert moments.to_list() == [dt.datetime(1970, 1, 1, 0, 0, 10)]


@pytest.mark.parametrize(
    "bad", [5, {"a": 3}, {"a": [1]}, {"a": [2, 1]}, {"a": [1, "1970-01-01"]}, {"a": [True, float("nan")]}]
)
def test_bounds_that_are_none(bad):
    with pytest.raises(TacitError) as caught:
        checked_bounds(bad, ["a"])
    assert caught.value.fix


def test_bounds_on_one_side():
    assert checked_bounds({"a": {"low": 0}, "b": {"high": 9}, "c": [None, 3]}, ["a", "b", "c"]) == {
        "a": (0, None),
        "b": (None, 9),
        "c": (None, 3),
    }
    with pytest.raises(TacitError, match="lowest and the highest|bounded"):
        checked_bounds({"a": {"lo": 0}}, ["a"])


def test_bounds_of_the_wrong_type_are_refused_with_the_column():
    for bound, dtype in ((("1970-01-01", None), pl.Int64()), ((3, None), pl.Date()), (("May", None), pl.Date())):
        with pytest.raises(TacitError, match="bounded") as caught:
            from_numbers(np.zeros(1), "birth", dtype, bound)
        assert caught.value.column == "birth"


def test_what_is_no_amount_is_refused():
    release = Release(pl.DataFrame({"city": ["Lund"], "code": [1]}), quasi="city", kinds={"code": "code"})
    for column in ("city", "code"):
        with pytest.raises(TacitError) as caught:
            checked_numeric(release, [column])
        assert caught.value.column == column
    with pytest.raises(TacitError, match="row 2"):
        as_numbers(pl.Series("x", [1.0, 1e200]))
    with pytest.raises(TacitError, match="row 1"):
        as_numbers(pl.Series("x", [2**60]))
    with pytest.raises(TacitError, match="whole numbers"):
        from_numbers(np.array([1e18]), "x", pl.Int64())


def totals_release(**changes):
    columns = {"income": [3.0, 0.3, None], "wages": [1.0, 0.1, 5.0], "rents": [2.0, 0.2, None]}
    return Release(pl.DataFrame({**columns, **changes}), quasi="wages")


def test_totals_follow_their_parts():
    totals = checked_totals({"income": ["wages", "rents"]}, ["wages"])
    release = totals_release()
    check_totals(release, totals)
    masked = with_totals(release.with_columns({"wages": np.array([7.0, 1.0, 1.0])}), totals)
    assert masked.series("income").to_list() == [9.0, 1.2, None]


@pytest.mark.parametrize(
    ("changes", "text"),
    [({"income": [3.0, 0.4, None]}, "not the sum.*row 2"), ({"income": [3.0, 0.3, 9.0]}, "part is missing.*row 3")],
)
def test_totals_that_do_not_hold(changes, text):
    with pytest.raises(TacitError, match=text) as caught:
        check_totals(totals_release(**changes), {"income": ("wages", "rents")})
    assert caught.value.column == "income"
    assert "9.0" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "columns"),
    [
        (3, ["a"]),
        ({"t": ["a"]}, ["a"]),
        ({"t": ["a", "t"]}, ["a"]),
        ({"t": ["a", "b"]}, ["t", "a"]),
        ({"t": ["a", "b"]}, ["c"]),
    ],
)
def test_totals_that_are_none(given, columns):
    with pytest.raises(TacitError):
        checked_totals(given, columns)


def test_units_keep_households_together_and_strata_apart():
    frame = pl.DataFrame(
        {"hh": [1, 1, 2, 3], "rent": [5.0, 5.0, 7.0, 9.0], "pay": [1.0, 2.0, 3.0, 4.0], "land": ["A", "A", "A", "B"]}
    )
    release = Release(frame, quasi="pay", household="hh")
    person, household = masking_units(release, ("pay", "rent"), ("land",))
    assert (person.columns, household.columns) == (("pay",), ("rent",))
    assert household.first.tolist() == [0, 2, 3]
    assert household.of_row.tolist() == [0, 0, 1, 2]
    assert [part.tolist() for part in household.strata()] == [[0, 1], [2]]
    assert [part.tolist() for part in person.strata()] == [[0, 1, 2], [3]]
    with pytest.raises(TacitError, match="differ within households"):
        masking_units(release, ("rent",), ("pay",))


def test_parameters_by_column():
    def positive(value: float) -> bool:
        return value > 0

    by_name = per_column("percent", {"a": 5, "b": 1}, ("a", "b"), positive, "fix")
    assert (value_for(by_name, "b"), value_for(7, "b")) == (1.0, 7.0)
    for bad in ({"a": 5}, {"a": 5, "b": 1, "c": 2}, {"a": 5, "b": -1}, 0, "x", None, True):
        with pytest.raises(TacitError):
            per_column("percent", bad, ("a", "b"), positive, "fix")
    assert strata_names(None) == ()
    with pytest.raises(TacitError, match="strata"):
        strata_names("a", ("a",))
    swap = RankSwap(columns="a", percent=5)
    with pytest.raises(TacitError, match="seed"):
        seed_of(swap, None)
    assert seed_of(swap, np.random.default_rng(1)) == seed_of(swap, np.random.default_rng(1))
    others = [RankSwap(columns="b", percent=5), RankSwap(columns="a", percent=6), SemanticSwap(columns="a", percent=5)]
    assert len({seed_of(one, 7) for one in (swap, *others)}) == 4
    bounded = AddNoise(columns="a", variance=0.1, bounds={"a": [0, 1]})
    assert seed_of(bounded, 7) == seed_of(AddNoise(columns="a", variance=0.1), 7)


@given(start=st.integers(0, 3 * BLOCK), count=st.integers(0, 2 * BLOCK), width=st.sampled_from([None, 3]))
def test_draws_of_rows_do_not_depend_on_the_batch(start, count, width):
    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        return rng.standard_normal(n if width is None else (n, width))

    whole = draw_rows(7, 0, 5 * BLOCK, draw)
    assert np.array_equal(draw_rows(7, start, count, draw), whole[start : start + count])
    assert not np.array_equal(draw_rows(8, 0, 100, draw), whole[:100])


def test_bounds_that_values_lie_beyond_are_refused_and_cut_values_are_counted():
    days = [dt.date(1990, 1, 1), dt.date(2000, 1, 1), None]
    release = Release(pl.DataFrame({"pay": [1.0, 50.0, None], "day": days}), quasi="day")
    check_bounds(release, {"pay": (0, 50), "day": ("1990-01-01", None)})
    for bounds, row in (({"pay": (0, 49)}, 2), ({"day": ("1990-01-02", None)}, 1)):
        with pytest.raises(TacitError, match=f"1 value beyond its bounds, the first in row {row}") as caught:
            check_bounds(release, bounds)
        assert caught.value.column == next(iter(bounds))
    found = at_bounds(release, {"pay": (0, 50), "day": ("1990-01-01", "2000-01-01")})
    assert found["at_bounds"].value == {"pay": 1, "day": 2}
    assert at_bounds(release, {}) == {}
    with pytest.raises(TacitError, match="not masked"):
        checked_bounds({"rent": [0, 1]}, ["pay"])
