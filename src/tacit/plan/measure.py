"""Every risk measure that applies to a release, in one list."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import Cancelled, TacitError
from ..release.release import Release
from ..result import Result, Results
from ..risk import ALL

__all__ = ["measured"]


def measured(release: Release) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """The results, and a note for each measure that could not be taken (e.g. because a kind is not declared)."""
    release.matches()
    results: list[Result] = []
    notes: list[str] = []
    for name, entry in ALL.items():
        for part in _parts(release) if entry.tags.about == "attribute" else (release,):
            try:
                found: Result | Results = entry.call(part)
            except Cancelled:
                raise
            except TacitError as problem:
                column = f"column {problem.column!r} " if problem.column else ""
                notes.append(f"{name} was not measured: {column}{problem.what} ({problem.fix})")
                continue
            results.extend(found if isinstance(found, Results) else (found,))
    return tuple(results), tuple(notes)


def _parts(release: Release) -> Iterator[Release]:
    """The release with one confidential column at a time, so that one that cannot be measured does not hide the others."""
    for column in release.confidential:
        others = {name: "other" for name in release.confidential if name != column}
        yield release.described(roles={**release.roles, **others})
