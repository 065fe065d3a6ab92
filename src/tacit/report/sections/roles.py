"""Which column plays which part, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...plan.outcome import Outcome
from ...release.masked import Masked
from ...release.roles import ROLES
from ...release.trace import Trace
from ..audience import Audience, safe_count
from ..blocks import Section, Table
from ..words import count_phrase, to_prose

WORDS = {
    "identifier": "identifier",
    "quasi": "quasi-identifier",
    "quasi_confidential": "quasi-identifier and confidential",
    "confidential": "confidential",
    "other": "undecided",
    "unrestricted": "unrestricted",
    "weight": "sampling weight",
    "household": "household",
}


ONLY_READ = ("given", "importance", "keys", "person", "similar", "strata", "weights", "within")
"""Parameters that name columns which a method looks at and leaves alone."""
MADE = "synthetic_columns"
"""The finding by which a generator says which columns are new; without ``columns`` no parameter names them."""


def roles_section(outcome: Outcome, audience: Audience) -> Section:
    """A row per column, those that matter most first."""
    release = outcome.original
    kinds = release.kinds
    ordered = [column for role in ROLES for column, given in release.roles.items() if given == role]
    hidden = outcome.masked.release.suppressed if outcome.masked else {}
    rows = []
    for column in ordered:
        label = f"{column} ({release.labels[column]})" if release.labels.get(column) else column
        row = (label, WORDS[release.roles[column]], kinds.get(column, "whole number"))
        rows.append((*row, _describe_changes(column, outcome.masked, hidden, audience)) if outcome.masked else row)
    head = ("Column", "Role", "Kind", *(["In the release"] if outcome.masked else []))
    about = "The columns: identifiers name a person, quasi-identifiers may be known to an intruder, confidential ones must not be learnt"
    return Section(
        id="roles", title="Roles of the columns", blocks=(Table(caption=about, head=head, rows=tuple(rows)),)
    )


def _describe_changes(column: str, masked: Masked, hidden: Mapping[str, int], audience: Audience) -> str:
    """What was done to a column: removed, its level, suppressed cells, and the methods that name it."""
    if column not in masked.release.columns:
        return "removed"
    said = list(_column_changes(column, masked))
    if hidden.get(column):
        said.append(f"{count_phrase(safe_count(hidden[column], audience), 'cell')} suppressed")
    return "; ".join(said) or "as it was"


def _column_changes(column: str, masked: Masked) -> Iterator[str]:
    release = masked.release
    level = release.levels.get(column, 0)
    if level:
        ladder = release.hierarchies.get(column)
        yield f"level {level} of {ladder.height}" if ladder is not None else f"level {level}"
    if column in release.mixed:
        yield f"recoded: {release.distinct(column)} labels that differ from group to group"
    if release.roles[column] == "household" and any(map(_renumbers_households, masked.trace)):
        yield "new numbers"
    for step in masked.trace:
        told_by_level = level and step.effects is not None and "levels" in step.effects.columns
        if not told_by_level and _is_column_touched(step, column):
            yield to_prose(step.method)


def _renumbers_households(step: Trace) -> bool:
    """Whether the step gives households new numbers and keeps their members together."""
    does = step.effects
    return does is not None and does.kind == "hides" and does.role == "household" and not does.regroups


def _is_column_touched(step: Trace, column: str) -> bool:
    if MADE in step.outcome:
        return column in step.outcome[MADE].value
    return any(_is_column_named(value, column) for name, value in step.parameters.items() if name not in ONLY_READ)


def _is_column_named(value: Any, column: str) -> bool:
    """Whether a parameter names the column: alone, in a list, or as the key of a table."""
    return value == column if isinstance(value, str) else isinstance(value, list | tuple | dict) and column in value
