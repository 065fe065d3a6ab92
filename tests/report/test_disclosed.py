"""What a file discloses, as the audit says it, with the meaning of each measure; and the risk of single records."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import Release
from tacit.plan.audit import run_audit
from tacit.report.disclosure_summary import summarise_disclosure
from tacit.report.sections.risk import chance_blocks
from tacit.report.statement import statement
from tacit.risk import individual_risk


@pytest.fixture
def people() -> Release:
    frame = pl.DataFrame(
        {
            "zip": ["N1", "N1", "N1", "N2", "N2", "N3"],
            "illness": ["a", "b", "a", "a", "b", "c"],
            "people": [10.0, 20.0, 5.0, 40.0, 40.0, 3.0],
        }
    )
    return Release(frame, quasi="zip", confidential="illness", weight="people", missing="own")


def test_it_is_what_the_audit_says(people: Release) -> None:
    audit, found = run_audit(people), summarise_disclosure(people)
    assert found.sentences == statement(audit).reasons
    assert found.notes == audit.notes
    assert sorted((one.result.name, str(one.result.column), one.result.value) for one in found.measures) == sorted(
        (one.name, str(one.column), one.value) for one in audit.before
    )


def test_what_is_asked_for_most_comes_first_with_its_meaning(people: Release) -> None:
    measures = summarise_disclosure(people).measures
    assert measures[0].result.name == "k-anonymity" and measures[0].meaning.startswith("The size of the smallest class")
    usual = [one.usual for one in measures]
    assert usual == sorted(usual, reverse=True) and not all(usual)


def test_the_risk_of_single_records_is_by_weight_or_by_group(people: Release) -> None:
    said, figures = chance_blocks(people)
    counts = [int(row[1]) for row in figures.figures[0].table.rows]
    risks = individual_risk(people).per_record.values()
    assert "people" in said.text and sum(counts) == 6
    assert counts[-2:] == [sum((risks >= 0.2) & (risks < 0.5)), sum(risks >= 0.5)]
    said, figures = chance_blocks(people.with_metadata(roles={**people.roles, "people": "other"}))
    rows = dict(figures.figures[0].table.rows)
    assert "one in so many" in said.text
    assert (rows["20–50 %"], rows["50–100 %"]) == ("3", "3")
