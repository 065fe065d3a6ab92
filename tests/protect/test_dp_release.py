"""A release with differentially private steps: from the plan to the pages, with the guarantee in the trace (E-07)."""

from __future__ import annotations

import json

import polars as pl
import pytest

from tacit.examples import clinic
from tacit.plan import load, run
from tacit.protect.nonreproducible import nonreproducible_methods
from tacit.report import publish

PLAN = """\
[data]
path = "people.parquet"
missing = "own"
[roles]
identifier = ["name", "phone"]
quasi = ["sex", "visits"]
confidential = ["rent", "diagnosis"]
[kinds]
visits = "continuous"
[require]
reidentification = 0.2
[[protect]]
method = "randomised_response"
columns = ["sex"]
epsilon = 1
categories = { sex = ["F", "M", "X"] }
[[protect]]
method = "dp_microaggregate"
columns = ["visits", "rent"]
k = 40
epsilon = 0.5
bounds = { visits = [0, 100], rent = [0, 5000] }
[output]
directory = "out"
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """The same plan twice with the same seed, the first one published."""
    folder = tmp_path_factory.mktemp("private")
    clinic(400, seed=1).frame.select("name", "phone", "sex", "visits", "rent", "diagnosis").write_parquet(
        folder / "people.parquet"
    )
    (folder / "plan.toml").write_text(PLAN)
    found = []
    for target in ("one", "two"):
        outcome = run(load(folder / "plan.toml"), seed=7, out=folder / target)
        publish(outcome, folder / target)
        found.append((outcome, folder / target))
    return found


def test_the_steps_pass_the_attacks_and_are_published_with_their_guarantee(outcomes):
    outcome, folder = outcomes[0]
    assert outcome.holds
    assert outcome.attacks
    told = json.loads((folder / "public" / "trace.json").read_text())
    steps = {step["method"]: step for step in (told if isinstance(told, list) else told["trace"])}
    promised = steps["dp_microaggregate"]["outcome"]["guarantee"]
    assert (promised["epsilon"], promised["delta"], promised["neighbours"]) == (0.5, 0, "one record replaced")
    assert steps["dp_microaggregate"]["parameters"]["bounds"] == {"visits": [0, 100], "rent": [0, 5000]}
    assert "diagnosis" in steps["dp_microaggregate"]["outcome"]["not_covered"]
    assert "range" in steps["dp_microaggregate"]["outcome"]["sensitivity"]


def test_a_seed_does_not_repeat_the_noise_and_the_pages_say_so(outcomes):
    (one, folder), (two, _) = outcomes
    assert not one.masked.release.series("rent").equals(two.masked.release.series("rent"))
    said = nonreproducible_methods(["randomised_response", "dp_microaggregate"])[0]
    assert said in one.notes
    assert f"gives the same release again, except that {said}." in (folder / "internal" / "report.html").read_text()


def test_other_steps_are_not_spoken_of():
    assert nonreproducible_methods(["rank_swap", "mdav", "unknown"]) == ()


def test_the_released_columns_keep_their_types_and_bounds(outcomes):
    released = outcomes[0][0].masked.release
    assert released.series("visits").dtype == pl.Int64
    assert released.series("rent").is_between(0, 5000).all()
