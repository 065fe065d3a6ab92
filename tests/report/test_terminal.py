"""The same statement in a terminal."""

from __future__ import annotations

from dataclasses import replace

from tacit.plan.outcome import Outcome
from tacit.report import statement, summary


def test_the_summary_begins_with_the_statement_and_keeps_to_the_width(failing: Outcome) -> None:
    said = summary(failing, width=70)
    assert said.startswith(statement(failing).headline)
    assert max(len(line) for line in said.splitlines()) <= 70
    for word in ("✗ fails", "✓ holds", "re-identification", "0.05 %", "mean shift", "Next steps", "suppress_cells"):
        assert word in said
    assert "\x1b" not in said


def test_an_audit_has_no_tables_about_a_release(audit: Outcome) -> None:
    said = summary(audit)
    assert "k-anonymity" in said
    assert "Guessing" not in said
    assert "Loss" not in said


def test_colour_is_asked_for(held: Outcome) -> None:
    assert "\x1b[" in summary(held, colour=True)


def test_brackets_in_names_are_text_not_markup(held: Outcome) -> None:
    assert "[bold]note[/bold]" in summary(replace(held, notes=("[bold]note[/bold]",)))
