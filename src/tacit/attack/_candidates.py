"""What one of several releases says of each person's value: the values of the records that the person may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..claims.claims import LinkClaims, segment_sums
from ..progress import sub_progress
from ..release.codes import encode_column
from ..release.common_level import as_numbers, at_one_level
from ..release.hierarchy.base import TOP
from ._columns import ColumnPair, common_columns, range_floors, why_incomparable
from ._space import group_space, link_space, search_feasible
from ._target import Target, target_of
from .lookup import read_off

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release


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


@dataclass(frozen=True, slots=True, eq=False)
class RemainingValues:
    """Person b is of kind ``kind_of[b]``; kind c has the values ``codes[start[c]:start[c+1]]`` left, with ``shares``.

    ``said[c]`` is the number of releases that say something of the kind, ``known[c]`` the chance that the person's record
    has a value in all of them.
    """

    kind_of: np.ndarray
    start: np.ndarray
    codes: np.ndarray
    shares: np.ndarray
    said: np.ndarray
    known: np.ndarray

    def remaining_counts(self) -> np.ndarray:
        """How many values are left for each person; −1 where no release says anything."""
        count = np.where(self.said > 0, np.diff(self.start), -1)
        found: np.ndarray = count[self.kind_of]
        return found

    def determined_people(self) -> np.ndarray:
        """Which people have one value left, and no record without a value that might be theirs."""
        found: np.ndarray = (self.remaining_counts() == 1) & (self.known[self.kind_of] > 1 - 1e-9)
        return found


def intersect_candidates(helds: Sequence[CandidateValues]) -> RemainingValues:
    """The values that every release leaves, each with its chance; see :class:`.composition.Composition`.

    People with the same claims in all releases are one kind. The values of a kind are read off the release that names
    fewest of them and looked up in the others: O(kinds · fewest values · releases · log) time.
    """
    claims = np.column_stack([held.claim_of for held in helds])
    kinds, kind_of = np.unique(claims, axis=0, return_inverse=True)
    sizes = np.column_stack([np.diff(held.start)[kinds[:, j]] for j, held in enumerate(helds)])
    said = (sizes > 0).sum(axis=1)
    fewest = np.where(sizes > 0, sizes, np.iinfo(np.int64).max).argmin(axis=1)
    width = 1 + max(int(held.codes.max(initial=0)) for held in helds)
    keys = np.sort(np.concatenate([_kind_value_keys(held, kinds, j, fewest, width) for j, held in enumerate(helds)]))
    score, known = np.zeros(len(keys)), np.ones(len(kinds))
    for j, held in enumerate(helds):
        if not len(held.codes):
            continue
        kind = keys // width
        says = sizes[kind, j] > 0
        place, found = _locate_value(held, kinds[kind, j], keys % width, width)
        kept = found | ~says
        place, says, kind = place[kept], says[kept], kind[kept]
        keys, score = keys[kept], score[kept]
        share, lift = np.where(says, held.shares[place], 1.0), np.where(says, held.lift[place], 1.0)
        # The usual share of the value is the share over the lift; it counts once in all, not once in every release.
        score += np.log(share) / said[kind] + np.log(lift) * (1.0 - 1.0 / said[kind])
        known *= np.where(sizes[:, j] > 0, held.known[kinds[:, j]], 1.0)
    start = np.searchsorted(keys, np.arange(len(kinds) + 1) * width)
    shares = _normalise_chances(score, start) * np.repeat(known, np.diff(start))
    return RemainingValues(kind_of.reshape(-1), start, keys % width, shares, said, known)


def _kind_value_keys(held: CandidateValues, kinds: np.ndarray, j: int, fewest: np.ndarray, width: int) -> np.ndarray:
    """Kind and value as one number, for the kinds of which release j names fewest values."""
    chosen = np.flatnonzero(fewest == j)
    begin, size = held.start[kinds[chosen, j]], np.diff(held.start)[kinds[chosen, j]]
    place = np.arange(size.sum()) + np.repeat(begin - np.cumsum(size) + size, size)
    found: np.ndarray = np.repeat(chosen, size) * width + held.codes[place]
    return found


def _locate_value(
    held: CandidateValues, claim: np.ndarray, code: np.ndarray, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """Where the value stands among those of the claim, and whether it does."""
    every = np.repeat(np.arange(len(held.start) - 1), np.diff(held.start)) * width + held.codes
    asked = claim * width + code
    place = np.minimum(np.searchsorted(every, asked), len(every) - 1)
    return place, every[place] == asked


def _normalise_chances(score: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Chances from their logarithms, one in all for each stretch."""
    count = np.diff(start)
    filled = np.flatnonzero(count)
    if not len(filled):
        return score
    highest = np.maximum.reduceat(score, start[filled])
    chance = np.exp(score - np.repeat(highest, count[filled]))
    found: np.ndarray = chance / np.repeat(segment_sums(chance, start)[filled], count[filled])
    return found
