"""Probabilistic linkage as an attack: power, ties, baseline, order, bad input. catalogue: C-05."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Release, Result, TacitError
from tacit.attack import Distance, Probabilistic
from tacit.claims import Scenario, Truth, judge
from tacit.examples import clinic
from tacit.protect import Mdav, RankSwap

ESTIMATES = ("em", "fixed", "single")


def release(frame: dict | pl.DataFrame, **described) -> Release:
    table = pl.DataFrame(frame)
    described.setdefault("missing", "any")
    return Release(table, quasi=list(table.columns), **described)


def attacked(masked: Release, original: Release, lineage=None, knows=None, **parameters) -> Result:
    claims = Probabilistic(**parameters).claims(masked, Scenario.worst_case(original, knows=knows))
    return judge(claims, Truth.by_lineage(lineage, original.size))


def people(rows: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    table = {"zip": rng.integers(0, 60, rows), "birth": rng.integers(0, 300, rows), "job": rng.integers(0, 25, rows)}
    return pl.DataFrame({name: values.astype(str) for name, values in table.items()})


def changed(table: pl.DataFrame, share: float, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return table.with_columns(
        pl.Series(name, np.where(rng.random(len(table)) < share, rng.permutation(table[name]), table[name]))
        for name in table.columns
    )


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_on_identical_files_it_finds_everybody_up_to_twins(estimate):
    table = people(600, 0)
    result = attacked(release(table), release(table), estimate=estimate)
    assert result.value == pytest.approx(table.n_unique() / 600)
    assert result.facts["sure links"] == 0


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_planted_leak_is_found(estimate):
    """A tenth of the cells was changed: whoever kept two rare values or more (97 %) can be found, nearly all are."""
    table = people(1000, 1)
    order = np.random.default_rng(2).permutation(1000)
    masked = release(changed(table, 0.1, 3)).take(order)
    result = attacked(masked, release(table), order, estimate=estimate)
    assert result.value > 0.9


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_independent_files_leave_about_guessing(estimate):
    # hits are about Poisson(1): more than 7 come once in a hundred thousand seeds
    result = attacked(release(people(500, 4)), release(people(500, 5)), estimate=estimate)
    assert result.value <= 7 / 500


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_permuting_either_file_changes_nothing(estimate):
    example = clinic(300, seed=3)
    whole = Release(example.frame, **example.roles, kinds=example.kinds, missing="own").select(("zip", "sex", "income"))
    masked = whole.protect(RankSwap(columns="income", percent=5), seed=1).release
    plain = attacked(masked, whole, knows=whole.columns, estimate=estimate).per_record.values()
    order, other = np.random.default_rng(1).permutation(300), np.random.default_rng(2).permutation(300)
    moved = Probabilistic(estimate=estimate).claims(
        masked.take(order), Scenario.worst_case(whole.take(other), knows=whole.columns)
    )
    result = judge(moved, Truth(released=order, intruder=other))
    assert result.per_record.values() == pytest.approx(plain[other], abs=1e-9)


def census(reference_data) -> Release:
    table = pl.read_csv(reference_data / "census.csv")
    names = [name for name in table.columns if table[name].dtype.is_numeric()]
    return release(table.select(names), kinds=dict.fromkeys(names, "continuous"))


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_on_microaggregated_census_it_claims_a_third_at_most(reference_data, estimate):
    original = census(reference_data)
    masked = original.protect(Mdav(columns=original.columns, k=3), seed=1)
    result = attacked(masked.release, original, knows=original.columns[:6], estimate=estimate)
    assert result.interval[0] <= 1 / 3
    assert result.value > 0.1


def test_on_swapped_census_records_that_compete_beat_distance(reference_data):
    """M-04: dependent columns break the plain iteration, which is said; the estimate that follows finds more."""
    original = census(reference_data)
    knows = original.columns[:5]
    masked = original.protect(RankSwap(columns=original.columns, percent=6), seed=1).release
    claims = Probabilistic().claims(masked, Scenario.worst_case(original, knows=knows))
    assert "'em' is implausible" in claims.notes[0] and "one record" in claims.notes[-1]
    truth = Truth.by_lineage(None, original.size)
    distance = judge(Distance().claims(masked, Scenario.worst_case(original, knows=knows)), truth)
    assert judge(claims, truth).interval[0] > distance.value
    pairs = [(row, row) for row in range(0, original.size, 10)]
    known = attacked(masked, original, knows=knows, estimate="known", known=pairs)
    assert known.value == pytest.approx(judge(claims, truth).value, abs=0.06)


def test_scores_are_chances_that_hold():
    """Of links believed with about 90 % and more, at least so many are right."""
    table = people(1500, 6)
    claims = Probabilistic().claims(release(changed(table, 0.15, 7)), Scenario.worst_case(release(table)))
    result = judge(claims, Truth.by_lineage(None, 1500))
    sure = claims.scores[claims.claim_of] > 0.9
    assert sure.sum() > 300
    assert result.per_record.values()[sure].mean() > 0.9
    assert result.per_record.values()[~sure].mean() < 0.9


def test_thresholds_leave_people_who_are_not_there_unlinked():
    table = people(2000, 8)
    masked = release(changed(table[:1000], 0.1, 9))
    claims = Probabilistic(false_links=0.02, missed_links=0.2).claims(masked, Scenario.worst_case(release(table)))
    sizes = claims.set_sizes()
    assert (sizes[1000:] == 0).mean() > 0.7
    assert (sizes[:1000] == 0).mean() < 0.25
    assert any(note.startswith("linked ") and "clerical" in note for note in claims.notes)


def test_rare_values_decide_when_asked():
    """Anna agrees on a rare name with one record and on a common one with another."""
    names, towns = ["Zoe"] + ["Ann"] * 9, ["X"] * 5 + ["Y"] * 5
    masked = release({"name": names, "town": towns})
    person = release({"name": ["Zoe"], "town": ["Y"]})
    claims = Probabilistic(estimate="fixed", frequencies=True).claims(masked, Scenario.worst_case(person))
    assert claims.set_sizes().tolist() == [1]
    named = claims.candidates[claims.start[0] : claims.start[1]]
    assert np.flatnonzero(np.isin(claims.group_of, named)).tolist() == [0]


def test_blocks_are_kept_apart():
    masked = release({"zip": ["A", "A", "B", None], "x": ["1", "2", "1", "1"]})
    mine = release({"zip": ["A", "B", "C", None], "x": ["1", "2", "1", "1"]})
    claims = Probabilistic(block="zip", estimate="fixed").claims(masked, Scenario.worst_case(mine))
    assert claims.set_sizes().tolist() == [1, 1, 0, 0]


def test_bad_input_is_told():
    masked = release({"zip": ["A", "B"]})
    with pytest.raises(TacitError, match="none of the columns"):
        Probabilistic().claims(masked, Scenario.worst_case(release({"age": [1, 2]})))
    with pytest.raises(TacitError, match="row 5 of the intruder's file, which has 2"):
        Probabilistic(estimate="known", known=[(5, 0)]).claims(masked, Scenario.worst_case(masked))
    wrong = [
        {"estimate": "magic"}, {"estimate": "known"}, {"known": [(0, 0)]}, {"known": [(0.5, 1)], "estimate": "known"},
        {"prior": 1.5}, {"near": (0,)}, {"near": ("x",)}, {"partial": ["zip"]}, {"partial": {"zip": ("x",)}},
        {"frequencies": 1}, {"false_links": 0.1}, {"engine": "magic"},
    ]  # fmt: skip
    for parameters in wrong:
        with pytest.raises(TacitError) as problem:
            Probabilistic(**parameters)
        assert problem.value.fix
    with pytest.raises(TacitError, match="'rent' is not in the table"):
        Probabilistic(block="rent").claims(masked, Scenario.worst_case(masked))


def test_columns_that_tell_nobody_apart_and_other_types():
    alike = release({"c": ["x", "x"], "n": pl.Series("n", [None, None], dtype=pl.String)})
    claims = Probabilistic().claims(alike, Scenario.worst_case(alike))
    assert claims.set_sizes().tolist() == [2, 2]
    assert "tells nobody in the release apart" in claims.notes[0]
    result = attacked(release({"age": ["20", "30", "old"]}), release({"age": [20, 30, 40]}), estimate="fixed")
    assert result.per_record.values().tolist() == pytest.approx([1, 1, 1 / 3])


def test_it_is_a_value():
    made = Probabilistic(partial={"age": [1, 5]}, block=["zip"], near=[0.1])
    assert made == Probabilistic(partial={"age": (1, 5)}, block=("zip",), near=(0.1,))
    assert hash(made) == hash(Probabilistic(partial={"age": (1, 5)}, block="zip", near=(0.1,)))
