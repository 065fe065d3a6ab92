"""A job is met only when its requirements cover identities, every confidential attribute and every attack that applies."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Release
from tacit.attack.attack import ProgramLimit
from tacit.attack.runner import AttackResult
from tacit.cli.app import app
from tacit.errors import TacitError
from tacit.models.verdict import Verdict
from tacit.plan.attack_run import AttackResults
from tacit.plan.coverage import GAPS, REMEDIES, Gap, gaps_of_columns, gaps_of_requirements, gaps_of_rows, state_of
from tacit.plan.require import Requirements
from tacit.result import Result

PEOPLE = Release(
    pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "flu", "acne", "flu"], "pay": [1.0, 2.0, 3.0, 4.0]}),
    quasi="zip",
    confidential=["ill", "pay"],
)
FOUND = AttackResults(
    results=(
        AttackResult(
            name="distance",
            result=Result(name="re-identification", value=0.4, interval=(0.3, 0.5), worse="high", about="identity"),
        ),
    )
)


def codes(
    require: dict[str, object], made: AttackResults = FOUND, **options: bool
) -> list[tuple[str, tuple[str, ...]]]:
    gaps = gaps_of_requirements(Requirements.of(require), PEOPLE, made=made, after=(), **options)
    return [(gap.code, gap.columns) for gap in gaps]


BOTH = {"reidentification": 0.05, "l_diversity": 2}


def test_requirements_on_attacks_and_on_every_attribute_leave_no_gap():
    assert codes(BOTH) == []


@pytest.mark.parametrize("k", [2, 5, 100])
def test_k_anonymity_alone_covers_neither_identities_nor_attributes(k):
    assert codes({"k_anonymity": k}) == [
        ("identity_not_required", ()),
        ("attribute_not_required", ("ill",)),
        ("attribute_not_required", ("pay",)),
    ]


def test_what_the_worst_attack_finds_stands_in_the_gap():
    gaps = gaps_of_requirements(Requirements.of({"k_anonymity": 2}), PEOPLE, made=FOUND, after=())
    assert gaps[0].share == 0.5, "the upper end of the interval counts"
    assert "up to 50 % of the people" in str(gaps[0])


def test_a_requirement_on_one_column_leaves_the_other_open():
    assert codes({"reidentification": 0.05, "l_diversity": {"columns": {"ill": 2}}}) == [
        ("attribute_not_required", ("pay",))
    ]
    only_numbers = {"reidentification": 0.05, "interval_disclosure": {"at_most": 0.3, "percent": 10}}
    assert codes(only_numbers) == [("attribute_not_required", ("ill",))]
    assert codes(only_numbers | {"l_diversity": {"columns": {"ill": 2}}}) == []


@pytest.mark.parametrize(
    "requirement",
    [{"l_diversity": 1}, {"t_closeness": 1.0}, {"alpha_k": {"alpha": 1.0, "k": 2}}],
)
def test_a_bound_that_nothing_can_break_covers_nothing(requirement):
    assert [code for code, _ in codes({"reidentification": 0.05} | requirement)] == ["attribute_not_required"] * 2


@pytest.mark.parametrize(
    "requirement",
    [
        {"t_closeness": 0.5},
        {"beta_likeness": 2.0},
        {"delta_disclosure": 3.0},
        {"alpha_k": {"alpha": 0.5, "k": 2}},
        {"p_sensitivity": {"p": 2, "k": 2}},
    ],
)
def test_every_model_of_attribute_disclosure_covers_all_columns(requirement):
    assert codes({"reidentification": 0.05} | requirement) == []


def test_a_weak_bound_on_re_identification_covers_nothing():
    assert codes({"reidentification": 0.82, "l_diversity": 2}) == [("weak_requirement", ())]
    assert codes({"reidentification": 0.2, "l_diversity": 2}) == []


def test_attacks_on_values_cover_the_columns_that_they_were_made_of():
    learnt = AttackResult(
        name="lookup",
        about="attribute",
        result=Result(name="accuracy", value=0.1, worse="high", about="attribute", column="ill"),
    )
    made = AttackResults(results=(*FOUND.results, learnt))
    require = {"reidentification": 0.05, "attribute_inference": 0.1}
    assert codes(require, made) == [("attribute_not_required", ("pay",))]
    assert len(codes(require | {"attribute_inference": 0.9}, made)) == 2, "a weak bound covers nothing"


def test_an_attack_that_this_program_could_not_run_is_a_gap_and_one_that_the_intruder_could_not_is_none():
    beyond = AttackResult(name="one_to_one", result=None, why_not=ProgramLimit("too many records"))
    lacking = AttackResult(name="composition", result=None, why_not="the intruder has no other release")
    made = AttackResults(results=(*FOUND.results, beyond, lacking))
    assert codes(BOTH, made) == [("attack_not_run", ())]


def test_the_reason_of_a_file_too_large_is_a_limit_of_the_program(monkeypatch):
    from tacit.attack import OneToOne
    from tacit.claims import Scenario

    monkeypatch.setattr("tacit.attack.one_to_one.UPTO", 3)
    assert isinstance(OneToOne().applies(PEOPLE, Scenario.worst_case(PEOPLE)), ProgramLimit)


def test_people_who_are_not_in_the_data_make_membership_a_question():
    assert codes(BOTH, outsiders=True) == [("membership_not_required", ())]
    assert codes(BOTH | {"membership": 0.6}, outsiders=True) == []


def test_in_an_invented_file_copies_or_membership_cover_identities():
    assert codes({"l_diversity": 2}, AttackResults(), invented=True) == [("identity_not_required", ())]
    assert codes({"l_diversity": 2, "copies": 0.05}, AttackResults(), invented=True) == []


def test_without_quasi_identifiers_no_attack_can_be_made():
    nobody = Release(pl.DataFrame({"ill": ["flu"]}), confidential="ill")
    found = gaps_of_requirements(Requirements.of({"l_diversity": 2}), nobody, made=AttackResults(), after=())
    assert [gap.code for gap in found] == ["no_quasi_identifiers"]


def test_undecided_columns_are_measured_together():
    """One column alone makes nobody unique, two together everybody: the old check looked at one at a time."""
    genes = pl.DataFrame({"sex": ["f"] * 16, "a": [i // 4 for i in range(16)], "b": [i % 4 for i in range(16)]})
    (gap,) = gaps_of_columns(Release(genes, quasi="sex"))
    assert (gap.code, gap.columns, gap.share) == ("undecided_columns", ("a", "b"), 1.0)
    decided = Release(genes, quasi="sex", unrestricted=["a", "b"])
    assert gaps_of_columns(decided) == ()


def test_undecided_columns_are_a_gap_even_when_they_single_out_nobody():
    same = pl.DataFrame({"sex": ["f", "f"], "flag": ["x", "x"]})
    (gap,) = gaps_of_columns(Release(same, quasi="sex"))
    assert gap.share == 0


def test_identifiers_that_repeat_say_that_rows_are_not_people():
    visits = pl.DataFrame({"patient": [i // 5 for i in range(100)], "zip": ["N1"] * 100})
    (gap,) = gaps_of_rows(Release(visits, identifier="patient", quasi="zip"))
    assert (gap.code, gap.facts) == ("rows_not_people", {"rows": 100, "people": 20})
    unique = pl.DataFrame({"patient": range(100), "zip": ["N1"] * 100})
    assert gaps_of_rows(Release(unique, identifier="patient", quasi="zip")) == ()
    names = pl.DataFrame({"name": ["Ann", *map(str, range(199))], "id": range(200), "zip": ["N1"] * 200})
    assert gaps_of_rows(Release(names, identifier=["name", "id"], quasi="zip")) == (), "namesakes have other numbers"
    gone = pl.DataFrame({"patient": [None] * 50 + list(range(50)), "zip": ["N1"] * 100})
    assert gaps_of_rows(Release(gone, identifier="patient", quasi="zip")) == (), "nobody knows whose these are"


def test_the_three_states():
    good = Verdict(holds=True, model="k", required=2, found=3, margin=1)
    bad = Verdict(holds=False, model="k", required=2, found=1, margin=-1)
    gap = Gap(code="no_requirement")
    assert state_of([good], []) == "met"
    assert state_of([good], [gap]) == "not_covered"
    assert state_of([good, bad], [gap]) == "not_met"
    assert state_of([], []) == "not_covered", "nothing was asked"


def test_a_gap_without_a_sentence_is_refused():
    with pytest.raises(TacitError, match="no gap called"):
        Gap(code="nonsense")


@pytest.mark.parametrize("code", GAPS)
def test_every_sentence_ends_and_promises_nothing(code):
    assert code in REMEDIES and REMEDIES[code].endswith(".")
    assert GAPS[code].endswith(".") and "may go out" not in GAPS[code]


PLAN = """
[data]
path = "people.csv"
[roles]
quasi = ["zip"]
confidential = ["ill"]
{roles}
[require]
k_anonymity = 2
{require}
[output]
directory = "out"
"""


def released(folder: Path, *flags: str, roles: str = "", require: str = "") -> tuple[int, dict[str, object]]:
    rows = ["zip,ill,visits", *(f"N{i // 60},{'flu' if i % 2 else 'acne'},{i}" for i in range(120))]
    (folder / "people.csv").write_text("\n".join(rows))
    (folder / "plan.toml").write_text(PLAN.format(roles=roles, require=require))
    done = CliRunner().invoke(app, ["release", str(folder / "plan.toml"), "--json", *flags])
    return done.exit_code, json.loads(done.stdout)


def test_the_command_line_tells_the_states_apart(tmp_path):
    code, told = released(tmp_path)
    assert (code, told["state"]) == (0, "not_covered")
    assert [gap["code"] for gap in told["gaps"]] == [
        "identity_not_required",
        "attribute_not_required",
        "undecided_columns",
        "identifier_released",
    ]
    assert told["gaps"][2]["columns"] == ["visits"] and told["gaps"][2]["share"] == 1.0
    assert any(one["code"] == "identity" and one["knows"] == ["zip"] for one in told["intruders"])


def test_strict_turns_what_is_not_covered_into_a_failure_and_releases_nothing(tmp_path):
    code, told = released(tmp_path, "--strict")
    assert (code, told["state"]) == (1, "not_covered")
    assert not list((tmp_path / "out").rglob("people.csv"))
    covered = "reidentification = 0.15\nl_diversity = 2"
    code, told = released(tmp_path, "--strict", roles='unrestricted = ["visits"]', require=covered)
    assert (code, told["state"], told["gaps"]) == (0, "met", [])
    assert list((tmp_path / "out").rglob("people.csv"))


def test_an_audit_never_covers_identities_because_it_attacks_nobody(tmp_path):
    (tmp_path / "people.csv").write_text("zip,ill\nN1,flu\nN1,acne\n")
    asked = ["audit", str(tmp_path / "people.csv"), "--quasi", "zip", "--confidential", "ill", "--json"]
    done = CliRunner().invoke(app, [*asked, "--require", "k_anonymity=2", "--require", "l_diversity=2"])
    told = json.loads(done.stdout)
    assert (done.exit_code, told["state"]) == (0, "not_covered")
    assert [gap["code"] for gap in told["gaps"]] == ["identity_not_required"]
    nothing = json.loads(CliRunner().invoke(app, asked).stdout)
    assert nothing["state"] == "not_covered" and nothing["gaps"][0]["code"] == "no_requirement"
