"""Attacks on synthetic files: one that copies is caught by each, one that ignores the data is at the baseline. catalogue: L-02, B-06, B-09."""

from __future__ import annotations

from math import comb

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import (
    Copies,
    Membership,
    People,
    ShadowGenerators,
    Tcap,
    closest_record,
    copies,
    infer,
    membership_risk,
    reidentify,
    singling_out,
    tcap,
)
from tacit.attack.runner import run_attacks
from tacit.claims import MemberClaims, Scenario, Truth
from tacit.claims.roc import worst_members
from tacit.release.masked import Masked

from .generators import QUASI, SynthCopier, people, release

SIZE = 600
TRAINED, HELD = release(SIZE, 1), release(SIZE, 2)
EVERY = tuple(TRAINED.columns)
LEAKY, CLEAN, PARTLY = (TRAINED.protect(SynthCopier(share=share), seed=3) for share in (1.0, 0.0, 0.05))
MEMBERSHIP = {
    "distance": Membership(),
    "density": Membership(by="density"),
    "shadow generators": ShadowGenerators(count=8),
}
SIDES = {"original": TRAINED, "control": HELD}
CHANCE = 3.9 * np.sqrt((2 * SIZE + 1) / (12 * SIZE * SIZE))
"""How far from one half an area by chance is with a probability of about 10⁻⁴."""


def member(masked, name, share):
    attack = MEMBERSHIP[name]
    return membership_risk(
        masked,
        **SIDES,
        knows=EVERY,
        population=HELD if name == "density" else None,
        attack=attack,
        program=SynthCopier(share=share),
        seed=5,
    )


@pytest.mark.parametrize("name", MEMBERSHIP)
def test_membership_catches_the_copier_and_not_the_ignorer(name):
    leaky, clean = member(LEAKY, name, 1.0), member(CLEAN, name, 0.0)
    assert leaky.value > 0.75 and leaky.facts["found at 1 % false alarms"] > 0.5
    assert leaky.facts["worst 1 %"] > 0.95
    assert abs(clean.value - 0.5) <= CHANCE
    low, high = clean.facts["worst 1 %, 95 % interval"]
    assert low <= 0.5 <= high or 0 < clean.facts["worst 1 %"] < 0.9


@pytest.mark.parametrize("name", MEMBERSHIP)
def test_one_in_twenty_copied_is_hidden_in_the_mean_and_seen_in_the_worst(name):
    found = member(PARTLY, name, 0.05)
    assert found.value < 0.6
    assert found.facts["worst 1 %"] > 0.8 and found.facts["worst 1 %, 95 % interval"][0] > 0.5


@pytest.mark.parametrize(("masked", "least", "most"), [(LEAKY, 0.58, 0.68), (PARTLY, 0.03, 0.08), (CLEAN, 0.0, 0.0)])
def test_copies_are_counted_above_those_of_outsiders(masked, least, most):
    """Of a bootstrap 1 − 1/e = 63 % of the people are in it; of one in twenty records 1 − exp(−0.05) = 4.9 %."""
    exact, near = copies(masked, **SIDES)
    assert least <= exact.value <= most and exact.facts["control"] == 0.0
    for found in (exact, near):
        low, high = found.facts["above the control, 95 % interval"]
        assert low <= found.facts["above the control"] <= high
        assert (low > 0) == (masked is not CLEAN)
    assert near.value >= exact.value and near.facts["control"] > 0  # people may be alike by chance


def test_copies_are_those_that_a_slow_search_finds():
    """Including missing cells, which equal missing cells only."""
    frames = [people(40, seed).select("age", "town", "ill") for seed in (11, 12, 13)]
    every = pl.int_range(pl.len())
    holes = [
        one.with_columns(
            pl.when(every % 5 == 0).then(None).otherwise(pl.col("age")).alias("age"),
            pl.when(every % 3 == 0).then(None).otherwise(pl.col("town")).alias("town"),
        )
        for one in frames
    ]
    made, asked, other = (Release(one, quasi="town", kinds={"age": "continuous"}, missing="own") for one in holes)
    percent = 40.0
    reach = percent / 100 * np.std(made.series("age").drop_nulls().to_numpy())

    def like(a, b):
        if (a[1], a[2]) != (b[1], b[2]) or (a[0] is None) != (b[0] is None):
            return False
        return a[0] is None or abs(a[0] - b[0]) <= reach * (1 + 1e-9)

    rows = [one.to_native().rows() for one in (made, asked, other)]
    slow = [float(any(like(row, b) for b in rows[0])) for row in rows[1]]
    knows = ("age", "town", "ill")
    assert Copies(percent=percent).claims(made, Scenario(file=asked, knows=knows)).scores.tolist() == slow
    assert 0 < sum(slow) < 40
    facts = copies(made, original=asked, control=other.take(np.arange(25)), percent=percent)[1].facts
    counts = [sum(like(row, b) for b in rows[1]) for row in rows[0]]
    assert facts["released records like one of the people"] == np.mean([count > 0 for count in counts])
    drawn = np.mean([1 - comb(40 - count, 25) / comb(40, 25) for count in counts])
    assert facts["… of as many people as the control has"] == pytest.approx(drawn)
    alone = np.mean([any(like(row, b) for b in rows[2][:25]) for row in rows[0]])
    assert facts["released records like one of the control"] == pytest.approx(alone)


def test_who_is_kept_back_with_its_family_is_not_told_apart_by_that():
    """Outsiders are the population too: their family there must not make it look denser around them than around members."""
    rng = np.random.default_rng(1)

    def families(first: int) -> Release:
        homes = np.repeat(np.arange(first, first + 150), 4)
        where = rng.normal(size=(150, 2))[homes - first] + 0.01 * rng.normal(size=(600, 2))
        frame = pl.DataFrame({"hh": homes, "x": where[:, 0], "y": where[:, 1]})
        return Release(frame, quasi=["x", "y"], household="hh")

    trained, held, made = (families(first) for first in (0, 150, 300))
    truth = Truth.by_lineage(np.full(600, -1), 600)
    asked = Scenario(file=trained, knows=("x", "y"))
    attack = {"density": Membership(by="density")}
    (found,) = run_attacks(made, asked, People(truth=truth, file=trained, control=held), attack, seed=1)
    # Families move together: 150 on either side tell what 1 200 people would.
    reach = 3.9 * np.sqrt(301 / (12 * 150 * 150))
    assert abs(found.result.value - 0.5) <= reach
    naive = membership_risk(made, original=trained, control=held, population=held, attack=attack["density"])
    assert naive.value - 0.5 > reach


def test_the_closest_record_tells_the_copier_from_the_ignorer():
    leaky, partly, clean = (closest_record(one, **SIDES) for one in (LEAKY, PARTLY, CLEAN))
    assert leaky.value > 0.98 and leaky.facts["p"] < 1e-9 and leaky.facts["nearer than by chance"] > 0.96
    assert clean.facts["p"] > 1e-4 and abs(clean.facts["nearer than by chance"]) < 0.2
    assert leaky.facts["p"] < partly.facts["p"]  # one in twenty is too few for a mean


def test_the_variance_of_the_closest_record_is_that_of_dealing_the_sides_anew():
    """The two moments against 500 random sides; of so many the standard deviation is off by 12 % with a chance of about 10⁻⁴."""
    made, both = release(80, 21).select(["age", "town"]), release(60, 22).select(["age", "town"])
    rng, shares = np.random.default_rng(1), []
    for _ in range(500):
        order = rng.permutation(60)
        shares.append(closest_record(made, original=both.take(order[:40]), control=both.take(order[40:])).value)
    low, high = closest_record(made, original=both.take(np.arange(40)), control=both.take(np.arange(40, 60))).interval
    assert np.mean(shares) == pytest.approx(2 / 3, abs=0.02)
    assert np.std(shares) == pytest.approx((high - low) / 2 / 1.96, rel=0.12)


def test_households_are_exchanged_as_a_whole():
    """Ten people of one household are one piece of evidence, not ten."""
    frame = people(200, 31).with_columns(hh=pl.int_range(pl.len()) // 10)
    made = Release(people(200, 32), kinds={"age": "continuous", "pay": "continuous"}, missing="own")
    file = Release(frame, household="hh", kinds={"age": "continuous", "pay": "continuous"}, missing="own")
    sides = {"original": file.take(np.arange(100)), "control": file.take(np.arange(100, 200))}
    found = closest_record(made, **sides)
    assert found.facts["households"] == 20 and found.facts["baseline"] == 0.5
    alone = {name: one.with_metadata(roles={**one.roles, "hh": "identifier"}) for name, one in sides.items()}
    assert closest_record(made, **alone).value == found.value
    assert closest_record(made, **alone).interval != found.interval


def test_the_worst_records_are_those_with_the_highest_scores():
    inside = np.arange(1200) < 800
    scores = np.where(inside, np.linspace(0, 1, 1200), 0.99)
    scores[:12] = 2.0
    found = worst_members(MemberClaims(scores=scores), inside)
    assert found.value == 1.0 and found.facts["members that high"] == 12 and found.facts["others that high"] == 0
    scores[-4:] = 3.0  # four of 400 others count as much as eight of 800 members
    found = worst_members(MemberClaims(scores=scores), inside)
    assert found.value == pytest.approx((12 / 800) / (12 / 800 + 4 / 400))
    rng = np.random.default_rng(1)
    drawn = [worst_members(MemberClaims(scores=rng.random(1200)), inside) for _ in range(400)]
    covered = np.mean([low <= 0.5 <= high for low, high in (one.interval for one in drawn)])
    assert covered > 0.9  # of 95 % intervals from 8 to 20 records each
    assert np.mean([one.value for one in drawn]) == pytest.approx(0.5, abs=0.06)


def test_values_are_learnt_above_outsiders_from_copies_alone():
    """Of a synthetic file nobody's records can be taken out: the people held back say what anybody would know."""
    asked = {
        "original": TRAINED,
        "control": HELD,
        "column": "ill",
        "knows": QUASI,
        "attack": ["lookup", "tcap"],
        "seed": 5,
    }
    leaky, clean = (infer(one, **asked)["ill"] for one in (LEAKY, CLEAN))
    assert leaky.facts["above the control, 95 % interval"][0] > 0.1
    low, high = clean.facts["above the control, 95 % interval"]
    assert low <= 0 <= high and "right by the rest of the people" not in clean.facts
    assert clean.value > clean.facts["baseline"]  # the world tells: the job goes with the illness


def test_singling_out_catches_the_copier_and_not_the_ignorer():
    leaky, clean = (singling_out(one, **SIDES, attempts=400, seed=7) for one in (LEAKY, CLEAN))
    assert leaky.facts["above the control, 95 % interval"][0] > 0.5
    low, high = clean.facts["above the control, 95 % interval"]
    assert low <= 0 <= high


def test_attribution_is_right_of_copies_and_no_better_than_of_outsiders_elsewhere():
    asked = {**SIDES, "column": "ill", "knows": QUASI}
    leaky, clean = (tcap(one, **asked) for one in (LEAKY, CLEAN))
    assert leaky.value > 0.9 and leaky.facts["above the control, 95 % interval"][0] > 0
    # Of the ignorer's keys hardly one is an outsider's: the age is exact. By town and job many are.
    coarse = tcap(CLEAN, **{**asked, "knows": ["town", "job"]}, at_least=0.51)
    low, high = coarse.facts["above the control, 95 % interval"]
    assert low <= 0 <= high and clean.facts["baseline"] < 0.4


def test_attribution_is_that_of_the_definition():
    """Against the formulas of Taub and Elliot, record by record."""
    made, asked = (release(300, seed).select(["town", "job", "ill"]) for seed in (41, 42))
    at_least = 0.6
    m, o = made.to_native().rows(), asked.to_native().rows()
    told = []
    for town, job, ill in m:
        alike = [row for row in m if row[:2] == (town, job)]
        known = [row for row in o if row[:2] == (town, job)]
        if sum(row[2] == ill for row in alike) >= at_least * len(alike) and known:
            told.append((sum(row[2] == ill for row in known) / len(known), sum(row[2] == ill for row in o) / len(o)))
    found = tcap(made, original=asked, column="ill", knows=["town", "job"], at_least=at_least)
    assert told and found.value == pytest.approx(np.mean([share for share, _ in told]))
    assert found.facts["baseline"] == pytest.approx(np.mean([usual for _, usual in told]))
    cap = []
    for row in o:
        alike = [other for other in m if other[:2] == row[:2]]
        cap.append(sum(other[2] == row[2] for other in alike) / len(alike) if alike else 0.0)
    assert found.facts["all attributions"] == pytest.approx(np.mean(cap))
    claims = Tcap(column="ill", at_least=at_least).claims(made, Scenario(file=asked, knows=("town", "job")))
    said = claims.facts["people of whom a value is said"]
    assert 0 < said == int(claims.start[-1]) < 300


def test_in_a_synthetic_file_there_is_nobody_to_find():
    with pytest.raises(TacitError, match="no record of the file is anybody's"):
        reidentify(LEAKY, original=TRAINED)


def test_mistakes_are_named():
    bare = Release(people(30, 1), kinds={"age": "continuous"})
    other = Release(pl.DataFrame({"x": [1.5, 2.5]}))
    scenario = Scenario(file=HELD, knows=EVERY)
    for call, match in (
        (lambda: Copies(percent=-1), "percent=-1 is not a part"),
        (lambda: ShadowGenerators(count=2), "count=2 is not a whole number of 4"),
        (lambda: Tcap(at_least=0.5), "at_least=0.5 is not a share above one half"),
        (lambda: ShadowGenerators().claims(LEAKY.release, scenario), "does not have the program"),
        (lambda: copies(bare, original=bare, control=other), "no column in common"),
        (lambda: copies(bare, original=bare, control=other, columns="age"), "column 'age' is not in the control"),
        (lambda: closest_record(bare, original=bare, control=other), "no column in common"),
        (lambda: tcap(CLEAN, original=TRAINED, column="pay"), "it holds numbers"),
        (lambda: infer(Masked(bare, (), np.full(30, -1)), original=bare, column="ill", knows="town"), "not in it"),
    ):
        with pytest.raises(TacitError, match=match):
            call()


def test_one_row_and_constant_or_empty_columns_are_measured():
    odd = pl.DataFrame({"a": [1.0] * 6, "b": [None] * 6, "c": list("xyxyxy")}, schema_overrides={"b": pl.Float64})
    made = Release(odd, quasi="c", missing="own")
    for control in (made, made.take(np.array([0]))):
        exact, near = copies(made, original=made, control=control)
        assert exact.value == near.value == 1.0
        assert closest_record(made, original=made, control=control).value == pytest.approx(
            6 / (6 + control.size), abs=0.2
        )
        assert membership_risk(made, original=made, control=control, knows=["a", "b", "c"]).value == 0.5
