"""Which published steps changed a column, and what was published of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import TacitError
from ...release.masked import Masked, release_of
from ...release.trace import Trace

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["by_column", "changing", "opened", "selection", "told", "touches", "untouched"]

NAMING = ("columns", "column", "levels", "totals", "geography", "along", "latitude", "longitude")
"""Parameters and findings in which a step names the columns that it changes."""
BY_ROLE = ("k_member", "local_recode", "mondrian")
"""Methods that change the quasi-identifiers."""
VALUES_STAY = ("anonymise", "drop_identifiers", "new_households", "pipeline", "shuffle")
"""Methods that change no value that is estimated from; what a pipeline did has steps of its own."""
LEAVES_OUT = {
    "sample": "the records are a sample: errors of sampling add to those of masking",
    "suppress_records": "records were removed: the estimates are of those that are left",
    "suppress_cells": "cells were made missing: the estimates are of the records that have all values",
}
INVENTS = ("dummy_records", "mask_terms")
"""Methods after which a record may be nobody's, or somebody's record may be gone."""


def opened(release: Release | Masked, trace: Sequence[Trace] | None) -> tuple[Release, tuple[Trace, ...]]:
    """The release and its steps: those that were given, or those of the Masked."""
    if trace is None:
        if not isinstance(release, Masked):
            raise TacitError(
                "nobody said how the release was masked",
                fix="give trace=…: masked.trace, or tacit.plan.read_told('trace.json') of a release job",
            )
        trace = release.trace
    steps = tuple(trace) if isinstance(trace, list | tuple) else (trace,)
    if not all(isinstance(step, Trace) for step in steps):
        raise TacitError("the trace holds something else than steps", fix="give masked.trace, or Trace.from_json(step)")
    return release_of(release), steps


def told(step: Trace, name: str) -> Any:
    """A finding as the public has it; None where it was not published."""
    found = step.outcome.get(name)
    return found.published() if found is not None and found.publishable else None


def by_column(value: Any, column: str) -> float | None:
    """A number for all columns, or by column: that of the column; None where there is none."""
    found = value.get(column) if isinstance(value, Mapping) else value
    return None if isinstance(found, bool) or not isinstance(found, int | float) else float(found)


def changing(steps: Iterable[Trace], columns: Sequence[str], release: Release) -> tuple[Trace, ...]:
    """The steps that changed one of the columns, in their order; refuses those that invent records."""
    found = []
    for step in steps:
        if step.method in INVENTS:
            raise TacitError(
                f"the step {step.method} adds or drops records in a way that cannot be taken back",
                fix="estimate from a release without that step",
            )
        if any(touches(step, column, release) for column in columns):
            found.append(step)
    return tuple(found)


def untouched(steps: Iterable[Trace], columns: Sequence[str], release: Release) -> None:
    """Refuse strata that are not in the release, or that a step changed."""
    for column in columns:
        if column not in release.columns:
            raise TacitError(
                "makes the strata in which the release was masked, and is not in it",
                column=column,
                fix="ask the publisher for it: without the strata nothing can be corrected",
            )
        wrong = next((step for step in steps if touches(step, column, release)), None)
        if wrong is not None:
            raise TacitError(
                f"makes the strata in which other columns were masked, and was changed itself by the step {wrong.method}",
                column=column,
                fix="without the true strata these columns cannot be corrected; leave them out",
            )


def selection(steps: Iterable[Trace]) -> tuple[str, ...]:
    """What is to be said of steps that leave records or cells out."""
    return tuple(dict.fromkeys(LEAVES_OUT[step.method] for step in steps if step.method in LEAVES_OUT))


def touches(step: Trace, column: str, release: Release) -> bool:
    """Whether the step may have changed values of the column; one that names no columns may have changed any."""
    if step.method in VALUES_STAY or step.method in ("suppress_records", "suppress_cells"):
        return False
    if step.method == "sample":
        return column == release.weight
    if step.method in BY_ROLE:
        return column in release.quasi or column in release.mixed
    said = [part for name in NAMING for part in (step.parameters.get(name), told(step, name)) if part is not None]
    return column in _named(said) if said else True


def _named(given: Any) -> list[str]:
    """Names in a parameter: one, a list, lists in a list, or the keys of a table that says 0 of none of them."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [str(name) for name, part in given.items() if part != 0]
    return [name for part in given for name in _named(part)] if isinstance(given, list | tuple) else []
