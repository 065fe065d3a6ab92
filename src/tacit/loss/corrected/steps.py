"""Which published steps changed a column or left records out, and which of them cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import TacitError
from ...release.masked import Masked, release_of
from ...release.step_effects import flatten_steps, may_change_column, published_outcome
from ...release.trace import Trace

if TYPE_CHECKING:
    from ...release.release import Release


REMOVED = "records were removed: the estimates are of those that are left"
SAMPLED = "the records are a sample: errors of sampling add to those of masking"
BLANKED = "cells were made missing: the estimates are of the records that have all values"


def release_and_steps(release: Release | Masked, trace: Sequence[Trace] | None) -> tuple[Release, tuple[Trace, ...]]:
    """The release and its steps one by one: those that were given, or those of the Masked."""
    if trace is None:
        if not isinstance(release, Masked):
            raise TacitError(
                "nobody said how the release was masked",
                code="missing_parameter",
                fix="give trace=…: masked.trace, or tacit.plan.read_told('trace.json') of a release job",
            )
        trace = release.trace
    steps = tuple(trace) if isinstance(trace, list | tuple) else (trace,)
    if not all(isinstance(step, Trace) for step in steps):
        raise TacitError(
            "the trace holds something else than steps",
            code="wrong_kind",
            fix="give masked.trace, or Trace.from_json(step)",
        )
    return release_of(release), flatten_steps(steps)


def by_column(value: Any, column: str) -> float | None:
    """A number for all columns, or by column: that of the column; None where there is none."""
    found = value.get(column) if isinstance(value, Mapping) else value
    return None if isinstance(found, bool) or not isinstance(found, int | float) else float(found)


def steps_changing(steps: Iterable[Trace], columns: Sequence[str], release: Release) -> tuple[Trace, ...]:
    """The steps that changed one of the columns, in their order; refuses those that invent records."""
    found = []
    for step in steps:
        if step.effects is not None and step.effects.adds:
            raise TacitError(
                f"the step {step.method} adds or drops records in a way that cannot be taken back",
                code="not_applicable",
                fix="estimate from a release without that step",
            )
        if any(may_change_column(step, column, release) for column in columns):
            found.append(step)
    return tuple(found)


def check_strata_unchanged(steps: Iterable[Trace], columns: Sequence[str], release: Release) -> None:
    """Refuse strata that are not in the release, or that a step changed."""
    for column in columns:
        if column not in release.columns:
            raise TacitError(
                "makes the strata in which the release was masked, and is not in it",
                code="out_of_range",
                column=column,
                fix="ask the publisher for it: without the strata nothing can be corrected",
            )
        wrong = next((step for step in steps if may_change_column(step, column, release)), None)
        if wrong is not None:
            raise TacitError(
                f"makes the strata in which other columns were masked, and was changed itself by the step {wrong.method}",
                code="already_masked",
                column=column,
                fix="without the true strata these columns cannot be corrected; leave them out",
            )


def selection_notes(steps: Iterable[Trace]) -> tuple[str, ...]:
    """What is to be said of steps that leave records or cells out."""
    return tuple(dict.fromkeys(note for step in steps for note in _left_out(step)))


def _left_out(step: Trace) -> Iterator[str]:
    does = step.effects
    if does is None or published_outcome(step, "removed") == 0:
        return
    if does.drops:
        yield SAMPLED if does.samples else REMOVED
    if does.blanks:
        yield BLANKED
