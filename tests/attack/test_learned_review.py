"""Learned distances: what a reviewer tried to break (catalogue C-07, M-01)."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

from tacit import Release
from tacit.attack import Learned, reidentify
from tacit.attack._scenarios import with_known_links
from tacit.attack.learned import link_rows
from tacit.attack.learning.families import family_of
from tacit.attack.learning.learn import learn_distance
from tacit.attack.learning.summary import distance_facts
from tacit.attack.learning.training_pairs import folds_of, query_points, training_pairs
from tacit.claims import KnownLinks, Scenario, Truth, judge

from .learned_oracle import numbers

NAMES = list("abcd")


def file(values, columns=NAMES) -> Release:
    return Release(pl.DataFrame(values, schema=columns), quasi=columns)


def test_the_other_rows_of_a_person_are_not_learned_from():
    """Four rows of each person, nearly alike, and released values that have nothing to do with them."""
    hits = 0.0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows = np.repeat(rng.normal(size=(20, 4)), 4, axis=0) + 1e-6 * rng.normal(size=(80, 4))
        truth = Truth(released=np.arange(20), intruder=np.repeat(np.arange(20), 4))
        scenario = Scenario(file=file(rows), knows=tuple(NAMES))
        masked = file(rng.normal(size=(20, 4)))
        attack = Learned(family="choquet", seconds=1.0)
        hits += 20 * reidentify(masked, original=scenario, truth=truth, attack=attack, seed=seed).value
    assert hits <= 10  # guessing has 3 of 60 right, by heart it was more than 20


def test_all_records_of_a_person_are_in_one_fold_whatever_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    values, persons = rng.normal(size=(30, 4)), rng.integers(-1, 12, size=30)
    values[20:25] = values[:5]  # and equal records of different persons
    orders = np.arange(30), rng.permutation(30)
    found = []
    for order in orders:
        truth = Truth(released=np.arange(12), intruder=persons[order])
        scenario = with_known_links(Scenario(file=file(values[order]), knows=tuple(NAMES)), truth)
        folds = folds_of(scenario, 4, np.random.default_rng(1))
        found.append(folds.people[np.argsort(order)])
        assert (folds.people == folds.acquaintances).all()
    assert (found[0] == found[1]).all()
    assert (found[0][20:25] == found[0][:5]).all()
    assert all(len(set(found[0][persons == one])) <= 1 for one in range(12))


@pytest.mark.parametrize("dates", [False, True])
def test_an_acquaintance_is_known_again_in_another_type(dates):
    rng = np.random.default_rng(2)
    whole = pl.DataFrame(rng.integers(0, 1000, size=(25, 4)), schema=NAMES)
    other = whole.cast(pl.Float64)
    if dates:
        whole = whole.cast(pl.Int32).cast(pl.Date)
        other = whole.cast(pl.Datetime("ms"))
    order = rng.permutation(25)
    friends = KnownLinks(file=Release(other[order], quasi=NAMES), truth=Truth.by_lineage(None, 25).of_rows(order))
    scenario = Scenario(file=Release(whole, quasi=NAMES), knows=tuple(NAMES), acquaintances=friends)
    folds = folds_of(scenario, 5, rng)
    assert folds.many == 5
    assert (folds.people[order] == folds.acquaintances).all()


@pytest.mark.parametrize("known", ["nothing", "one value", "everything"])
def test_acquaintances_of_whom_less_is_known_teach_the_columns_of_the_file(known):
    """A range has no column when nobody's value is known, and units of its own when other people's are."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"age": rng.integers(20, 60, size=40), "x": rng.normal(size=40)})
    original = Release(frame, quasi=["age", "x"], kinds={"age": "continuous"})
    low = frame["age"] // 5 * 5
    masked = original.with_columns({"age": pl.Series([f"[{a}, {a + 4}]" for a in low])}).with_metadata(mixed=("age",))
    ages = {"nothing": pl.lit(None, dtype=pl.Int64), "one value": pl.lit(33), "everything": pl.col("age")}[known]
    rows, others = np.arange(20), np.arange(20, 40)
    truth = Truth.by_lineage(None, 40)
    friends = KnownLinks(
        file=Release(frame[:20].with_columns(ages.alias("age")), quasi=["age", "x"]), truth=truth.of_rows(rows)
    )
    scenario = Scenario(file=original.take(others), knows=original.quasi, acquaintances=friends)
    sides = query_points(masked, scenario.file, scale="release")
    folds = folds_of(scenario, 5, rng)
    lessons = training_pairs(masked, scenario, sides, folds, scale="release")
    assert lessons.sides.columns == sides.columns
    assert all((mine == theirs).all() for mine, theirs in zip(lessons.sides.costs, sides.costs, strict=True))
    assert judge(Learned().claims(masked, scenario, seed=1), truth.of_rows(others)).value == 1.0


def microaggregated() -> tuple[Release, Release]:
    rng = np.random.default_rng(3)
    original = rng.normal(size=(30, 3))
    masked = original + 0.3 * rng.normal(size=original.shape)
    for first in range(0, 30, 3):
        masked[first : first + 3] = masked[first : first + 3].mean(axis=0)
    return file(masked, list("abc")), file(original, list("abc"))


@pytest.mark.parametrize("direction", ["intruder", "release"])
def test_resubstitution_is_what_the_judge_says_of_the_same_distance(direction):
    """Three records alike name one person, to whom one of them belongs: it is found with chance 1/3, and the others not."""
    masked, original = microaggregated()
    truth = Truth.by_lineage(None, 30)
    scenario, rng = with_known_links(Scenario.worst_case(original), truth), np.random.default_rng(0)
    sides = query_points(masked, scenario.file, scale="release")
    lessons = training_pairs(masked, scenario, sides, folds_of(scenario, 5, rng), scale="release")
    pairs = lessons.sample_pairs(without=None, most=500, direction=direction, rng=rng)
    family = family_of("weighted")
    best = learn_distance(pairs, family, rng=rng)
    said = distance_facts(best, pairs, sides.columns, folds=5)["resubstitution (upper bound)"]
    judged = judge(link_rows(sides, np.arange(30), family, best.parameters, direction), truth).value
    assert judged <= said + 1e-12
    assert said == pytest.approx(judged, rel=0.15)  # records that name somebody in vain take some of the chance


def test_ties_are_said_where_they_make_the_headline_larger_than_its_bound():
    shown = [("a", "z"), ("a", "w"), ("b", "z"), ("b", "w"), ("c", "z"), ("c", "w")]
    known = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "x"), ("c", "z"), ("c", "w")]
    masked, original = (
        Release(pl.DataFrame(rows, schema=["u", "v"], orient="row"), quasi=["u", "v"]) for rows in (shown, known)
    )
    result = reidentify(masked, original=original, lineage=np.arange(6), attack=Learned(effort="exact", seconds=2.0))
    assert result.value > result.facts["no such distance finds more than"]
    assert any(note.startswith("4 of the links learned from tie with others") for note in result.facts["notes"])


@pytest.mark.parametrize("effort", ["fast", "high", "exact"])
def test_on_part_of_the_rivals_no_effort_finds_fewer_than_the_arithmetic_mean(effort):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(600, 4))
    pairs = numbers(values, values + 0.8 * rng.normal(size=values.shape))
    plain = learn_distance(pairs, family_of("arithmetic"), rng=rng).found.sum()
    best = learn_distance(pairs, family_of("weighted"), rng=np.random.default_rng(0), effort=effort, seconds=1.0)
    assert plain <= best.found.sum() <= best.bound


def test_a_column_that_is_missing_throughout_warns_of_nothing_on_a_scale_of_its_own():
    rng = np.random.default_rng(0)
    masked = pl.DataFrame(rng.normal(size=(12, 2)), schema=["a", "b"])
    original = masked.with_columns(pl.lit(None, dtype=pl.Float64).alias("b"))
    files = [Release(one, quasi=["a", "b"]) for one in (masked, original)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attack = Learned(scale="each")
        result = reidentify(files[0], original=files[1], lineage=np.arange(12), attack=attack)
    assert result.value == 1.0
