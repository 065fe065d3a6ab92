"""What the page of a synthetic release says, and to whom. catalogue: L-02."""

from __future__ import annotations

from dataclasses import replace

from tests.published import published_step

from tacit.plan.outcome import Outcome
from tacit.release import Finding, Masked
from tacit.report import render, summary
from tacit.report.sections.roles import roles_section
from tacit.report.sections.synthetic import synthetic_section, worst_table
from tacit.report.sections.utility import tables_table, teaching_table


def test_it_is_said_what_was_captured_of_how_many_and_beside_whom(made_up: Outcome) -> None:
    for audience in ("internal", "public"):
        page = render(made_up, audience=audience)
        assert "There are 2 such files" in page and "150 records were kept back from it" in page
        assert "synth trees, order: " in page and "; diagnosis (" in page and "Nothing else is promised" in page
        assert "150 → 2 × 150" in page and "What groups give away" not in page  # nobody is in a group


def test_columns_that_were_made_up_are_not_said_to_be_as_they_were(made_up: Outcome) -> None:
    became = {row[0]: row[-1] for row in roles_section(made_up, "public").blocks[0].rows}
    assert became["zip"] == became["sex"] == became["diagnosis"] == "synth trees" and "as it was" not in became.values()
    found = {"synthetic_columns": Finding(["diagnosis"], publishable=True)}
    step = published_step("synth_trees", {"columns": ["diagnosis"], "where": {"sex": "F"}}, found)
    partly = replace(made_up, masked=Masked(made_up.masked.release, (step,), made_up.masked.rows()))
    became = {row[0]: row[-1] for row in roles_section(partly, "public").blocks[0].rows}
    assert (became["sex"], became["diagnosis"]) == ("as it was", "synth trees")


def test_the_worst_records_are_listed_for_internal_eyes(made_up: Outcome) -> None:
    tables = {audience: synthetic_section(made_up, audience).blocks for audience in ("internal", "public")}
    listed = tables["internal"][-1]
    assert len(listed.rows) == 2 and all(row[0].startswith("row ") for row in listed.rows)  # 1 % of 150
    assert all(int(row[0][4:]) - 1 in made_up.synthesis.rows for row in listed.rows)
    assert tables["public"] == tables["internal"][:-1]
    assert [row[0] for row in worst_table(made_up).rows] == ["membership", "shadow generators", "density"]


def test_utility_is_told_beside_the_best_there_is(made_up: Outcome) -> None:
    assert [row[0] for row in tables_table(made_up).rows][0] == "pMSE ratio" and len(tables_table(made_up).rows) == 4
    (row,) = teaching_table(made_up).rows
    assert row[:2] == ("diagnosis", "accuracy") and float(row[3]) <= float(row[2]) + 0.2
    assert "Models tested on people who were kept back" in summary(made_up)


def test_a_failing_requirement_is_told_with_what_would_help(made_up: Outcome) -> None:
    said = summary(made_up)
    assert (
        "requirements you set" in said and "Nothing is released." in said and "worst 1 % of the records fails" in said
    )
    assert "are copied above what chance does" in said and "area under the ROC curve of" in said


def test_columns_counted_together_are_told_as_such(made_up: Outcome) -> None:
    found = Finding({"columns": ["zip", "sex"], "sets": [["zip", "sex"]]}, publishable=True)
    fitted = Masked(
        made_up.masked.release, (published_step("synth_marginals", {}, {"captured": found}),), made_up.masked.rows()
    )
    other = replace(made_up, synthesis=replace(made_up.synthesis, files=(fitted,)))
    assert "synth marginals: columns (zip, sex); sets (zip × sex)" in render(other, audience="public")
    alone = replace(found, value={"columns": ["zip", "sex"], "sets": []})
    fitted = replace(fitted, trace=(published_step("synth_marginals", {}, {"captured": alone}),))
    other = replace(made_up, synthesis=replace(made_up.synthesis, files=(fitted,)))
    assert "columns (zip, sex); sets (none)" in render(other, audience="public")


def test_other_releases_have_no_such_sections(held: Outcome) -> None:
    assert synthetic_section(held, "internal") is None and worst_table(held) is None and teaching_table(held) is None
