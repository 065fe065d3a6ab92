"""Interval disclosure as a model, and in a plan. catalogue: D-06, B-01, B-03."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.models import IntervalDisclosure, KAnonymity
from tacit.plan import from_text, run
from tacit.plan.audit import run_audit
from tacit.protect import Anonymise, RankSwap
from tacit.report.statement import requirement_meaning, statement
from tacit.risk import interval_disclosure

PLAN = """\
[data]
path = "people.csv"
[roles]
quasi = ["age"]
confidential = ["pay", "ill"]
[kinds]
age = "continuous"
[require]
{require}
[[protect]]
method = "rank_swap"
columns = ["age", "pay"]
percent = {percent}
[output]
directory = "out"
"""


def people(rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    ill = rng.choice(["flu", "gout", "acne"], rows)
    return pl.DataFrame({"age": rng.integers(18, 90, rows), "pay": rng.lognormal(10, 1, rows), "ill": ill})


def release() -> Release:
    return Release(people(), quasi="age", confidential=["pay", "ill"])


def test_the_worst_column_decides_and_each_may_have_its_own_bound():
    original = release()
    masked = original.protect(RankSwap(columns=["pay"], percent=40), seed=1)
    age, pay = (interval_disclosure(masked, original=original, percent=5)[name].value for name in ("age", "pay"))
    assert age == 1.0 and pay < 0.3
    assert IntervalDisclosure(percent=5, at_most=0.5).holds(masked, original=original), "age is known anyway"
    both = IntervalDisclosure(percent=5, at_most=0.5, columns={"age": 0.9}).holds(masked, original=original)
    assert not both and (both.column, both.found, both.failing_records) == ("age", 1.0, 400)
    bare = original.with_metadata(roles=dict.fromkeys(original.columns, "quasi"))
    assert IntervalDisclosure(percent=5, at_most=0.5).holds(masked, original=bare).column == "age", "nothing to protect"
    only = IntervalDisclosure(percent=5, columns={"pay": pay}).holds(masked, original=original)
    assert only and only.column == "pay" and only.margin == 0
    assert not IntervalDisclosure(percent=5, columns={"pay": pay - 0.01}).holds(masked, original=original)


def test_a_bound_that_chance_breaks_is_said():
    original = release()
    verdict = IntervalDisclosure(percent=50, at_most=0.1, by="deviation").holds(original, original=original)
    assert not verdict and any("at random" in note for note in verdict.notes)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"percent": 10}, "no at_most is given"),
        ({"percent": 10, "at_most": 1.5}, "not a share"),
        ({"percent": 0, "at_most": 0.5}, "no width"),
        ({"percent": 10, "at_most": 0.5, "by": "sd"}, "no form of interval"),
    ],
)
def test_mistakes_are_named(fields, words):
    with pytest.raises(TacitError, match=words):
        IntervalDisclosure(**fields)


def test_it_is_a_value_and_asks_for_the_original():
    one = IntervalDisclosure(percent=10, at_most=0.3)
    assert hash(one) == hash(IntervalDisclosure(percent=10, at_most=0.3)) and repr(one).startswith(
        "IntervalDisclosure("
    )
    with pytest.raises(TacitError, match="original"):
        one.holds(release())
    for models in ([KAnonymity(k=2), one], {"interval_disclosure": {"percent": 10, "at_most": 0.3}}, one):
        with pytest.raises(TacitError, match="asks nothing of classes"):
            Anonymise(models=models)


def planned(folder, require: str, percent: float):
    people().write_csv(folder / "people.csv")
    return run(from_text(PLAN.format(require=require, percent=percent), folder=folder), seed=3, out=folder / "out")


def test_a_plan_requires_it_of_the_released_file(tmp_path):
    strong = "interval_disclosure = { percent = 5, at_most = 0.6 }\nsame_values = 1"
    outcome = planned(tmp_path, strong, 40)
    assert outcome.holds and [one.model for one in outcome.verdicts] == ["interval disclosure", "same values"]
    again = interval_disclosure(outcome.masked, original=outcome.original, percent=5)["pay"]
    assert outcome.verdicts[0].found == again.value and outcome.verdicts[1].found == 1.0
    weak = planned(tmp_path, "interval_disclosure = { percent = 5, at_most = 0.6 }\nsame_values = 0.5", 1)
    assert [bool(one) for one in weak.verdicts] == [False, False]
    said = [requirement_meaning(one, weak) for one in weak.verdicts]
    assert said[0].startswith("At most 60 % of the original values of pay") and "of ill are as they were" in said[1]
    assert "records fall short" in repr(statement(weak))
    with pytest.raises(TacitError, match="needs 'percent'"):
        planned(tmp_path, "interval_disclosure = 0.3", 1)


def test_an_audit_leaves_it_out_in_silence_or_says_why_not():
    outcome = run_audit(release())
    assert not any("interval" in one.name or one.name == "same values" for one in outcome.before)
    assert not any("interval_disclosure" in note or "same_values" in note for note in outcome.notes)
    with pytest.raises(TacitError, match="tacit compare"):
        run_audit(release(), wanted=["same_values"])
    for required in ({"same_values": 0.5}, {"interval_disclosure": {"percent": 10, "at_most": 0.3}}):
        with pytest.raises(TacitError, match="compares the masked file with its original"):
            run_audit(release(), require=required)
