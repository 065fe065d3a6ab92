"""The public page shows nothing about single records (design: what is published and what is not)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit.models import Verdict
from tacit.plan.measure import measure_risks
from tacit.plan.outcome import Outcome
from tacit.report import render
from tacit.report.audience import THRESHOLD

SECRET = "only-for-internal-eyes"


@pytest.fixture(scope="module", params=["held", "failing", "audit"])
def outcome(request: pytest.FixtureRequest) -> Outcome:
    found: Outcome = request.getfixturevalue(request.param)
    return found


def test_no_chart_or_table_has_a_record_length_array_or_a_small_bin(outcome: Outcome, parsed: Any) -> None:
    page = parsed(render(outcome, audience="public"))
    records = outcome.original.size
    for table in page.tables:
        assert len(table) < 50 < records
    binned = [table for table in page.tables if table[0] in (["Records alike", "Records"], ["Chance", "Records"])]
    assert len(binned) == (6 if outcome.masked is None else 7), "four of them: prior and posterior of two columns"
    for table in binned:
        counts = [int(row[1].replace(",", "")) for row in table[1:]]
        assert min(counts) >= THRESHOLD
        assert sum(counts) == records
    for chart in page.chart_texts:
        counts = [int(text.replace(",", "")) for text in chart[len(chart) // 2 :] if re.fullmatch(r"[\d,]+", text)]
        assert all(count >= THRESHOLD for count in counts)
        assert len(chart) < 50
    for word, text in page.tags:
        assert word not in ("script", "canvas")
        assert all(len(value or "") < 2000 for value in text.values())


def test_the_internal_page_does_show_small_bins(failing: Outcome, parsed: Any) -> None:
    """The test above could not fail if there were nothing to hide."""
    page = parsed(render(failing, audience="internal"))
    binned = [table for table in page.tables if table[0] == ["Records alike", "Records"]]
    assert any(0 < int(row[1].replace(",", "")) < THRESHOLD for table in binned for row in table[1:])


def test_seed_notes_lineage_plan_and_hidden_findings_stay_inside(held: Outcome, parsed: Any) -> None:
    public, internal = (parsed(render(held, audience=audience)).text for audience in ("public", "internal"))
    assert SECRET in internal
    assert 'path = "clinic.csv"' in internal
    assert "single links" in internal
    assert "all may see" in public
    assert held.seed is not None
    for hidden in (
        SECRET,
        held.seed.hex(),
        'path = "clinic.csv"',
        "row 17",
        "lineage.parquet",
        "single links",
        "0.004321",
        "0.006543",
    ):
        assert hidden not in public
    assert held.seed.hex() not in internal


def test_small_counts_become_fewer_than_ten(failing: Outcome, parsed: Any) -> None:
    short = Verdict(
        holds=False, model="k-anonymity", required=3, found=1, margin=-2, failing_classes=7, failing_records=8
    )
    outcome = replace(failing, verdicts=(short,), losses=failing.losses[:1])
    public, internal = (parsed(render(outcome, audience=audience)) for audience in ("public", "internal"))
    assert "8 records in 7 classes" in internal.text
    assert "8 records" not in public.text
    assert "fewer than 10 records in fewer than 10 classes" in public.text
    assert ["removed records", "all", "4"] in [row for table in internal.tables for row in table]
    assert ["removed records", "all", "fewer than 10"] in [row for table in public.tables for row in table]


def test_the_worst_class_of_the_original_is_not_told(held: Outcome, parsed: Any) -> None:
    """With single records as classes it is the value of one person."""
    rows = [row for table in parsed(render(held, audience="public")).tables for row in table if "t-closeness" in row[0]]
    assert rows
    assert all(row[1] == "not shown" for row in rows)
    assert all(re.fullmatch(r"[\d.]+", row[2]) for row in rows)


def test_suppressed_cells_are_guarded(held: Outcome, parsed: Any) -> None:
    assert held.masked is not None
    few = {column for column, cells in held.masked.release.suppressed.items() if 0 < cells < THRESHOLD}
    assert few, "the example must have a column with few suppressed cells"
    rows = [row for table in parsed(render(held, audience="public")).tables for row in table]
    for column in few:
        assert any(row[0] == column and "fewer than 10 cells suppressed" in row[-1] for row in rows)


def test_a_file_of_few_records_has_no_chart_at_all(audit: Outcome, parsed: Any) -> None:
    few = audit.original.take(np.arange(9))
    outcome = replace(audit, original=few, before=measure_risks(few)[0])
    public, internal = (parsed(render(outcome, audience=audience)) for audience in ("public", "internal"))
    assert len(internal.chart_texts) == 6
    assert public.chart_texts == []
    assert not any("Records alike" in row for table in public.tables for row in table)
