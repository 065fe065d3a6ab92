"""A plan that only says what must hold: the step takes the models of [require]. catalogue: D-07, C-01."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import TacitError
from tacit.examples import clinic
from tacit.plan import from_text, run
from tacit.report import render

PLAN = """
[data]
path = "people.csv"
missing = "own"
{data}
[roles]
identifier = ["name", "phone"]
quasi = ["zip", "birth", "sex"]
confidential = ["diagnosis"]
[hierarchies]
zip = {{ prefix = [5, 3, 1] }}
birth = {{ dates = ["month", "year", "decade"] }}
[require]
k_anonymity = 3
{require}
[[protect]]
method = "{method}"
"""


@pytest.fixture
def folder(tmp_path):
    people = clinic(600, seed=5).frame.select("name", "phone", "zip", "birth", "sex", "diagnosis")
    people.write_csv(tmp_path / "everybody.csv")
    people[:200].write_csv(tmp_path / "people.csv")
    return tmp_path


def planned(folder, *, require: str = "", data: str = "", method: str = "anonymise"):
    return from_text(PLAN.format(require=require, data=data, method=method), folder=folder)


@pytest.mark.parametrize("method", ["anonymise", "full_domain", "mondrian", "k_member", "local_recode"])
def test_a_step_without_models_provides_those_required_and_is_attacked(folder, method):
    outcome = run(
        planned(folder, require="l_diversity = 2\nreidentification = 0.5", method=method), seed=1, out=folder / "out"
    )
    assert outcome.holds, [str(verdict) for verdict in outcome.verdicts]
    written = pl.read_csv(outcome.staged.files[0], infer_schema=False)
    assert written.group_by("zip", "birth", "sex").len()["len"].min() >= 3
    assert outcome.attacks[0].result is not None


def test_the_internal_report_says_how_it_was_found_and_the_public_one_does_not(folder):
    outcome = run(planned(folder), seed=1, out=folder / "out")
    internal, public = (render(outcome, audience=audience) for audience in ("internal", "public"))
    assert "How the protection was found" in internal
    assert "local_recode" in internal
    assert "How the protection was found" not in public


def test_a_population_file_serves_models_and_measures(folder):
    plan = planned(folder, data='population = "everybody.csv"', require="k_map = 3\ndelta_presence = 0.9")
    outcome = run(plan, seed=1, out=folder / "out")
    named = {verdict.model: verdict for verdict in outcome.verdicts}
    assert named["k-map"].holds
    assert any(result.name.startswith("population uniques") for result in outcome.before)


def test_a_measure_is_held_to_a_bound(folder):
    outcome = run(
        planned(folder, require="sample_uniques = 0\nspecial_uniques = { at_most = 0.0 }"), seed=1, out=folder / "out"
    )
    bounded = [verdict for verdict in outcome.verdicts if verdict.model in ("sample uniques", "special uniques")]
    assert outcome.holds
    assert bounded


@pytest.mark.parametrize(
    ("require", "words"),
    [
        ("sample_uniques = { at_moost = 3 }", "at_most"),
        ("sample_uniques = 'few'", "is no bound"),
        ("k_mapp = 3", "did you mean"),
    ],
)
def test_mistakes_in_requirements_name_their_line(folder, require, words):
    with pytest.raises(TacitError, match=words) as caught:
        planned(folder, require=require)
    assert "line" in str(caught.value)


def test_a_population_that_is_not_there_is_said_before_anything_is_done(folder):
    with pytest.raises(TacitError, match="population"):
        run(planned(folder, data='population = "nobody.csv"'), seed=1, out=folder / "out")
    with pytest.raises(TacitError, match="population"):
        run(planned(folder, require="k_map = 3"), seed=1, out=folder / "out")
