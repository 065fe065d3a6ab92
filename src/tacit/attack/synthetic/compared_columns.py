"""The columns in which whole records are compared."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import TacitError, check_columns
from ...release.release import Release

APART = ("identifier", "weight", "household")


def whole_records(
    release: Release, original: Release, control: Release | None = None, columns: str | Iterable[str] | None = None
) -> tuple[str, ...]:
    """The columns that all files have and that tell something of a person; or the given ones, checked to be such."""
    files = [release, *([] if control is None else [control])]
    if columns is not None:
        chosen = check_columns(columns, original.columns)
        for file, what in zip(files, ("release", "control"), strict=False):
            lacks = next((column for column in chosen if column not in file.columns), None)
            if lacks is not None:
                raise TacitError(f"is not in the {what}", column=lacks, fix="name columns that all files have")
        return chosen
    own = (column for column in original.columns if original.roles[column] not in APART)
    found = tuple(column for column in own if all(column in file.columns for file in files))
    if not found:
        raise TacitError("the files have no column in common", fix="give files with the same columns")
    return found
