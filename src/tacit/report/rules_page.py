"""The report on transactions in which patterns were hidden: the statement, the page, and the same on a terminal."""

from __future__ import annotations

from ..plan.rules_job import RulesOutcome
from ..result import format_fact
from .audience import Audience
from .page import Page
from .sections.loss import loss_section
from .sections.notes import notes_section
from .sections.requirements import requirements_section
from .sections.steps import steps_section
from .statement import (
    Statement,
    format_bound,
    format_result,
    headline_of,
    name_with_column,
    tone_of,
    uncovered_sentences,
)
from .words import to_prose

FOOTERS = {
    "internal": "For internal use: this page tells how the patterns were hidden. Keep it with the other files of the folder internal/.",
    "public": "This page names no pattern that was hidden.",
}


def rules_page(outcome: RulesOutcome, *, audience: Audience) -> Page:
    """The verdict, what was done and what was lost; the public sees neither what was required nor what was found."""
    built = [steps_section(outcome, audience, methods={})]
    if audience == "internal":
        built = [
            requirements_section(outcome, audience),
            *built,
            loss_section(outcome, audience),
            notes_section(outcome, audience),
        ]
    return Page(
        title=outcome.title,
        statement=rules_statement(outcome, audience=audience),
        figures=[("Transactions", format_fact(len(outcome.lineage)))],
        sections=[section for section in built if section is not None],
        audience=audience,
        footer=FOOTERS[audience],
    )


def rules_statement(outcome: RulesOutcome, *, audience: Audience = "internal") -> Statement:
    """Whether an independent miner still finds what was to be hidden, and what else was required."""
    if audience == "public":
        headline = "Sensitive item-sets and rules were hidden in these transactions."
        return Statement(verdict=tone_of(outcome), headline=headline, reasons=())
    return Statement(
        verdict=tone_of(outcome),
        headline=headline_of(outcome, seed_risk="can undo the random order"),
        reasons=tuple(
            f"{name_with_column(to_prose(one.model), one.column)}: {format_bound(one, outcome)} required, {format_result(one, outcome)} found."
            for one in outcome.verdicts
            if not one.holds
        ),
        uncovered=uncovered_sentences(outcome, audience),
    )


def rules_summary(outcome: RulesOutcome) -> str:
    """What was hidden and what the other miner found, as text."""
    parts = [str(outcome.hidden), str(outcome.audit)]
    parts += [f"nothing to hide: {pattern} could not be mined in the first place" for pattern in outcome.absent]
    if outcome.attempts is not None and outcome.attempts.total:
        parts.append(str(outcome.attempts))
    return "\n".join(parts)
