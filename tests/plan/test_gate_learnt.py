"""Requirements on what attacks learn, on membership and on singling out. catalogue: B-06, B-09, D-06."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Release, Result, TacitError
from tacit.attack import Lookup, Membership, People
from tacit.attack.runner import AttackResult
from tacit.claims import Scenario, Truth
from tacit.plan.attack_run import AttackResults, AttackSelection, run_all_attacks
from tacit.plan.attribute_report import report_attributes
from tacit.plan.gate import NO_OUTSIDERS, verdicts_on
from tacit.plan.require import Requirements


def people(size: int, seed: int, *, rule: bool) -> Release:
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], size)
    ill = np.where(sex == "f", "flu", "gout") if rule else rng.choice(["flu", "gout"], size)
    return Release(
        pl.DataFrame({"sex": sex, "age": rng.normal(50, 10, size), "ill": ill}),
        quasi=["sex", "age"],
        confidential="ill",
    )


def verdict(release: Release, name: str, bound: float, *, control: Release | None = None, knows=None):
    about = (
        {"attribute": {"lookup": Lookup()}} if name == "attribute_inference" else {"membership": {"m": Membership()}}
    )
    scenario = Scenario.worst_case(release, knows=knows)
    given = People(truth=Truth.by_lineage(None, release.size), file=release, control=control)
    made = run_all_attacks(release, scenario, given, AttackSelection(about=about, columns=("ill",)), seed=1)
    (found,) = verdicts_on(Requirements.of({name: bound}), release, made)
    return found, made


def test_knowledge_about_the_world_passes_and_a_persons_own_record_does_not():
    for control in (None, people(300, 2, rule=True)):
        passed, _ = verdict(people(300, 1, rule=True), "attribute_inference", 0.05, control=control, knows="sex")
        assert passed.holds and passed.model == "learnt about members" and passed.column == "ill"
        assert (NO_OUTSIDERS in passed.notes) == (control is None)
    for control in (None, people(300, 2, rule=False)):
        failed, made = verdict(people(300, 1, rule=False), "attribute_inference", 0.3, control=control)
        assert not failed.holds and (NO_OUTSIDERS in failed.notes) == (control is None)
        assert failed.found == made.learnt[0].gain.interval[1] > 0.4


def test_the_upper_end_of_the_gain_counts_not_the_gain_and_not_what_is_right():
    r = people(30, 1, rule=True)
    found, made = verdict(r, "attribute_inference", 0.05, knows="sex")
    gain = made.learnt[0].gain
    assert (made.learnt[0].result.value, gain.value) == (1.0, 0.0)
    # no difference of 30 pairs: z · √(1/n / n) = 1.96 / 30
    assert found.found == gain.interval[1] == pytest.approx(1.959964 / 30) and not found.holds
    assert any("too small to be sure" in note for note in found.notes)


def test_what_cannot_be_judged_is_said():
    with pytest.raises(TacitError, match="membership cannot be judged") as problem:
        verdict(people(30, 1, rule=True), "membership", 0.6)
    assert "control" in problem.value.fix
    r = people(30, 1, rule=True).with_columns({"ill": pl.Series(["flu"] * 30)})
    with pytest.raises(TacitError, match="one value only"):
        verdict(r, "attribute_inference", 0.05)


def test_one_lesson_that_cannot_be_had_does_not_hide_the_other():
    """The intruder knows a column that the release does not have: no sets of columns, but the models can be compared."""
    r = people(60, 1, rule=True)
    (found,) = report_attributes(
        r.select(["age", "sex", "ill"]),
        r,
        ["ill"],
        lineage=np.arange(60),
        knows=["ill"],
        percent=10.0,
    )
    assert found.sets is None and found.agreement is not None and len(found.notes) == 1


def test_of_several_attacks_that_with_the_highest_upper_end_is_judged():
    def gained(name: str, value: float, interval: tuple[float, float]) -> AttackResult:
        share = Result(name=name, value=value, interval=interval, worse="high", about="attribute", column="ill")
        return AttackResult(name=name, about="attribute", result=share, gain=share)

    both = gained("lookup", 0.2, (0.19, 0.21)), gained("inference", 0.1, (0.0, 0.4))
    chosen = AttackSelection(about={"attribute": {"lookup": Lookup(), "inference": Lookup()}}, columns=("ill",))
    (found,) = verdicts_on(
        Requirements.of({"attribute_inference": 0.3}),
        people(10, 1, rule=True),
        AttackResults(results=both, chosen=chosen),
    )
    assert (found.holds, found.found, found.model) == (False, 0.4, "inference")
