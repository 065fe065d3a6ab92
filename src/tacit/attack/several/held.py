"""What one of several releases says of each person's value: the values of the records that the person may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...claims.claims import summed
from ...progress import part
from ..columns import as_numbers, at_one_level, incomparable
from ..values.lookup import read_off
from ..values.target import Target, target_of
from .may_be import may_be

if TYPE_CHECKING:
    from ...progress import Progress
    from ...release.release import Release

__all__ = ["Held", "held_by", "unusable"]


@dataclass(frozen=True, slots=True, eq=False)
class Held:
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


def unusable(other: Release, release: Release, file: Release, column: str) -> str | None:
    """Why another release tells nothing about the values of the first; None when it can."""
    if column not in other.columns:
        return f"has no column {column!r}"
    if other.levels.get(column, 0) not in (0, release.levels.get(column, 0)) or column in other.mixed:
        return f"shows labels in {column!r} where the first shows something else"
    if target_of(release, column).numbers is not None and other.types[column] in ("text", "boolean"):
        return f"has no numbers in {column!r}"
    why_not = incomparable(other, file)
    if why_not:
        return "has no rows" if other.size == 0 else "has none of the columns that the intruder knows"
    return f"has no value in {column!r}" if not other.valid(column).any() else None


def held_by(
    releases: Sequence[Release], file: Release, column: str, *, progress: Progress | None = None
) -> tuple[tuple[Held, ...], Target]:
    """What each release says, in one set of codes; and the values that these codes mean, those of the first release first.

    The target's ``numbers`` are the different numbers of all releases where the column is one of amounts or dates; else
    ``count`` of the codes are the first release's, and a code beyond is a value that it does not have.
    """
    targets, values = _common_codes(releases, column)
    found = []
    for place, (release, target) in enumerate(zip(releases, targets, strict=True)):
        share = part(progress, place / len(releases), (place + 1) / len(releases))
        found.append(_held(release, file, target, progress=share))
    return tuple(found), values


def _held(release: Release, file: Release, target: Target, *, progress: Progress | None) -> Held:
    said = read_off(may_be(release, file, progress=progress), target)
    assert said.start is not None and said.codes is not None and said.shares is not None and target.codes is not None
    known = summed(said.shares, said.start)
    usual = np.bincount(target.codes[target.codes >= 0], minlength=int(said.codes.max(initial=0)) + 1)
    return Held(
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
