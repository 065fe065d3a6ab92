"""Remarks of the run. They are free text about the original, so they are for internal eyes."""

from __future__ import annotations

from collections.abc import Iterable

from ...plan.job_outcome import JobOutcome
from ..audience import Audience
from ..blocks import Items, Section
from ..statement import name_with_column


def notes_section(outcome: JobOutcome, audience: Audience) -> Section | None:
    """The notes of the run and of its verdicts, each once."""
    judged = (
        f"{name_with_column(verdict.model, verdict.column)}: {note}"
        for verdict in outcome.verdicts
        for note in verdict.notes
    )
    return None if audience == "public" else list_notes((*outcome.notes, *judged))


def list_notes(notes: Iterable[str]) -> Section | None:
    """A section with each note once; None when there are none."""
    items = tuple(dict.fromkeys(notes))
    return Section(id="notes", title="Notes", blocks=(Items(items),)) if items else None
