"""Which released records a person may be, by all that the intruder knows of it and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...claims.claims import LinkClaims
from ...release.codes import encoded
from ...release.hierarchy.ladder import TOP
from ..columns import at_one_level, common
from ..compared import Compared
from ..ranges import ranges
from ..space import grouped, link_space, searched

if TYPE_CHECKING:
    from ...progress import Progress
    from ...release.release import Release

__all__ = ["may_be"]

NOBODY, NOTHING = -1.0, -2.0
"""Codes of values that nobody of the file has, and that no record has: they equal nothing."""


def may_be(release: Release, file: Release, *, progress: Progress | None = None) -> LinkClaims:
    """For each record of the file all released records that it does not contradict in a common column.

    A person's value is brought to the published level of the column through its hierarchy; a label of a local recoding
    must cover it. A missing or suppressed cell on either side contradicts nothing, nor does the label ``*``; a value that
    the hierarchy does not know fits no label. Persons and records that look alike are compared once: about
    O((n + m) log n + candidates) time where few records are possible, memory O(n + m + candidates).

    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1", "N2", None]}), quasi="zip")
    >>> may_be(r, Release(pl.DataFrame({"zip": ["N1", "N3"]}), quasi="zip")).set_sizes().tolist()
    [3, 1]
    """
    pairs = [pair for column in common(release, file) for pair in _windows(release, file, column)]
    groups = grouped(link_space(pairs, (release.size, file.size), own=False))
    found = searched(groups.space, progress=progress)
    return LinkClaims(
        claim_of=groups.claim_of,
        start=found.start,
        candidates=found.points.astype(np.int64),
        group_of=groups.group_of,
    )


def _windows(release: Release, file: Release, column: str) -> tuple[Compared, ...]:
    """Where the released values of a column must lie for each person; whatever lies there costs nothing."""
    if column in release.mixed:
        return tuple(_below(pair) for pair in ranges(release, file, column))
    theirs, mine = at_one_level(release, file, column)
    if theirs.dtype == pl.String:
        theirs = theirs.replace(TOP, None)
    unknown = file.valid(column) & mine.is_null().to_numpy()
    if theirs.dtype != mine.dtype:
        type = pl.Float64 if theirs.dtype.is_numeric() and mine.dtype.is_numeric() else pl.String
        theirs, mine = theirs.cast(type), mine.cast(type)
    both = encoded(pl.concat([theirs, mine]))
    codes = both.codes.astype(float)
    codes[both.codes == len(both.dictionary)] = np.nan
    released, own = codes[: len(theirs)], codes[len(theirs) :]
    # Values of one side alone become one code: people who differ in them only are the same to this intruder.
    released[~np.isnan(released) & ~np.isin(released, own)] = NOBODY
    own[~np.isnan(own) & ~np.isin(own, released)] = NOTHING
    own[unknown] = NOTHING
    return (Compared(released, own, kind="number", usual=0.0, weight=0.0, low=own, high=own),)


def _below(floor: Compared) -> Compared:
    """A floor as a window: the record's end lies at or below the person's value; labels that cover nobody's lie above."""
    beyond = float(np.fmax.reduce(floor.intruder, initial=0.0)) + 1.0
    ends = np.where(np.isposinf(floor.release), beyond, np.where(np.isneginf(floor.release), -beyond, floor.release))
    return Compared(ends, floor.intruder, kind="number", usual=0.0, weight=0.0, high=floor.intruder)
