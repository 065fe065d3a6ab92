"""Households in a plan: the number is dropped unless it is kept, and then the attack on households counts."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import TacitError
from tacit.plan import load
from tacit.plan.example_files import write_example
from tacit.plan.job import run

PLAN = """
[data]
path = "homes.csv"
missing = "own"

[roles]
quasi = ["age", "sex"]
confidential = ["pay"]
household = "home"
{keep}

[kinds]
age = "ordinal"
sex = "ordinal"
home = "code"

[require]
k_anonymity = 2
reidentification = 0.2
{more}

[[protect]]
method = "{method}"
{parameters}
"""


@pytest.fixture
def job(tmp_path):
    rng = np.random.default_rng(0)
    home = np.repeat(np.arange(400), rng.integers(1, 5, 400))
    cells = {"home": home, "age": rng.integers(0, 6, len(home)), "sex": rng.integers(0, 2, len(home))}
    frame = pl.DataFrame({**cells, "pay": rng.normal(100, 20, len(home)).round(1)})
    frame.write_csv(tmp_path / "homes.csv")

    def done(*, keep="", more="", method="suppress_cells", parameters="k = 3"):
        (tmp_path / "plan.toml").write_text(PLAN.format(keep=keep, more=more, method=method, parameters=parameters))
        return run(load(tmp_path / "plan.toml"), seed=3, out=tmp_path / "out")

    return done


def test_the_number_is_dropped_unless_it_is_kept(job):
    outcome = job()
    assert "home" not in pl.read_csv(outcome.staged.files[0]).columns
    assert "drop_household" in [step.method for step in outcome.masked.trace]
    assert outcome.holds
    household = next(one for one in outcome.attacks if one.name == "household")
    assert household.result is None and "not in the release" in household.why_not
    assert "row_order" not in [gap.code for gap in outcome.gaps]


def test_a_kept_number_is_attacked_and_fails_the_verdict(job):
    outcome = job(keep="keep_household = true")
    assert "home" in pl.read_csv(outcome.staged.files[0]).columns
    household = next(one for one in outcome.attacks if one.name == "household").result
    others = [one.result.worst_case for one in outcome.attacks if one.result and one.name != "household"]
    assert household.value > 0.2 > max(others)
    verdict = next(one for one in outcome.verdicts if one.model == "re-identification")
    assert not verdict.holds and verdict.by == "household"
    assert "household" in outcome.intruders[0].attacks


def test_anonymise_provides_k_anonymity_of_households(job):
    outcome = job(keep="keep_household = true", more="household_k_anonymity = 3", method="anonymise", parameters="")
    verdict = next(one for one in outcome.verdicts if one.model == "k-anonymity of households")
    assert verdict.holds and verdict.found >= 3
    household = next(one for one in outcome.attacks if one.name == "household").result
    kept = job(keep="keep_household = true", method="anonymise", parameters="")
    before = next(one for one in kept.attacks if one.name == "household").result
    assert household.value < 0.5 * before.value
    numbers = pl.read_csv(outcome.staged.files[0])["home"]
    assert 0 < numbers.null_count() < len(numbers)


def test_k_of_households_needs_their_number(job):
    with pytest.raises(TacitError, match="keep_household = true"):
        job(more="household_k_anonymity = 3")


def test_the_demo_is_met_and_no_gap_is_left(tmp_path):
    write_example("clinic", tmp_path, rows=4000, seed=0)
    outcome = run(load(tmp_path / "plan.toml"), seed=1, out=tmp_path / "out")
    assert outcome.state == "met", [str(gap) for gap in outcome.gaps]
    worst = max(one.result.worst_case for one in outcome.attacks if one.result is not None)
    assert worst <= 0.05
    assert "household" not in outcome.masked.release.columns
