"""The records of a masked file beside those of the original that they were made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import TacitError
from .masked import Masked, checked_lineage, release_of
from .release import Release

NOT_AMOUNTS = ("identifier", "household", "weight")
"""Roles whose numbers are names, or how many people a record stands for: nothing that a record says of its person."""
CODED = ("nominal", "code", "geographic")
"""Kinds whose numbers are names."""
REMEDY = "give the Masked that the method returned, or lineage=, the original row of every masked row"


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Row ``of_masked[i]`` of the masked file was made from row ``of_original[i]``; invented rows are left out."""

    masked: Release
    original: Release
    of_masked: np.ndarray
    of_original: np.ndarray

    @property
    def removed(self) -> int:
        """Original records of which nothing is left."""
        return self.original.size - len(np.unique(self.of_original))


def pair_records(release: Release | Masked, original: Release, lineage: np.ndarray | None) -> Pairs:
    """Both files row by row: by the lineage given, that of the Masked, or, when there is none, by place."""
    masked, original = release_of(release), release_of(original)
    if lineage is None and isinstance(release, Masked):
        lineage = release.lineage
    if lineage is None:
        if masked.size != original.size:
            raise TacitError(
                f"the masked file has {masked.size} records and the original {original.size}: nobody said which is which",
                code="missing_parameter",
                fix=REMEDY,
            )
        if masked.shuffled and not original.shuffled and not isinstance(release, Masked):
            raise TacitError(
                "the masked file is in random order: nobody said which row is which",
                code="missing_parameter",
                fix=REMEDY,
            )
        return Pairs(masked, original, np.arange(masked.size), np.arange(masked.size))
    rows = checked_lineage(lineage, masked=masked.size, original=original.size)
    made = np.flatnonzero(rows >= 0)
    return Pairs(masked, original, made, rows[made])


def numeric_columns(masked: Release, original: Release) -> tuple[str, ...]:
    """The columns that are amounts in both files: numbers that are neither ids, weights nor declared to be codes."""

    def amounts(release: Release) -> list[str]:
        kinds = release.kinds
        numeric = [column for column, type in release.types.items() if type in ("integer", "number")]
        return [c for c in numeric if release.roles[c] not in NOT_AMOUNTS and kinds.get(c) not in CODED]

    after = amounts(masked)
    return tuple(column for column in amounts(original) if column in after)
