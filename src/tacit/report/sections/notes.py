"""Remarks of the run. They are free text about the original, so they are for internal eyes."""

from __future__ import annotations

from ...plan.outcome import Outcome
from ..audience import Audience
from ..blocks import Items, Section
from ..statement import name_with_column


def notes_section(outcome: Outcome, audience: Audience) -> Section | None:
    """The notes of the run and of its verdicts, each once."""
    judged = (
        f"{name_with_column(verdict.model, verdict.column)}: {note}"
        for verdict in outcome.verdicts
        for note in verdict.notes
    )
    items = tuple(dict.fromkeys((*outcome.notes, *judged)))
    if audience == "public" or not items:
        return None
    return Section(id="notes", title="Notes", blocks=(Items(items),))
