"""Whether the intruder's file and the release fit: what weakens a comparison is said, not hidden."""

from __future__ import annotations

from ..release.release import Release
from .scenario import Scenario

FAMILIES = {"integer": "numbers", "number": "numbers", "date": "dates", "datetime": "dates"}


def comparability_notes(release: Release, scenario: Scenario) -> tuple[str, ...]:
    """Notes on what an attack can use less well than its columns promise; nothing when all fits.

    Columns that the release lacks; types that differ, which are compared as text; columns that are missing throughout
    on either side, or hold one value only in the release; an intruder with more people than the release has rows, of whom some cannot
    be in it. Names of columns and counts only. O(n) for each column.

    >>> import polars as pl
    >>> mine = Release(pl.DataFrame({"zip": ["N1", "N2"], "age": [30, 40], "shoe": [40, 41]}), quasi=["zip", "age", "shoe"])
    >>> theirs = Release(pl.DataFrame({"zip": ["N1", "N1"], "age": ["30", "31"]}), quasi=["zip", "age"])
    >>> for note in comparability_notes(theirs, Scenario.worst_case(mine)):
    ...     print(note)
    column 'zip' has one value only in the release and tells nobody apart
    column 'age' holds text in the release and numbers in the intruder's file: compared as text
    column 'shoe' is not in the release
    """
    file = scenario.file
    notes = [note for column in scenario.knows for note in _of_column(release, file, column)]
    if file.size > release.size:
        notes.append(
            f"the intruder's file has {file.size:,} rows, the release {release.size:,}: not everybody can be in it"
        )
    return tuple(notes)


def _of_column(release: Release, file: Release, column: str) -> tuple[str, ...]:
    if column not in release.columns:
        return (f"column {column!r} is not in the release",)
    notes = []
    for side, where in ((release, "in the release"), (file, "in the intruder's file")):
        values = side.distinct(column)
        if values == 0 or (values == 1 and side is release):
            has = "has one value only" if values else "is missing throughout"
            notes.append(f"column {column!r} {has} {where} and tells nobody apart")
    recoded = column in release.mixed or release.levels.get(column, 0) != file.levels.get(column, 0)
    types = [FAMILIES.get(side.types[column], side.types[column]) for side in (release, file)]
    if types[0] != types[1] and not recoded and not notes:
        said = f"holds {types[0]} in the release and {types[1]} in the intruder's file: compared as text"
        notes.append(f"column {column!r} {said}")
    return tuple(notes)
