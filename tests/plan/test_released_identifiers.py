"""A job looks itself for direct identifiers in what it releases, whatever roles its plan gives the columns."""

from __future__ import annotations

import random

import pytest

from tacit.plan.job import run
from tacit.plan.load import load

NAMES = [
    "Anderson, James",
    "Becker, Heike",
    "Garcia, Maria",
    "Novak, Eva",
    "Müller, Uwe",
    "Rossi, Paola",
    "Lee, David",
    "Roux, Luc",
]
PLAN = """
[data]
path = "visits.csv"
[roles]
{roles}
[require]
k_anonymity = 5
reidentification = 0.2
"""


@pytest.fixture
def job(tmp_path):
    """Runs a plan with these roles on 400 visits of people with a number and a name; which columns are reported, and the state."""
    drawn = random.Random(3)
    numbers = drawn.sample(range(10_000, 990_000), 400)
    rows = [f'{number},"{drawn.choice(NAMES)}",{drawn.choice("fm")}' for number in numbers]
    (tmp_path / "visits.csv").write_text("number,seen_by,sex\n" + "\n".join(rows) + "\n", encoding="utf-8")

    def done(roles):
        (tmp_path / "p.toml").write_text(PLAN.format(roles=roles), encoding="utf-8")
        outcome = run(load(tmp_path / "p.toml"), seed=1, out=tmp_path / "out")
        reported = {gap.columns[0] for gap in outcome.gaps if gap.code == "identifier_released"}
        return reported, outcome.state

    return done


def test_a_plan_that_forgets_identifiers_is_never_green(job):
    assert job('quasi = ["sex"]') == ({"number", "seen_by"}, "not_covered")


def test_a_number_that_somebody_decided_to_release_is_their_decision_and_names_are_reported_all_the_same(job):
    reported, state = job('quasi = ["sex", "seen_by"]\nunrestricted = ["number"]')
    assert reported == {"seen_by"} and state != "met"


def test_identifiers_that_are_dropped_leave_nothing_to_report(job):
    assert job('quasi = ["sex"]\nidentifier = ["number", "seen_by"]') == (set(), "met")
