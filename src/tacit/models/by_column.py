"""Bounds on the confidential columns: one for all or one for each, and the verdict on the worst of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import Note, TacitError, format_value, unknown_column
from ..frozen import FrozenDict
from ..result import Results
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.classes.statistic import Statistic
    from ..release.release import Release


FINITE = 1e300
"""A number above this is infinite by its definition."""


def check_thresholds(
    name: str, general: object, columns: object, good: Callable[[object], None]
) -> FrozenDict[str, float]:
    """The thresholds by column, each of them ``good``; at least one threshold is given."""
    if not isinstance(columns, Mapping):
        raise TacitError(
            f"thresholds by column are not given as {format_value(columns)}",
            code="missing_parameter",
            fix="e.g. columns={'income': 3}",
        )
    if general is None and not columns:
        raise TacitError(
            f"no {name} is given", code="missing_parameter", fix=f"give {name}=… or columns={{'column': {name}}}"
        )
    for value in (*([] if general is None else [general]), *columns.values()):
        good(value)
    return FrozenDict(columns)


def column_bounds(release: Release, general: float | None, columns: Mapping[str, float]) -> dict[str, float]:
    """Confidential column → its threshold; a column without one is not judged."""
    for column in columns:
        if column not in release.columns:
            raise unknown_column(column, release.confidential or release.columns)
        if column in release.quasi:
            raise TacitError(
                "is a quasi-identifier, and a model protects confidential columns",
                code="unsuitable_column",
                column=column,
                fix="give it one role: confidential, if it is to be protected; quasi, if an intruder may know it",
            )
        if column not in release.confidential:
            raise TacitError(
                "is not confidential",
                code="not_confidential",
                column=column,
                fix=f"declare it, e.g. confidential=[{column!r}]",
            )
    if not release.confidential:
        raise TacitError(
            "there is no confidential column to protect",
            code="no_confidential_column",
            fix="declare one, e.g. confidential='diagnosis' (--confidential diagnosis)",
        )
    required = {column: columns.get(column, general) for column in release.confidential}
    return {column: value for column, value in required.items() if value is not None}


def confidential_results(found: Results, original: Release) -> Results:
    """The results of confidential columns, all where there is none: to learn what the intruder knows is no disclosure."""
    kept = tuple(one for one in found if one.column in original.confidential)
    return Results(kept) if kept else found


def bound_verdict(model: str, column: str, required: float, numbers: Statistic, *, most: bool) -> Verdict:
    """Whether the number of every class is at most (or at least) what is required."""
    failing = numbers.above(required) if most else numbers.below(required)
    found = numbers.largest if most else numbers.smallest
    return Verdict(
        holds=failing.classes == 0,
        model=model,
        column=column,
        required=required,
        found=found,
        margin=required - found if most else found - required,
        failing_classes=failing.classes,
        failing_records=failing.records,
    )


def diversity_verdict(model: str, release: Release, column: str, required: float, numbers: Statistic) -> Verdict:
    """Whether every class has so many values, with a note where the whole column has fewer."""
    judged = bound_verdict(model, column, required, numbers, most=False)
    values = release.distinct(column)
    blank = release.missing != "any" and (not release.capabilities.in_memory or release.codes(column).has_missing)
    if required <= values + blank:
        return judged
    told = f"{column!r} has {values} different values, fewer than {required:g}: no protection can reach it"
    return replace(judged, notes=(Note(told, code="unreachable", column=column, values=values),))


def fail_infinite_classes(judged: Verdict, numbers: Statistic, note: str) -> Verdict:
    """The verdict where some classes have an infinite number: they fail, and ``found`` stays what is finite."""
    failing = numbers.above(judged.required)
    beyond = numbers.above(FINITE).classes
    return replace(
        judged,
        holds=failing.classes == 0,
        margin=min(judged.margin, -judged.required) if beyond else judged.margin,
        failing_classes=failing.classes,
        failing_records=failing.records,
        notes=(Note(f"{beyond} classes {note}", code="infinite_classes", classes=beyond),) if beyond else (),
    )


def worst_verdict(verdicts: list[Verdict]) -> Verdict:
    """The one that fails by most or, if none fails, holds most narrowly; with the notes of all."""
    chosen = min(verdicts, key=lambda one: (one.holds, one.margin))
    return replace(chosen, notes=tuple(dict.fromkeys(note for one in verdicts for note in one.notes)))
