"""Requirements on what attacks learn, and what the intruder of a plan has. catalogue: B-01, B-03, B-04, B-06, C-08, D-05."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit import TacitError
from tacit.plan import from_text, run

ROWS = 200
PLAN = """\
[data]
path = "a.csv"
missing = "own"
[roles]
quasi = ["zip", "age"]
confidential = ["ill", "pay"]
[require]
{require}
{more}
[[attack]]
method = "inference"
estimator = "tree"
[[attack]]
method = "singling_out"
attempts = 50
[intruder]
{intruder}
[output]
directory = "out"
"""
EVERY = """\
attribute_inference = 0.99
membership = 0.99
singling_out = 0.99
linkability = 0.99
interval_disclosure = { at_most = 1, percent = 5 }
same_values = 1.0
"""
INTRUDER = 'control = "others.csv"\nalso = ["also.csv"]\nsecond = ["rent"]\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("plans")
    rng = np.random.default_rng(1)
    for name in ("a.csv", "others.csv"):
        place = rng.integers(0, 8, ROWS)
        ill = np.where(rng.random(ROWS) < 0.2, rng.integers(0, 3, ROWS), place % 3)
        pl.DataFrame(
            {
                "zip": [f"N{one}" for one in place],
                "age": rng.integers(20, 80, ROWS),
                "ill": np.array(["flu", "gout", "acne"])[ill],
                "pay": rng.lognormal(10, 1, ROWS).round(2),
                "rent": rng.normal(900, 200, ROWS).round(2),
            }
        ).write_csv(made / name)
    pl.read_csv(made / "a.csv").select("zip", "ill").write_csv(made / "also.csv")
    pl.read_csv(made / "a.csv").select("zip").write_csv(made / "zip.csv")
    pl.read_csv(made / "a.csv").select("ill", zip=pl.lit("HIDDEN") + pl.col("zip")).write_csv(made / "unlike.csv")
    return made


def job(folder: Path, *, require: str = EVERY, intruder: str = INTRUDER, more: str = ""):
    return run(from_text(PLAN.format(require=require, intruder=intruder, more=more), folder=folder), seed=3)


@pytest.fixture(scope="module")
def outcome(folder):
    return job(folder)


def test_every_requirement_on_attacks_has_its_verdict(outcome):
    models = {verdict.model for verdict in outcome.verdicts}
    assert models == {
        "learnt about members", "membership inference", "singling out", "linkability", "interval disclosure", "same values",
    }  # fmt: skip
    by_name = {one.name: one for one in (*outcome.learnt, *outcome.presence)}
    assert by_name["bridge"].result.facts["control"] < by_name["bridge"].result.value
    assert by_name["singling_out"].result.facts["predicates asked for"] == 50, "the section [[attack]] was read"
    composed = [one for one in outcome.learnt if one.name == "composition" and one.result is not None]
    assert [one.result.facts["releases"] for one in composed] == [2]
    assert all("control" in one.result.facts for one in outcome.learnt if one.result is not None)


def test_a_verdict_is_that_of_the_worst_upper_end_over_attacks_and_columns(outcome):
    judged = next(one for one in outcome.verdicts if one.model == "learnt about members")
    assert judged.found == max(one.gain.worst_case for one in outcome.learnt if one.gain is not None)
    assert judged.found == pytest.approx(0.99 - judged.margin)
    worst = max((one for one in outcome.learnt if one.gain is not None), key=lambda one: one.gain.worst_case)
    assert judged.by == f"{worst.name} of {worst.gain.column}", "the attack that decided is named"
    assert next(one for one in outcome.verdicts if one.model == "same values").by is None


def test_the_same_values_as_published_fail_a_bound(folder):
    found = job(folder, require="same_values = 0.5\ninterval_disclosure = { at_most = 0.5, percent = 5 }")
    assert [verdict.holds for verdict in found.verdicts] == [False, False]
    assert {verdict.column for verdict in found.verdicts} == {"ill", "pay"}


@pytest.mark.parametrize(
    ("require", "intruder", "says"),
    [
        ("attribute_inference = 5", "", "require.attribute_inference: attribute_inference = 5 is not a share"),
        ("attribute_inference = true", "", "is not a share"),
        ("membership = 0.4", "", "above 0.5"),
        ("singling_ot = 0.4", "", "did you mean 'singling_out'?"),
        ("interval_disclosure = 0.4", "", "percent = 10"),
        ("membership = 0.9", "", "line 8, require.membership: membership cannot be judged"),
        ("linkability = 0.9", "", "second = […] under [intruder]"),
        ('same_values = { at_most = 0.5, columns = ["il"] }', "", "require.same_values: column 'il'"),
        ("singling_out = 1", 'control = "other.csv"', "intruder.control: there is no such file"),
        ("singling_out = 1", 'control = "zip.csv"', "intruder.control: column 'age'"),
        ("singling_out = 1", 'also = ["nope.csv"]', "intruder.also: there is no such file"),
        ("singling_out = 1", 'also = ["unlike.csv"]', "intruder.also: column 'zip' has values in 'unlike.csv'"),
        ("singling_out = 1", 'second = ["zip"]', "intruder.second: column 'zip' is in both lists"),
        ("singling_out = 1", 'second = ["rentt"]', "intruder.second: column 'rentt'"),
    ],
)
def test_a_mistake_points_at_its_line(folder, require, intruder, says):
    with pytest.raises(TacitError) as caught:
        job(folder, require=require, intruder=intruder)
    assert says in str(caught.value)
    assert "HIDDEN" not in str(caught.value), "an error shows no value of the data"


def test_without_confidential_columns_nothing_can_be_learnt(folder):
    text = PLAN.format(require="attribute_inference = 0.5", intruder="", more="")
    plan = from_text(text.replace('["ill", "pay"]', "[]"), folder=folder)
    with pytest.raises(TacitError, match="declare a confidential column"):
        run(plan)


def test_the_parameters_of_an_attack_on_linkability_are_used(folder):
    more = '[[attack]]\nmethod = "bridge"\nmost = 5'
    found = job(folder, require="singling_out = 1", intruder='second = ["rent"]', more=more)
    (bridged,) = (one.result for one in found.presence if one.about == "linkability")
    assert bridged.facts["mean candidates"] <= 5
