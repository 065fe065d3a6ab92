"""What one of several releases says of each person's value: the values of the records that the person may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...claims.claims import LinkClaims, segment_sums
from ...progress import sub_progress
from ...release.codes import encode_column
from ...release.common_level import as_numbers, at_one_level
from ...release.hierarchy.base import TOP
from ..column_pair import ColumnPair
from ..columns import common_columns, why_incomparable
from ..ranges import range_floors
from ..space import group_space, link_space, search_feasible
from ..values.lookup import read_off
from ..values.target import Target, target_of

if TYPE_CHECKING:
    from ...progress import Progress
    from ...release.release import Release


NOBODY, NOTHING = -1.0, -2.0
"""Codes of values that nobody of the file has, and that no record has: they equal nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidateValues:
    """Person b has claim ``claim_of[b]``; claim c names the values ``codes[start[c]:start[c+1]]`` with ``shares``.

    ``lift`` is each share beside that of the value in the whole release, ``known[c]`` the share of the claim's records
    that have a value at all. A claim that names nothing says nothing.
    """

    claim_of: np.ndarray
    start: np.ndarray
    codes: np.ndarray
    shares: np.ndarray
    lift: np.ndarray
    known: np.ndarray


def why_unusable(other: Release, release: Release, file: Release, column: str) -> str | None:
    """Why another release tells nothing about the values of the first; None when it can."""
    if column not in other.columns:
        return f"has no column {column!r}"
    if other.levels.get(column, 0) not in (0, release.levels.get(column, 0)) or column in other.mixed:
        return f"shows labels in {column!r} where the first shows something else"
    if target_of(release, column).numbers is not None and other.types[column] in ("text", "boolean"):
        return f"has no numbers in {column!r}"
    why_not = why_incomparable(other, file)
    if why_not:
        return "has no rows" if other.size == 0 else "has none of the columns that the intruder knows"
    return f"has no value in {column!r}" if not other.valid(column).any() else None


def candidate_values(
    releases: Sequence[Release], file: Release, column: str, *, progress: Progress | None = None
) -> tuple[tuple[CandidateValues, ...], Target]:
    """What each release says, in one set of codes; and the values that these codes mean, those of the first release first.

    The target's ``numbers`` are the different numbers of all releases where the column is one of amounts or dates; else
    ``count`` of the codes are the first release's, and a code beyond is a value that it does not have.
    """
    targets, values = _common_codes(releases, column)
    found = []
    for place, (release, target) in enumerate(zip(releases, targets, strict=True)):
        share = sub_progress(progress, place / len(releases), (place + 1) / len(releases))
        found.append(_candidate_values(release, file, target, progress=share))
    return tuple(found), values


def _candidate_values(release: Release, file: Release, target: Target, *, progress: Progress | None) -> CandidateValues:
    said = read_off(candidate_records(release, file, progress=progress), target)
    assert said.start is not None and said.codes is not None and said.shares is not None and target.codes is not None
    known = segment_sums(said.shares, said.start)
    usual = np.bincount(target.codes[target.codes >= 0], minlength=int(said.codes.max(initial=0)) + 1)
    return CandidateValues(
        claim_of=said.claim_numbers(),
        start=said.start,
        codes=said.codes,
        shares=said.shares,
        lift=said.shares * usual.sum() / usual[said.codes],
        known=np.where(known > 1 - 1e-9, 1.0, known),
    )


def _common_codes(releases: Sequence[Release], column: str) -> tuple[list[Target], Target]:
    first = target_of(releases[0], column)
    if first.numbers is not None:
        every = [as_numbers(release.series(column), column) for release in releases]
        ladder = np.unique(np.concatenate([numbers[~np.isnan(numbers)] for numbers in every]))
        codes = [np.where(np.isnan(numbers), -1, np.searchsorted(ladder, numbers)) for numbers in every]
        return [Target(column, codes=one, count=len(ladder)) for one in codes], Target(column, numbers=ladder)
    assert first.codes is not None
    shown = [at_one_level(releases[0], release, column)[1].cast(pl.String) for release in releases[1:]]
    own = releases[0].codes(column).dictionary.cast(pl.String)
    dictionary = pl.concat([own, *(series.drop_nulls() for series in shown)]).unique(maintain_order=True)
    places = np.arange(len(dictionary))
    codes = [
        first.codes,
        *(series.replace_strict(dictionary, places, default=-1, return_dtype=pl.Int64).to_numpy() for series in shown),
    ]
    return [Target(column, codes=one, count=len(dictionary)) for one in codes], first


def candidate_records(release: Release, file: Release, *, progress: Progress | None = None) -> LinkClaims:
    """For each record of the file all released records that it does not contradict in a common column.

    A person's value is brought to the published level of the column through its hierarchy; a label of a local recoding
    must cover it. A missing or suppressed cell on either side contradicts nothing, nor does the label ``*``; a value that
    the hierarchy does not know fits no label. Persons and records that look alike are compared once: about
    O((n + m) log n + candidates) time where few records are possible, memory O(n + m + candidates).

    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1", "N2", None]}), quasi="zip")
    >>> candidate_records(r, Release(pl.DataFrame({"zip": ["N1", "N3"]}), quasi="zip")).set_sizes().tolist()
    [3, 1]
    """
    pairs = [pair for column in common_columns(release, file) for pair in _value_windows(release, file, column)]
    groups = group_space(link_space(pairs, (release.size, file.size), own=False))
    found = search_feasible(groups.space, progress=progress)
    return LinkClaims(
        claim_of=groups.claim_of,
        start=found.start,
        candidates=found.points.astype(np.int64),
        group_of=groups.group_of,
    )


def _value_windows(release: Release, file: Release, column: str) -> tuple[ColumnPair, ...]:
    """Where the released values of a column must lie for each person; whatever lies there costs nothing."""
    if column in release.mixed:
        return tuple(_floor_to_window(pair) for pair in range_floors(release, file, column))
    theirs, mine = at_one_level(release, file, column)
    if theirs.dtype == pl.String:
        theirs = theirs.replace(TOP, None)
    unknown = file.valid(column) & mine.is_null().to_numpy()
    if theirs.dtype != mine.dtype:
        type = pl.Float64 if theirs.dtype.is_numeric() and mine.dtype.is_numeric() else pl.String
        theirs, mine = theirs.cast(type), mine.cast(type)
    both = encode_column(pl.concat([theirs, mine]))
    codes = both.codes.astype(float)
    codes[both.codes == len(both.dictionary)] = np.nan
    released, own = codes[: len(theirs)], codes[len(theirs) :]
    # Values of one side alone become one code: people who differ in them only are the same to this intruder.
    released[~np.isnan(released) & ~np.isin(released, own)] = NOBODY
    own[~np.isnan(own) & ~np.isin(own, released)] = NOTHING
    own[unknown] = NOTHING
    return (ColumnPair(released, own, kind="number", usual=0.0, weight=0.0, low=own, high=own),)


def _floor_to_window(floor: ColumnPair) -> ColumnPair:
    """A floor as a window: the record's end lies at or below the person's value; labels that cover nobody's lie above."""
    beyond = float(np.fmax.reduce(floor.intruder, initial=0.0)) + 1.0
    ends = np.where(np.isposinf(floor.release), beyond, np.where(np.isneginf(floor.release), -beyond, floor.release))
    return ColumnPair(ends, floor.intruder, kind="number", usual=0.0, weight=0.0, high=floor.intruder)
