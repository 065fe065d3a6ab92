"""What was required, what was found, and how much room there is."""

from __future__ import annotations

from ...models.verdict import Verdict
from ...plan.job_outcome import JobOutcome
from ..audience import Audience
from ..blocks import Section, Table, Text
from ..statement import format_bound, format_margin, format_result, name_with_column, requirement_meaning


def requirements_section(outcome: JobOutcome, _audience: Audience) -> Section | None:
    """A row per requirement, and each in words."""
    table = requirements_table(outcome)
    if table is None:
        return None
    meanings = tuple(
        (name_with_column(v.model, v.column), said)
        for v in outcome.verdicts
        if (said := requirement_meaning(v, outcome))
    )
    words = Table(caption="What they mean", head=("Requirement", "In words"), rows=meanings)
    remark = Text(
        "The margin says by how much the found number is better than required; with a minus sign, how much is lacking."
    )
    return Section(id="requirements", title="Requirements", blocks=(table, remark, *([words] if meanings else [])))


def requirements_table(outcome: JobOutcome) -> Table | None:
    """What was required, found and left over."""
    if not outcome.verdicts:
        return None
    judged = "the file as it was written and read again" if outcome.is_release else "the file as it is"
    return Table(
        caption=f"Requirements, judged on {judged}",
        head=("Requirement", "Verdict", "Required", "Found", "Margin"),
        rows=tuple(_verdict_row(verdict, outcome) for verdict in outcome.verdicts),
        numeric=frozenset({2, 3, 4}),
    )


def _verdict_row(verdict: Verdict, outcome: JobOutcome) -> tuple[str, ...]:
    said = "✓ holds" if verdict.holds else "✗ fails"
    return (
        name_with_column(verdict.model, verdict.column),
        said,
        format_bound(verdict, outcome, signs=True),
        format_result(verdict, outcome),
        format_margin(verdict, outcome),
    )
