"""Attacks on told microaggregation: what a trace allows, who is sure, how much is found. catalogue: M-05, E-08."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit import Masked, Release, Result
from tacit.attack import Distance
from tacit.attack.transparency import Transparency
from tacit.claims import Scenario, Truth, judge
from tacit.protect import Mdav, Microaggregate, Pipeline, Shuffle, SuppressRecords, VMdav

from .law_oracle import allowed, known_of, published, truth_allowed


def release(frame: dict | pl.DataFrame, **described) -> Release:
    table = pl.DataFrame(frame)
    kinds = {name: "continuous" for name, type in table.schema.items() if type.is_integer()}
    return Release(table, quasi=list(table.columns), kinds=kinds | described.pop("kinds", {}), **described)


def normal(size: int, columns: int, seed: int = 0) -> Release:
    draws = np.random.default_rng(seed).normal(size=(size, columns))
    return release({f"x{j}": draws[:, j] for j in range(columns)})


def attacked(masked: Masked, original: Release, *, attack=None, rows=None, knows=None, **flags) -> Result:
    """The result for an intruder who has some rows of the original, everything of it when none are given."""
    rows = np.arange(original.size) if rows is None else rows
    flags = flags or {"inside": True, "covers": len(rows) == original.size}
    known = tuple(knows or original.columns)
    told = tuple(map(published, masked.trace))
    scenario = Scenario(file=original.take(rows), knows=known, told=told, **flags)
    claims = (attack or Transparency()).claims(masked.release, scenario)
    truth = Truth(released=np.asarray(masked.rows()), intruder=rows)
    check_sure(claims, truth)
    return judge(claims, truth)


def check_sure(claims, truth: Truth) -> None:
    """Every sure link is right."""
    if claims.sure is None:
        return
    for person, claim in enumerate(claims.claim_of):
        if claims.sure[claim]:
            groups = claims.candidates[claims.start[claim] : claims.start[claim + 1]]
            named = np.flatnonzero(np.isin(claims.group_of, groups))
            assert truth.intruder[person] in truth.released[named]
            assert len(named) == 1


# One column: groups are runs


ONE_COLUMN = {
    "mdav": lambda k: Mdav(columns="x", k=k),
    "v_mdav": lambda k: VMdav(columns="x", k=k, gamma=0),
    "v_mdav grows": lambda k: VMdav(columns="x", k=k, gamma=1.1),
    "mean": lambda k: Microaggregate(columns="x", k=k),
    "median": lambda k: Microaggregate(columns="x", k=k, aggregate={"x": "median"}),
    "lots": lambda k: Microaggregate(columns="x", k=k, randomised=2),
}
whole = st.lists(st.integers(0, 30), min_size=6, max_size=40)
real = st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=40)


@pytest.mark.parametrize("everybody", [True, False])
@pytest.mark.parametrize("name", ONE_COLUMN)
@settings(max_examples=20)  # for each of twelve
@given(values=whole | real, k=st.integers(2, 3))
@example(values=[0.0, 0.0, 0.0, 1.0, 2.0, 0.5, -1.0], k=2)  # the last record of V-MDAV passes over a group
def test_the_true_centre_is_always_allowed(name, everybody, values, k):
    original = release({"x": values})
    masked = original.protect(ONE_COLUMN[name](k), seed=1)
    known = known_of(masked, original, inside=True, covers=everybody)
    assert known.certain
    if known.compared:
        assert truth_allowed(known).all()


@given(values=whole, k=st.integers(2, 3))
def test_a_value_between_two_centres_has_become_one_of_them(values, k):
    original = release({"x": [float(v) for v in values]})
    masked = original.protect(Microaggregate(columns="x", k=k))
    known = known_of(masked, original, inside=True, covers=False)
    shown = masked.to_native()["x"].to_numpy()
    centres = np.unique(shown)
    if len(centres) < 2:
        return
    for x, may in zip(values, allowed(known), strict=True):
        slow = {
            c
            for at, c in enumerate(centres)
            if (at == 0 or centres[at - 1] <= x + 1e-9) and (at + 1 == len(centres) or x <= centres[at + 1] + 1e-9)
        }
        assert set(shown[may]) == slow


@given(values=st.lists(st.integers(0, 12), min_size=6, max_size=30), k=st.integers(2, 4))
def test_whoever_has_everybody_knows_the_group_of_every_rank(values, k):
    original = release({"x": [float(v) for v in values]})
    masked = original.protect(Microaggregate(columns="x", k=k))
    shown = masked.to_native()["x"].to_numpy()
    if len(np.unique(shown)) < 2:
        return
    may = allowed(known_of(masked, original))
    ranked = np.sort(shown)  # groups are runs: the order of centres is that of values
    order = np.sort(values)
    for x, row in zip(values, may, strict=True):
        assert set(shown[row]) == set(ranked[order == x])


def test_values_that_contradict_the_means_bound_nothing():
    original = normal(60, 1)
    masked = original.protect(Microaggregate(columns="x0", k=3))
    noisy = release({"x0": original.to_native()["x0"] + np.random.default_rng(1).normal(0, 0.5, 60)})
    known = known_of(masked, noisy)
    assert "do not have the published means" in known.notes[0]
    assert allowed(known).all()


def test_ordinal_words_and_dates_are_runs_too():
    rng = np.random.default_rng(3)
    days = [dt.date(2000, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 3000, 60)]
    grades = ["abcdefgh"[i] for i in rng.integers(0, 8, 60)]
    original = release({"day": days, "grade": grades}, kinds={"grade": "ordinal", "day": "date"})
    masked = original.protect(Microaggregate(columns=["day", "grade"], k=3, groups="each"), seed=1)
    known = known_of(masked, original)
    assert known.columns == ("day", "grade")
    assert truth_allowed(known).all()
    assert allowed(known).mean() < 0.1
    assert attacked(masked, original).value > 0.5


# Several columns: who was averaged


@pytest.mark.parametrize("method", [Mdav(columns=["a", "b"], k=3), VMdav(columns=["a", "b"], k=3, gamma=1.1)])
@given(seed=st.integers(0, 10**6))
def test_groups_of_mdav_are_made_again(method, seed):
    draws = np.random.default_rng(seed).integers(0, 9, (40, 2))
    original = release({"a": draws[:, 0], "b": draws[:, 1]})
    masked = original.protect(method, seed=seed)
    may = allowed(known_of(masked, original))
    assert may.diagonal().all()
    one_of_its_kind = np.array([(draws == row).all(axis=1).sum() == 1 for row in draws])
    assert (may.sum(axis=1)[one_of_its_kind] <= 8).all()  # a group, or two groups with the same means


@given(seed=st.integers(0, 10**6), k=st.integers(2, 4), kind=st.sampled_from(["whole", "few", "real"]))
def test_proven_members_are_right(seed, k, kind):
    rng = np.random.default_rng(seed)
    draws = {
        "whole": rng.integers(0, 50, (24, 2)),
        "few": rng.integers(0, 5, (24, 2)),
        "real": rng.normal(size=(24, 2)),
    }
    original = release({"a": draws[kind][:, 0], "b": draws[kind][:, 1]})
    masked = original.protect(Microaggregate(columns=["a", "b"], k=k), seed=seed)
    known = known_of(masked, original)
    may = allowed(known)
    assert known.certain and may.diagonal().all()
    if kind == "real" and k < 4:
        assert (may.sum(axis=1) < 2 * k).mean() > 0.5


def test_noise_is_noticed_and_nothing_is_proven():
    rng = np.random.default_rng(5)
    draws = rng.integers(0, 40, (60, 2))
    original = release({"a": draws[:, 0], "b": draws[:, 1]})
    masked = original.protect(Mdav(columns=["a", "b"], k=3))
    noisy = draws + rng.integers(-3, 4, draws.shape)
    known = known_of(masked, release({"a": noisy[:, 0], "b": noisy[:, 1]}))
    assert any("no set of the intruder's records" in note for note in known.notes)
    assert allowed(known).all()


def test_almost_all_groups_are_found_by_their_means():
    """The stated share: nine of ten records of 600 in groups of 4 by three columns; all that is believed is right."""
    original = normal(600, 3, seed=2)
    masked = original.protect(Microaggregate(columns=original.columns, k=4), seed=3)
    known = known_of(masked, original)
    number = known.compared[-1]
    believed = ~np.isnan(number.intruder)
    assert believed.mean() > 0.9
    assert (number.intruder == number.release)[believed].all()


# Sure links are right, whoever attacks


@given(
    seed=st.integers(0, 10**6),
    groups=st.sampled_from(["each", "together", [["a", "b"], ["c"]], [["a"], ["b", "c"]]]),
    kind=st.sampled_from(["whole", "real", "gaps"]),
    share=st.sampled_from([1.0, 0.5]),
    lots=st.sampled_from([None, 1.5]),
)
def test_every_sure_link_is_right(seed, groups, kind, share, lots):
    rng = np.random.default_rng(seed)
    draws = rng.normal(size=(36, 3)) * 20
    table = pl.DataFrame(draws if kind == "real" else draws.round().astype(int), schema=["a", "b", "c"])
    if kind == "gaps":
        table = table.with_columns(a=pl.when(pl.Series(rng.random(36) < 0.1)).then(None).otherwise(pl.col("a")))
    original = release(table)
    method = Microaggregate(columns=["a", "b", "c"], k=int(rng.integers(2, 4)), groups=groups, randomised=lots)
    masked = original.protect(Pipeline(steps=[method, Shuffle()]), seed=seed)
    rows = np.sort(rng.permutation(36)[: int(36 * share)])
    attacked(masked, original, rows=rows)  # checks
    attacked(masked, original, rows=rows, inside=False, covers=False)


def test_records_left_out_later_do_not_make_wrong_links_sure():
    rng = np.random.default_rng(8)
    draws = rng.integers(0, 99, (80, 2))
    table = pl.DataFrame({"a": draws[:, 0], "b": draws[:, 1], "zone": rng.integers(0, 15, 80).astype(str)})
    original = Release(table, quasi="zone", kinds={"a": "continuous", "b": "continuous"})
    for method in (Mdav(columns=["a", "b"], k=3), Microaggregate(columns=["a", "b"], k=3, groups="each")):
        masked = original.protect(Pipeline(steps=[method, SuppressRecords(k=5)]))
        assert 20 < masked.release.size < 80
        assert attacked(masked, original).facts["sure links"] < 1


def test_strata_are_not_taken_for_runs():
    rng = np.random.default_rng(9)
    original = release({"x": rng.integers(0, 500, 90), "region": [f"r{i % 3}" for i in range(90)]})
    masked = original.protect(Microaggregate(columns="x", k=3, strata="region"))
    known = known_of(masked, original, knows=["x"])
    assert truth_allowed(known).all()
    assert attacked(masked, original).value > 1 / 4


# Power, and what is left when nothing leaks


def test_single_columns_find_everybody_for_certain():
    original = normal(1500, 3, seed=11)
    masked = original.protect(Microaggregate(columns=original.columns, k=5, groups="each"))
    everybody = attacked(masked, original)
    assert everybody.value == 1.0
    assert everybody.facts["sure links"] > 0.99
    some = attacked(masked, original, rows=np.arange(0, 1500, 15))
    assert some.value > 0.97
    assert some.facts["sure links"] > 0.8


def test_two_groupings_find_more_than_distance():
    """Planted: two groupings of two columns, groups of 16."""
    original = normal(800, 4, seed=12)
    steps = [Mdav(columns=["x0", "x1"], k=16), Mdav(columns=["x2", "x3"], k=16)]
    masked = original.protect(Pipeline(steps=steps))
    plain, told = (attacked(masked, original, attack=one) for one in (Distance(), Transparency()))
    assert told.value > plain.value + 0.08
    assert told.value > 0.85
    assert told.facts["sure links"] > 0.7


def test_centres_by_lot_resist():
    """E-08: with lots the attack finds at most three fifths of what it finds without, on two groupings of two columns."""
    original = normal(600, 4, seed=13)
    groups = [["x0", "x1"], ["x2", "x3"]]
    found = {}
    for lots in (None, 2):
        masked = original.protect(
            Microaggregate(columns=original.columns, k=10, groups=groups, randomised=lots), seed=4
        )
        found[lots] = attacked(masked, original)
    assert found[None].value > 0.9
    assert found[2].value < 0.6 * found[None].value
    assert found[2].facts["sure links"] == 0.0


def test_lots_on_single_columns_cost_what_memberships_say():
    original = normal(40, 1, seed=14)
    masked = original.protect(Microaggregate(columns="x0", k=2, randomised=3), seed=1)
    pair = known_of(masked, original).compared[0]
    shown = masked.to_native()["x0"].to_numpy()
    centres, count = np.unique(shown, return_counts=True)
    x = original.to_native()["x0"].to_numpy()
    for row in range(40):
        squares = (x[row] - centres) ** 2
        power = squares ** (-1 / (3 - 1))
        power[squares > np.sort(squares)[min(7, len(centres) - 1)] + 1e-12] = 0
        with np.errstate(divide="ignore"):
            slow = -np.log(power / power.sum() / (count / 40))
        assert pair.table[int(pair.intruder[row])] == pytest.approx(slow)


@pytest.mark.parametrize("groups", ["each", "together"])
def test_an_independent_file_sits_at_the_baseline(groups):
    original, other = normal(300, 3, seed=15), normal(300, 3, seed=16)
    masked = original.protect(Microaggregate(columns=original.columns, k=3, groups=groups))
    scenario = Scenario(file=other, knows=other.columns, told=masked.trace, inside=True, covers=True)
    claims = Transparency().claims(masked.release, scenario)
    result = judge(claims, Truth.by_lineage(np.arange(300), 300))
    assert result.value <= 7 / 300  # about Poisson(1) hits
    assert result.facts["sure links"] == 0.0


def test_the_order_of_files_tells_nothing():
    rng = np.random.default_rng(17)
    draws = rng.integers(0, 30, (120, 4))
    original = release({f"x{j}": draws[:, j] for j in range(4)})
    method = Microaggregate(columns=original.columns, k=3, groups=[["x0"], ["x1", "x2"], ["x3"]])
    masked = original.protect(method)
    order = rng.permutation(120)
    first = attacked(masked, original)
    moved = attacked(Masked(masked.release.take(order), masked.trace, lineage=order), original, rows=order[::-1])
    assert moved.value == pytest.approx(first.value)
    assert moved.facts["sure links"] == first.facts["sure links"]
    assert np.allclose(np.sort(moved.per_record.values()), np.sort(first.per_record.values()))


# The reference file


@pytest.fixture(scope="module")
def census(reference_data) -> Release:
    return release(pl.read_csv(reference_data / "census.csv"))


def test_one_grouping_of_census_gives_at_most_a_third(census):
    masked = census.protect(Mdav(columns=census.columns, k=3))
    result = attacked(masked, census)
    assert result.value <= 1 / 3 + 1e-9
    assert result.value > attacked(masked, census, attack=Distance()).value
    assert result.facts["sure links"] == 0.0


def test_groupings_find_census_and_lots_resist_in_wide_ones(census):
    """E-08: lots take three quarters of what two groupings of six or seven columns give away, little of narrow ones."""
    columns = list(census.columns)
    narrow, wide = [columns[at : at + 3] for at in range(0, 13, 3)], [columns[:6], columns[6:]]

    def found(groups, lots=None) -> float:
        method = Microaggregate(columns=columns, k=10, groups=groups, randomised=lots)
        return attacked(census.protect(method, seed=1), census).value

    assert found(narrow) > 0.99
    assert found(wide) > 0.72
    assert found(wide, lots=2) < 0.25
    assert found(narrow, lots=2) < 0.95


def test_groupings_of_census_by_mdav_are_beaten_more_than_by_distance(census):
    columns = list(census.columns)
    masked = census.protect(Pipeline(steps=[VMdav(columns=g, k=5, gamma=1.1) for g in (columns[:6], columns[6:])]))
    plain, told = (attacked(masked, census, attack=one) for one in (Distance(), Transparency()))
    assert told.value > plain.value + 0.1
    assert told.facts["sure links"] > 0.7
