"""Every risk measure that applies to a release, in one list."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..errors import Cancelled, TacitError, suggest_alternative
from ..progress import Progress, report_progress
from ..registry import Entry
from ..release.kinds import BY_TYPE
from ..release.release import Release
from ..result import Result, Results
from ..risk import MEASURES


def measure_risks(release: Release, *, wanted: Collection[str] = ()) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """The results, and a note for each measure that could not be taken (e.g. because a kind is not declared).

    A measure without a meaning here (no weights, no population) is left out in silence, one that would take long with
    a note unless it is ``wanted``.
    """
    results, notes = measured_by_name(release, wanted=wanted)
    return tuple(result for _, result in results), notes


def measured_by_name(
    release: Release, *, wanted: Collection[str] = (), progress: Progress | None = None
) -> tuple[tuple[tuple[str, Result], ...], tuple[str, ...]]:
    """The same, each result with the plan name of its measure, which may have several."""
    unknown = next((name for name in wanted if name not in MEASURES), None)
    if unknown is not None:
        raise TacitError(
            f"the measure {unknown!r} is unknown", code="unknown_name", fix=suggest_alternative(unknown, MEASURES)
        )
    release.matches()
    results: list[tuple[str, Result]] = []
    notes: list[str] = []
    for place, (name, entry) in enumerate(MEASURES.items()):
        report_progress(progress, f"measuring: {name}", place / len(MEASURES))
        need = missing_input(entry, release)
        if need == "original" and name in wanted:
            raise TacitError(
                f"{name} compares a masked file with its original",
                code="already_masked",
                fix="use: tacit compare ORIGINAL MASKED, or require it in a plan",
            )
        if need is not None and name in wanted:
            raise TacitError(
                f"{name} needs a {need}",
                code="missing_parameter",
                fix=f"name it: --{need} (population = … under [data] in a plan)",
            )
        if need is not None:
            continue
        if entry.upto is not None and release.size > entry.upto and name not in wanted:
            notes.append(
                f"{name} was not measured: it takes long on more than {entry.upto:,} records (--measure {name} takes it all the same)"
            )
            continue
        for part in _split_confidential(release) if entry.tags.about == "attribute" else (release,):
            if missing_input(entry, part) is not None:
                continue
            try:
                found: Result | Results = entry.call(part)
            except Cancelled:
                raise
            except TacitError as problem:
                column = f"column {problem.column!r} " if problem.column else ""
                notes.append(f"{name} was not measured: {column}{problem.what} ({problem.fix})")
                continue
            results.extend((name, one) for one in (found if isinstance(found, Results) else (found,)))
    return tuple(results), tuple(notes)


def missing_input(entry: Entry, release: Release) -> str | None:
    """What a measure or model needs and there is not: a role, or the population file; a release never has its original with it."""
    there = {
        "population": release.population is not None,
        "weight": release.weight is not None,
        "household": release.household is not None,
        "confidential": bool(release.confidential),
        "hierarchy": "hierarchy" not in entry.needs or _has_distances(release),
        "original": False,
    }
    return next((need for need in entry.needs if not there[need]), None)


def _has_distances(release: Release) -> bool:
    """Whether a confidential column has values that can be near each other: a hierarchy, or differences."""
    return any(
        name in release.hierarchies
        or release.declared_kinds.get(name, BY_TYPE.get(release.types[name])) in ("continuous", "date")
        for name in release.confidential
    )


def _split_confidential(release: Release) -> Iterator[Release]:
    """The release with one confidential column at a time, so that one that cannot be measured does not hide the others."""
    for column in release.confidential:
        quasi = release.quasi
        others = {name: "quasi" if name in quasi else "other" for name in release.confidential if name != column}
        yield release.with_metadata(roles={**release.roles, **others})
