"""Splink beside our own linkage: the same parameters, the same links. catalogue: C-05."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import Probabilistic
from tacit.attack.fellegi_sunter.comparison import Files
from tacit.attack.fellegi_sunter.em import Model, run_em
from tacit.attack.fellegi_sunter.estimate import initial_model
from tacit.attack.fellegi_sunter.patterns import count_patterns
from tacit.attack.fellegi_sunter.splink import blocking_rule, make_linker
from tacit.attack.probabilistic import prepare_files
from tacit.claims import LinkClaims, Scenario, Truth, judge
from tacit.protect import AddNoise

ABOUT = {"estimate": "fixed", "partial": {"age": (1, 5)}}
pytest.importorskip("splink", reason="Splink is not installed")


def same(one: LinkClaims, other: LinkClaims) -> None:
    """The same released rows for every person, believed alike."""
    named = [
        [set(claims.candidates[a:b].tolist()) for a, b in zip(claims.start[:-1], claims.start[1:], strict=True)]
        for claims in (one, other)
    ]
    assert named[0] == named[1]
    assert one.scores == pytest.approx(other.scores, abs=1e-6)


def sides(rows: int, missing: str) -> tuple[Release, Release]:
    rng = np.random.default_rng(1)
    truth = np.column_stack([rng.integers(0, size, rows) for size in (4, 30, 60)])
    again = np.where(rng.random(truth.shape) < 0.1, rng.permuted(truth, axis=0), truth)
    age = rng.integers(20, 90, rows)
    found = []
    for table, numbers in ((truth, age), (again, age + rng.integers(-2, 3, rows))):
        gaps = rng.random(table.shape) < 0.03
        columns = {
            f"c{place}": pl.Series(
                [None if gap else str(value) for value, gap in zip(table[:, place], gaps[:, place], strict=True)]
            )
            for place in range(3)
        }
        columns["age"] = pl.Series(numbers)
        frame = pl.DataFrame(columns)
        found.append(Release(frame, quasi=frame.columns, kinds={"age": "continuous"}, missing=missing))
    return found[0], found[1]


def trained(made, files: Files, start: Model) -> Model:
    """The parameters that Splink estimates by expectation and maximisation over all pairs."""
    made._settings_obj.training_settings = replace(
        made._settings_obj.training_settings, em_convergence=1e-7, max_iterations=1000
    )
    made.training.estimate_parameters_using_expectation_maximisation(
        blocking_rule(files),
        estimate_without_term_frequencies=True,
        fix_u_probabilities=False,
        populate_probability_two_random_records_match_from_trained_values=True,
        record_sample_proportion=1.0,
    )
    saved = made.misc.save_model_to_json()
    sides: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for one, before in zip(saved["comparisons"], zip(start.m, start.u, strict=True), strict=True):
        levels = [level for level in one["comparison_levels"] if not level.get("is_null_level")][::-1]
        for side, name, old in zip(sides, ("m_probability", "u_probability"), before, strict=True):
            side.append(np.array([level.get(name) or float(old[place]) for place, level in enumerate(levels)]))
    return Model(tuple(sides[0]), tuple(sides[1]), float(saved["probability_two_random_records_match"]), "splink")


@pytest.mark.parametrize("missing", ["any", "own"])
def test_splink_estimates_the_same_parameters_to_three_decimals(missing):
    theirs, mine = sides(300, missing)
    files, _ = prepare_files(theirs, mine, near=(), partial={"age": (1, 5)}, block=())
    counted = count_patterns(files)
    start = initial_model(files, counted, prior=1 / 300, estimate="em")
    ours, splink = run_em(counted, start), trained(make_linker(files, start), files, start)
    assert ours.converged
    assert splink.prior * 300 == pytest.approx(ours.prior * 300, abs=5e-4)
    for one, other in zip(ours.m + ours.u, splink.m + splink.u, strict=True):
        assert one == pytest.approx(other, abs=5e-4)


@pytest.mark.parametrize("missing", ["any", "own"])
@pytest.mark.parametrize("block", [(), ("c0",)])
def test_splink_links_the_same_records(missing, block):
    theirs, mine = sides(200, missing)
    made = [Probabilistic(**ABOUT, block=block, engine=engine) for engine in ("tacit", "splink")]
    same(*(attack.claims(theirs, Scenario.worst_case(mine)) for attack in made))


@pytest.mark.parametrize("missing", ["any", "own"])
def test_rare_values_weigh_the_same_in_splink(missing):
    theirs, mine = sides(150, missing)
    made = [Probabilistic(**ABOUT, frequencies=True, engine=engine) for engine in ("tacit", "splink")]
    same(*(attack.claims(theirs, Scenario.worst_case(mine)) for attack in made))


def test_two_files_of_one_record_are_linked():
    one = Release(pl.DataFrame({"zip": ["N1"], "sex": ["f"]}), quasi=["zip", "sex"], missing="any")
    two = Release(pl.DataFrame({"zip": ["N1", "N2"], "sex": ["f", "m"]}), quasi=["zip", "sex"], missing="any")
    for theirs in (one, two):
        claims = Probabilistic(estimate="fixed", engine="splink").claims(theirs, Scenario.worst_case(one))
        assert claims.set_sizes().tolist() == [1]


def on_spark(spark, release: Release) -> Release:
    """The same file in two partitions, in another order of rows than that of the table."""
    frame = spark.createDataFrame(release.to_native().to_arrow()).repartition(2).localCheckpoint()
    return Release(frame, quasi=release.quasi, kinds={"age": "continuous"}, missing=release.missing)


def in_memory(release: Release) -> Release:
    """A release on Spark as its row numbers have it."""
    rows = release.scan(numbered=True).collect("polars").to_native().sort("__tacit_row")
    frame = rows.select(release.columns)
    return Release(frame, quasi=release.quasi, kinds={"age": "continuous"}, missing=release.missing)


def test_spark_links_the_same_records_and_leaves_the_session_as_it_was(spark):
    """A masked release and the intruder's file on Spark: row i of one is row i of the other, as in memory."""
    original = on_spark(spark, sides(80, "any")[1])
    masked = original.protect(AddNoise(columns="age", variance=0.001), seed=3).release
    views, scenario = spark.catalog.listTables(), Scenario.worst_case(original)
    attack = Probabilistic(**ABOUT, block="c0", engine="splink")
    claims = attack.claims(masked, scenario)
    assert spark.catalog.listTables() == views
    plain = in_memory(original)
    here = Probabilistic(**ABOUT, block="c0").claims(in_memory(masked), Scenario.worst_case(plain))
    same(claims, here)
    assert claims.claim_of.tolist() == here.claim_of.tolist() and claims.group_of.tolist() == here.group_of.tolist()
    blocked = plain.series("c0").is_not_null().mean()
    assert judge(claims, Truth.by_lineage(None, plain.size)).value > 0.9 * blocked

    alone = Probabilistic(**ABOUT)
    assert "engine='splink'" in alone.applies(masked, scenario)
    with pytest.raises(TacitError, match="engine='splink'") as problem:
        alone.claims(masked, scenario)
    assert "engine='splink'" in problem.value.fix
