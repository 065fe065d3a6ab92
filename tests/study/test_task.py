"""What the store knows a study by: everything that changes a candidate's outcome, and nothing else."""

from dataclasses import replace

import polars as pl
import pytest

from tacit.plan import load
from tacit.study.digests import digest
from tacit.study.explore import resolve_plan
from tacit.study.microdata import MICRODATA


def content(plan, **changes):
    text = plan.read_text(encoding="utf-8")
    for old, new in changes.pop("text", {}).items():
        assert old in text
        text = text.replace(old, new)
    other = plan.with_name("other.toml")
    other.write_text(text, encoding="utf-8")
    loaded, original = resolve_plan(load(other), said=changes.pop("said", {}))
    return MICRODATA.make_task(loaded, original, **{"seed": 1, **changes}).content_digest


@pytest.mark.parametrize(
    "changes",
    [
        {"text": {"# a comment that stays": "# another"}},
        {"text": {"squared_error = 2": "squared_error = 5"}},
        {"text": {"k = 4": "k = 5"}},
        {"said": {"prefer": {"risk": 1}, "at_most": {"loss": 0.5}, "candidates": 3, "search": "random"}},
        {"text": {"[require]": '[output]\ndirectory = "x"\n\n[require]'}},
    ],
)
def test_what_changes_no_outcome_loses_no_work(plan, changes):  # catalogue: F-06
    assert content(plan, **changes) == content(plan)


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 2},
        {"text": {"reidentification = 0.4": "reidentification = 0.5"}},
        {"text": {"percent = 10": "percent = 11"}},
        {"text": {'age = "continuous"': ""}},
        {"text": {'confidential = ["pay"]': ""}},
        {"text": {"[require]": '[intruder]\ntold = "nothing"\n\n[require]'}},
        {"text": {"[require]": '[intruder]\nknows = ["age"]\n\n[require]'}},
        {"text": {"[require]": '[intruder]\ncontrol = "pay.csv"\n\n[require]'}},
        {"text": {"[require]": '[intruder]\nsecond = ["pay"]\n\n[require]'}},
        {"text": {"[require]": "[hierarchies]\nrent = { intervals = [50, 100] }\n\n[require]"}},
        {"text": {"[study]": '[[attack]]\nmethod = "distance"\nstandardise = false\n\n[study]'}},
        {"text": {'path = "pay.csv"': 'path = "pay.csv"\nmissing = "any"'}},
        {"text": {'path = "pay.csv"': 'path = "pay.csv"\npopulation = "pay.csv"'}},
        {"said": {"attacks": ["one_to_one"]}},
        {"said": {"loss": {"moments": 1}}},
    ],
)
def test_what_may_change_an_outcome_finds_nothing_old(plan, changes):
    assert content(plan, **changes) != content(plan)


def test_a_hierarchy_is_known_by_its_content(plan):
    changes = {"text": {"[require]": '[hierarchies]\nage = { file = "age.csv" }\n\n[require]'}}
    ages = pl.read_csv(plan.parent / "pay.csv")["age"].unique().sort()

    def with_groups(size):
        pl.DataFrame({"age": ages, "group": (ages // size).cast(pl.String)}).write_csv(plan.parent / "age.csv")
        return content(plan, **changes)

    assert with_groups(10) == with_groups(10)
    assert with_groups(10) != with_groups(20)


def test_another_version_of_tacit_computes_again(plan, monkeypatch):
    before = content(plan)
    monkeypatch.setattr("tacit.study.microdata.record_study.version", lambda _: "99")
    assert content(plan) != before


def test_labels_of_several_levels_are_part_of_a_release(release):
    mixed = release.with_metadata(mixed=("age",))
    assert digest(1, mixed) != digest(1, release)
    assert digest(1, release, None) != digest(1, release)


def test_nothing_required_is_not_a_requirement_that_always_holds(release):
    """The plan of data in memory needs a requirement to be one; what is stored for the one has no verdict for the other."""
    nothing, original = resolve_plan(release, said={})
    always, _ = resolve_plan(release, require={"reidentification": 1.0}, said={})
    contents = {MICRODATA.make_task(plan, original, seed=1).content_digest for plan in (nothing, always)}
    assert len(contents) == 2
    assert replace(nothing, requirements=always.requirements).plan.require == always.plan.require


def test_a_function_is_known_by_its_code():
    """Where it lies in memory says nothing: another one may lie there later, and the same one elsewhere tomorrow."""

    def made(factor):
        return lambda frame: [factor * one for one in frame]

    assert digest({"f": made(2)}) == digest({"f": made(2)})
    assert digest({"f": made(2)}) != digest({"f": made(3)})
    assert digest({"f": lambda x: x + 1}) != digest({"f": lambda x: x + 2})
    assert digest({"f": lambda x: x.mean()}) != digest({"f": lambda x: x.sum()})
    assert digest({"f": lambda x: [y + 1 for y in x]}) != digest({"f": lambda x: [y + 2 for y in x]})
