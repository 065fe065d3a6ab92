"""Laws of the other methods: the truth is never ruled out, what they leave is found, what they hide is not. catalogue: M-05."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.published import published_step

from tacit import Release
from tacit.attack import Distance
from tacit.attack.masking_models import MASKING_MODELS
from tacit.attack.transparency import Transparency
from tacit.claims import Scenario, Truth, judge
from tacit.protect import (
    DataShuffle,
    DataSwap,
    GeoMask,
    Recode,
    RecordSwap,
    Resample,
    Round,
    SemanticSwap,
    ShiftDates,
    TopBottomCode,
)

from .law_oracle import allowed, cost, known_of, truth_allowed

SEEDS = st.integers(0, 10**6)
JOBS = {"edges": {f"j{i}": f"g{i % 3}" for i in range(9)} | {f"g{i}": "work" for i in range(3)}}


def people(rows: int, seed: int = 0) -> Release:
    rng = np.random.default_rng(seed)
    days = [dt.date(1950, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 20_000, rows)]
    moments = [dt.datetime(2020, 1, 1) + dt.timedelta(seconds=int(one)) for one in rng.integers(0, 10**8, rows)]
    frame = pl.DataFrame(
        {
            "age": rng.integers(0, 95, rows),
            "pay": rng.gamma(2, 20_000, rows),
            "born": days,
            "came": [
                day + dt.timedelta(days=int(more)) for day, more in zip(days, rng.integers(0, 9000, rows), strict=True)
            ],
            "seen": moments,
            "job": rng.choice([f"j{i}" for i in range(9)], rows),
            "town": rng.choice(["A", "B", "C"], rows),
            "north": rng.uniform(5e6, 5.01e6, rows),
            "east": rng.uniform(4e5, 4.1e5, rows).round().astype(int),
            "lat": rng.uniform(-90, 90, rows),
            "lon": rng.uniform(-180, 180, rows),
        }
    )
    kinds = {"age": "continuous", "pay": "continuous"}
    return Release(frame, quasi=list(frame.columns), kinds=kinds, hierarchies={"job": JOBS})


METHODS = {
    "round": lambda draw: Round(columns=["pay", "age"], base={"pay": 1000, "age": 5}),
    "round a tenth": lambda draw: Round(columns=["pay"], base=0.1),
    "round at random": lambda draw: Round(columns=["pay", "age"], base=7, form="random", bounds={"age": [0, 100]}),
    "round days": lambda draw: Round(
        columns=["born", "seen"], base="month", form=draw(st.sampled_from(["nearest", "random"]))
    ),
    "shift": lambda draw: ShiftDates(
        columns=["born", "came", "seen"],
        days=400,
        step=draw(st.sampled_from(["day", "week", "year"])),
        direction=draw(st.sampled_from(["both", "back", "forward"])),
    ),
    "top": lambda draw: TopBottomCode(
        column="pay", top=60_000, bottom=20_000.5, replace=draw(st.sampled_from(["threshold", "mean"]))
    ),
    "top share": lambda draw: TopBottomCode(column="age", top_share=0.2),
    "top date": lambda draw: TopBottomCode(column="born", top="1990-01-01"),
    "groups": lambda draw: Recode(column="job", groups={"some": ["j1", "j2", "j3"]}),
    "rare": lambda draw: Recode(column="job", rare=9),
    "breaks": lambda draw: Recode(column="age", breaks=[18, 40.5, 65]),
    "quantiles": lambda draw: Recode(column="pay", quantiles=4),
    "resample": lambda draw: Resample(columns=["pay", "age"], draws=draw(st.integers(1, 3))),
    "swap": lambda draw: DataSwap(columns=["job", "town"], share=0.5),
    "move": lambda draw: RecordSwap(geography="town", k=2, share=0.3, keys=["job"]),
    "walk": lambda draw: SemanticSwap(columns="job", percent=draw(st.sampled_from([3, 20]))),
    "donut": lambda draw: GeoMask(latitude="lat", longitude="lon", least=100, most=draw(st.sampled_from([500, 10**6]))),
    "donut on a map": lambda draw: GeoMask(latitude="north", longitude="east", units="metres", least=10, most=300),
    "ring of k": lambda draw: GeoMask(latitude="north", longitude="east", units="metres", least=10, most=900, k=3),
    "grid": lambda draw: GeoMask(latitude="lat", longitude="lon", form="grid", side=50_000),
    "grid on a map": lambda draw: GeoMask(latitude="north", longitude="east", units="metres", form="grid", side=500),
}


@pytest.mark.parametrize("name", METHODS)
@given(data=st.data(), seed=SEEDS)
def test_the_truth_is_never_ruled_out(name, data, seed):
    original = people(80, seed % 100)
    method = METHODS[name](data.draw)
    masked = original.protect(method, seed=seed)
    known = known_of(masked, original)
    assert known.columns, "the law explains nothing"
    assert known.certain and truth_allowed(known).all()


def test_places_at_the_ends_of_the_globe_are_not_ruled_out():
    frame = pl.DataFrame(
        {"lat": [90.0, -90.0, 89.9999, 10.0, 10.0, 0.0], "lon": [50.0, 0.0, 0.0, 180.0, -180.0, 179.9999]}
    )
    original = Release(frame, quasi=["lat", "lon"])
    for method in (
        GeoMask(latitude="lat", longitude="lon", least=10, most=5000),
        GeoMask(latitude="lat", longitude="lon", form="grid", side=20_000),
    ):
        assert truth_allowed(known_of(original.protect(method, seed=3), original)).all()


@pytest.mark.parametrize("zone", [None, "Europe/Stockholm"])
def test_moments_with_a_time_zone_keep_their_windows(zone):
    moments = [dt.datetime(2024, 3, 30, 23, 30) + dt.timedelta(hours=7 * i) for i in range(40)]
    seen = pl.Series(moments).dt.replace_time_zone(zone) if zone else pl.Series(moments)
    original = Release(pl.DataFrame({"seen": seen}), quasi="seen")
    for method in (
        ShiftDates(columns="seen", days=30),
        Round(columns="seen", base=3600),
        TopBottomCode(column="seen", top="2024-04-05"),
    ):
        known = known_of(original.protect(method, seed=2), original)
        assert known.columns == ("seen",) and truth_allowed(known).all()


def test_what_is_ruled_out_is_what_the_slow_intruder_rules_out():
    original = people(40)
    masked = original.protect(Round(columns="age", base=10), seed=1)
    old, new = original.to_native()["age"].to_numpy(), masked.to_native()["age"].to_numpy()
    expected = np.floor(old / 10 + 0.5)[:, None] * 10 == new[None, :]
    assert (allowed(known_of(masked, original, knows=["age"])) == expected).all()
    masked = original.protect(Recode(column="age", breaks=[18, 65]), seed=1)
    new = masked.to_native()["age"].to_list()
    label = ["< 18" if age < 18 else "[18, 65)" if age < 65 else "≥ 65" for age in old]
    assert (
        allowed(known_of(masked, original, knows=["age"])) == np.array([[a == b for b in new] for a in label])
    ).all()


# Power


def found(masked, original, attack, knows):
    claims = attack.claims(masked.release, Scenario.worst_case(original, knows=knows, told=masked.trace))
    return judge(claims, Truth.by_lineage(masked.rows(), original.size))


def test_intervals_between_dates_give_shifted_people_away():
    original = people(300)
    masked = original.protect(ShiftDates(columns=["born", "came"], days=2000), seed=1)
    result = found(masked, original, Transparency(), ["born", "came"])
    assert result.value > 0.9 and result.facts["sure links"] > 0.85
    assert result.facts["sure links"] <= result.value  # every sure link is right
    assert result.value > 5 * found(masked, original, Distance(), ["born", "came"]).value


def test_times_of_day_and_days_of_the_week_stay():
    original = people(300)
    masked = original.protect(ShiftDates(columns="seen", days=3000, step="week"), seed=1)
    assert found(masked, original, Transparency(), ["seen"]).facts["sure links"] > 0.95


def test_ranks_give_resampled_people_away():
    original = people(300)
    masked = original.protect(Resample(columns="pay", draws=5), seed=1)
    result = found(masked, original, Transparency(), ["pay"])
    assert result.value > 0.95 and result.facts["sure links"] > 0.95
    scenario = Scenario(file=original, knows=("pay",), told=masked.trace)
    assert MASKING_MODELS["resample"](masked.trace[0], ("pay",), masked.release, scenario).columns == ()


def test_swapped_values_count_by_how_likely_they_stayed():
    original = people(200)
    masked = original.protect(DataSwap(columns="job", share=0.3), seed=1)
    moved = masked.trace[0].outcome["swapped"].value["records"]
    known = known_of(masked, original, knows=["job"])
    old, new = original.to_native()["job"].to_list(), masked.to_native()["job"].to_list()
    shares = {job: new.count(job) / 200 for job in new}
    exact = [[-np.log((1 - moved) / shares[x] if x == y else moved / (1 - shares[x])) for y in new] for x in old]
    assert np.allclose(cost(known), exact)


def test_swapped_columns_move_together():
    """Somebody whose town and job both changed was moved once, not twice."""
    original = people(200)
    known = known_of(original.protect(DataSwap(columns=["job", "town"], share=0.3), seed=1), original)
    assert len(known.compared) == 1
    many = people(600)
    assert (
        known_of(many.protect(DataSwap(columns="pay", share=0.3), seed=1), many, knows=["pay"]).compared[0].kind
        == "code"
    )


def test_shuffled_columns_are_no_evidence_where_their_givers_are_known():
    original = people(400)
    masked = original.protect(DataShuffle(columns="pay", given="age"), seed=1)
    assert known_of(masked, original).compared == () and known_of(masked, original).columns == ("pay",)
    assert known_of(masked, original, knows=["pay"]).columns == ()
    alone = found(masked, original, Transparency(), ["age"]).value
    assert found(masked, original, Transparency(), ["age", "pay"]).value == pytest.approx(alone)


def test_gaussian_moves_have_the_likelihood_of_their_distance():
    original = people(60)
    masked = original.protect(
        GeoMask(latitude="north", longitude="east", units="metres", form="gaussian", sd=300), seed=1
    )
    known = known_of(masked, original, knows=["north", "east"])
    old, new = (frame.select("north", "east").to_numpy() for frame in (original.to_native(), masked.to_native()))
    exact = ((old[:, None] - new[None]) ** 2).sum(axis=2) / 2 / 300**2
    assert np.allclose(cost(known), exact)


def test_a_ring_holds_few_people_on_a_map():
    original = people(300)
    masked = original.protect(GeoMask(latitude="north", longitude="east", units="metres", least=10, most=60), seed=1)
    result = found(masked, original, Transparency(), ["north", "east"])
    assert result.value > 0.9 and result.facts["sure links"] > 0.9


def test_what_was_not_told_is_left_to_a_generic_comparison():
    original = people(50)
    scenario = Scenario(file=original, knows=original.columns)
    told = {"columns": ["pay"], "column": "pay"}
    for method in (
        "round",
        "shift_dates",
        "top_bottom_code",
        "recode",
        "multiply_noise",
        "add_noise",
        "rotate",
        "geo_mask",
    ):
        step = published_step(method, told)
        assert MASKING_MODELS[step.model](step, ("pay",), original, scenario).columns == (), method
    for method in ("round", "shift_dates", "top_bottom_code", "recode", "multiply_noise", "add_noise", "rotate"):
        step = published_step(method, {})
        assert MASKING_MODELS[step.model](step, ("pay",), original, scenario).columns == (), method


def test_totals_follow_their_parts_and_have_no_law_of_their_own():
    frame = pl.DataFrame({"a": np.arange(50.0), "b": np.arange(50.0)[::-1] * 3}).with_columns(
        t=pl.col("a") + pl.col("b")
    )
    original = Release(frame, quasi=["a", "b", "t"], kinds=dict.fromkeys("abt", "continuous"))
    masked = original.protect(Round(columns=["a", "b"], base=10, totals={"t": ["a", "b"]}), seed=1)
    assert known_of(masked, original).columns == ("a", "b")
