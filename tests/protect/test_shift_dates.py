"""Date shifting keeps what lies within a person and loses the calendar; the law of the shifts is the one stated."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from tacit import Release, TacitError
from tacit.protect import ShiftDates


def stays(persons: int, rows: int = 4, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    size = persons * rows
    day = pl.Series(rng.integers(15_000, 19_000, size).astype(np.int32)).cast(pl.Date)
    return pl.DataFrame(
        {
            "id": rng.permutation(np.repeat(np.arange(persons), rows)),
            "admitted": day,
            "left": day + pl.Series(rng.integers(0, 30, size)) * pl.Series([86_400_000_000]).cast(pl.Duration("us")),
            "seen": pl.Series(rng.integers(0, 1_600_000_000, size) * 1_000_000).cast(pl.Datetime("us")),
        }
    ).with_columns(left=pl.col("left").cast(pl.Date))


def shifts(frame: pl.DataFrame, moved: pl.DataFrame, column: str = "admitted") -> np.ndarray:
    return (moved[column].cast(pl.Date) - frame[column].cast(pl.Date)).dt.total_days().to_numpy()


COLUMNS = ["admitted", "left", "seen"]


@given(
    persons=st.integers(1, 12),
    days=st.integers(7, 1000),
    step=st.sampled_from(["day", "week"]),
    direction=st.sampled_from(["both", "back", "forward"]),
    seed=st.integers(0, 2**32),
)
def test_every_person_moves_as_one(persons, days, step, direction, seed):
    # catalogue: E-14; intervals, order of events and time of day are kept, and no shift is 0 or beyond the days
    frame = stays(persons, seed=seed)
    method = ShiftDates(columns=COLUMNS, days=days, person="id", step=step, direction=direction)
    moved = Release(frame).protect(method, seed=seed).to_native()
    of_row = shifts(frame, moved)
    assert all((shifts(frame, moved, column) == of_row).all() for column in COLUMNS)
    for one in range(persons):
        rows = (frame["id"] == one).to_numpy()
        assert len(set(of_row[rows])) == 1
        before, after = frame["seen"].to_numpy()[rows], moved["seen"].to_numpy()[rows]
        assert (np.argsort(before, kind="stable") == np.argsort(after, kind="stable")).all()
        assert (np.subtract.outer(before, before) == np.subtract.outer(after, after)).all()
    assert (moved["seen"].dt.time() == frame["seen"].dt.time()).all()
    assert (np.abs(of_row) <= days).all() and (of_row != 0).all()
    if step == "week":
        assert (moved["admitted"].dt.weekday() == frame["admitted"].dt.weekday()).all()
    if direction != "both":
        assert ((of_row < 0) == (direction == "back")).all()


@pytest.mark.parametrize("zero", [False, True])
def test_the_law_is_the_one_stated_and_no_other(zero):
    """Uniform on the shifts (χ² at 0.001 in 20,000 persons); a law that is 30 % heavier at the ends is rejected."""
    frame = pl.DataFrame({"id": np.arange(20_000), "day": [date(2020, 6, 1)] * 20_000})
    masked = Release(frame).protect(ShiftDates(columns="day", days=10, person="id", zero=zero), seed=7)
    found = np.bincount(shifts(frame, masked.to_native(), "day") + 10, minlength=21)
    support = np.flatnonzero(found)
    assert list(support) == [step for step in range(21) if zero or step != 10]
    assert chisquare(found[support]).pvalue > 0.001
    off = np.where(np.abs(support - 10) > 5, 1.3, 1.0)
    assert chisquare(found[support], off / off.sum() * 20_000).pvalue < 1e-6
    law = masked.trace[0].outcome["law"].value
    exact = np.array([step for step in range(-10, 11) if zero or step])
    assert (law["mean"], law["variance"]) == (exact.mean(), pytest.approx(exact.var()))
    assert (law["least"], law["most"], law["zero"]) == (-10, 10, zero)


def test_rows_without_a_person_move_on_their_own_and_a_household_together():
    frame = stays(2000).with_columns(id=pl.when(pl.int_range(pl.len()) % 2 == 0).then(None).otherwise("id"))
    moved = shifts(
        frame, Release(frame).protect(ShiftDates(columns=COLUMNS, days=500, person="id"), seed=1).to_native()
    )
    assert len(set(moved[::2])) > 900
    alone = shifts(frame, Release(frame).protect(ShiftDates(columns=COLUMNS, days=500), seed=1).to_native())
    assert len(set(alone)) > 990
    home = Release(stays(2000), household="id").protect(ShiftDates(columns=COLUMNS, days=500), seed=1).to_native()
    by_person = Release(stays(2000)).protect(ShiftDates(columns=COLUMNS, days=500, person="id"), seed=1).to_native()
    assert home.equals(by_person)


def test_linked_files_move_alike_with_the_same_seed_only():
    one = pl.DataFrame({"id": ["7", "8", "x"], "day": [date(2020, 1, 1)] * 3})
    other = pl.DataFrame({"day": [date(2021, 1, 1)] * 2, "who": [8, 7]})
    first = shifts(
        one, Release(one).protect(ShiftDates(columns="day", days=4000, person="id"), seed=3).to_native(), "day"
    )
    linked = ShiftDates(columns="day", days=4000, person="who")
    again = shifts(other, Release(other).protect(linked, seed=3).to_native(), "day")
    assert list(first[:2]) == list(again[::-1])
    assert list(again) != list(shifts(other, Release(other).protect(linked, seed=4).to_native(), "day"))


def test_bounds_hold_for_all_dates_of_a_person_without_breaking_intervals():
    frame = stays(500).with_columns(birth=pl.lit(date(1990, 1, 1)))
    last = frame["left"].max() + timedelta(days=3)
    method = ShiftDates(
        columns=["admitted", "left"], days=400, person="id", bounds={"left": [None, last], "admitted": ["birth", None]}
    )
    masked = Release(frame).protect(method, seed=5)
    moved = masked.to_native()
    assert moved["left"].max() <= last and (moved["admitted"] >= moved["birth"]).all()
    of_row = shifts(frame, moved)
    assert (
        frame.with_columns(shift=pl.Series(of_row)).group_by("id").agg(pl.col("shift").n_unique())["shift"].max() == 1
    )
    assert (of_row != 0).all()
    # counted by hand: persons whose latest date is nearer to the bound than the days
    latest = frame.group_by("id").agg(pl.col("left").max())
    near = latest.filter(pl.col("left") > last - timedelta(days=400))["id"].implode()
    assert masked.trace[0].outcome["cut"].value == int(frame["id"].is_in(near).sum())


def test_a_person_at_both_bounds_has_no_shift():
    frame = pl.DataFrame({"id": [1, 2, 2], "day": [date(2020, 6, 1), date(2020, 1, 1), date(2020, 12, 31)]})
    bounds = {"day": ["2020-01-01", "2020-12-31"]}
    with pytest.raises(TacitError, match="no shift within the bounds in 2 rows, the first of them row 2\n"):
        Release(frame).protect(ShiftDates(columns="day", days=30, person="id", bounds=bounds), seed=1)
    kept = Release(frame).protect(ShiftDates(columns="day", days=30, person="id", bounds=bounds, zero=True), seed=1)
    assert kept.to_native()["day"].to_list()[1:] == frame["day"].to_list()[1:]


def test_rows_without_a_person_do_not_bound_each_other():
    frame = pl.DataFrame(
        {"id": [None, None], "day": [date(2020, 1, 1), date(2020, 12, 31)]}, schema_overrides={"id": pl.Int64}
    )
    bounds = {"day": ["2020-01-01", "2020-12-31"]}
    moved = (
        Release(frame)
        .protect(ShiftDates(columns="day", days=30, person="id", bounds=bounds), seed=1)
        .to_native()["day"]
    )
    assert date(2020, 1, 1) < moved[0] <= date(2020, 1, 31) and date(2020, 12, 1) <= moved[1] < date(2020, 12, 31)


def test_a_year_keeps_the_day_of_the_week_and_nearly_the_season():
    frame = stays(300)
    moved = (
        Release(frame).protect(ShiftDates(columns=COLUMNS, days=3 * 364, person="id", step="year"), seed=2).to_native()
    )
    assert set(np.abs(shifts(frame, moved))) == {364, 728, 1092}
    assert (moved["left"].dt.weekday() == frame["left"].dt.weekday()).all()


def test_moments_of_a_time_zone_keep_intervals():
    moments = pl.Series("seen", [datetime(2024, 3, 30, 12), datetime(2024, 3, 31, 12)]).dt.replace_time_zone(
        "Europe/Rome"
    )
    frame = pl.DataFrame({"id": [1, 1], "seen": moments})
    moved = Release(frame).protect(ShiftDates(columns="seen", days=90, person="id"), seed=1).to_native()["seen"]
    assert moved.dtype == moments.dtype
    assert moved.diff()[1] == moments.diff()[1] == timedelta(hours=23), "the clocks went forward that night"


@pytest.mark.parametrize(("moment", "bounds"), [(23.5, ["2023-10-01", "2024-05-31"]), (0.5, ["2023-12-01", None])])
def test_bounds_are_days_of_the_time_zone_when_the_clocks_change(moment, bounds):
    """23:30 in winter is 0:30 of the next day in summer, 24 hours times n later; and the other way round."""
    start = datetime(2024, 1, 15) if moment > 12 else datetime(2024, 7, 1)
    moments = pl.Series("seen", [start + timedelta(hours=moment)] * 400).dt.replace_time_zone("Europe/Rome")
    method = ShiftDates(columns="seen", days=220, bounds={"seen": bounds})
    days = Release(pl.DataFrame({"seen": moments})).protect(method, seed=1).to_native()["seen"].dt.date()
    low, high = (one and date.fromisoformat(one) for one in bounds)
    assert days.min() >= low and (high is None or days.max() <= high)
    assert days.min() <= low + timedelta(days=9), "the room is used"


def test_nanoseconds_end_before_the_calendar_does():
    last = pl.Series("day", [datetime(2024, 1, 1), datetime(2261, 12, 31)]).cast(pl.Datetime("ns"))
    with pytest.raises(TacitError, match="column 'day' leaves the years 1678 to 2261 in row 2\n"):
        Release(pl.DataFrame({"day": last})).protect(ShiftDates(columns="day", days=3, direction="forward"), seed=1)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"days": 0}, "days"),
        ({"days": 1.5}, "days"),
        ({"days": 6, "step": "week"}, "less than a step of 7"),
        ({"step": "weeks"}, "did you mean 'week'"),
        ({"direction": "up"}, "direction='up' is unknown"),
        ({"person": "day"}, "is moved"),
        ({"zero": 1}, "neither true nor false"),
        ({"bounds": {"other": [None, "2020-01-01"]}}, "bounded and not moved"),
        ({"bounds": {"day": ["2020-02-01", "2020-01-01"]}}, "not the earlier"),
        ({"bounds": {"day": [1, 2]}}, "is bounded by"),
        ({"bounds": ["day"]}, "not given by column"),
    ],
)
def test_mistakes_in_the_parameters_are_answered(given, text):
    with pytest.raises(TacitError, match=text):
        ShiftDates(**{"columns": "day", "days": 30, **given})


def test_mistakes_about_the_table_are_answered():
    frame = pl.DataFrame({"day": ["1.2.2020"], "late": [date(9999, 12, 31)], "n": [1]})
    for method, text in (
        (ShiftDates(columns="day", days=3), "holds text, not dates"),
        (ShiftDates(columns="n", days=3), "holds integer, not dates"),
        (ShiftDates(columns="late", days=3, person="nn"), "did you mean 'n'"),
        (ShiftDates(columns="late", days=3, bounds={"late": ["n", None]}), "neither a day nor a column of dates"),
        (ShiftDates(columns="late", days=3, direction="forward"), "years 1 to 9999 in row 1"),
    ):
        with pytest.raises(TacitError, match=text):
            Release(frame).protect(method, seed=1)
    with pytest.raises(TacitError, match="got no seed"):
        Release(frame).protect(ShiftDates(columns="late", days=3))
