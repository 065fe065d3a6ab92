"""Households that change places: who has moved already, who is like whom, and in which region each lives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...release.households import one_per_household
from .pairs import matched

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["Moves", "Places", "moves"]


class Places(NamedTuple):
    """A number for the region of every household, and for the coarser region around it."""

    region: np.ndarray
    around: np.ndarray


@dataclass(frozen=True, eq=False)
class Moves:
    """The households of a release: a row of each, the household of every row, and with whom each has changed places.

    ``partner`` is −1 for whoever has not moved, ``there`` says who may; ``alike`` numbers like households, one array for
    each profile.
    """

    first: np.ndarray
    of_row: np.ndarray
    there: np.ndarray
    alike: tuple[np.ndarray, ...]
    partner: np.ndarray

    @property
    def moved(self) -> np.ndarray:
        """Which households have moved."""
        return self.partner >= 0

    def places(self, release: Release, columns: Sequence[str]) -> Places:
        """The region of every household, of the finest of the columns, and the coarser one around it."""
        return Places(_numbered(release, columns, self.first), _numbered(release, columns[:-1], self.first))

    def made(self, seekers: np.ndarray, places: Places, most: int, rng: np.random.Generator) -> Moves:
        """With at most so many more pairs: each seeker and a household like it of another region.

        Under every profile partners are sought in the same coarser region first, then everywhere.
        """
        partner, pairs = self.partner.copy(), 0
        for alike in (one for profile in self.alike for one in (_both(profile, places.around), profile)):
            if pairs == most:
                break
            free = self.there & (partner < 0)
            found = matched(seekers, np.where(free, alike, -1), places.region, most=most - pairs, rng=rng)
            partner = np.where(found >= 0, found, partner)
            pairs += int((found >= 0).sum()) // 2
            seekers = seekers[partner[seekers] < 0]
        return Moves(self.first, self.of_row, self.there, self.alike, partner)


def moves(release: Release, moving: Sequence[str], profiles: Sequence[Sequence[str]], *, same_size: bool) -> Moves:
    """Nobody has moved yet. O(n log n) time for the households, O(n) for each profile."""
    from ...kernels.groups import group_rows

    first, of_row = one_per_household(release)
    there = np.logical_and.reduce([release.valid(column)[first] for column in moving])
    size = np.bincount(of_row) if same_size else np.ones(len(first), dtype=np.int64)
    alike = []
    for profile in profiles:
        number = _numbered(release, profile, first)
        alike.append(group_rows([number, size], [int(number.max()) + 1, int(size.max()) + 1])[0])
    return Moves(first, of_row, there, tuple(alike), np.full(len(first), -1))


def _both(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A number for each combination of two numbers."""
    from ...kernels.groups import group_rows

    return group_rows([one, other], [int(one.max()) + 1, int(other.max()) + 1])[0]


def _numbered(release: Release, columns: Sequence[str], rows: np.ndarray) -> np.ndarray:
    """A number for each combination of values in the columns, missing counted as a value."""
    from ...kernels.groups import group_rows

    if not columns:
        return np.zeros(len(rows), dtype=np.int32)
    codes = [release.codes(column) for column in columns]
    return group_rows([one.codes[rows] for one in codes], [one.count for one in codes])[0]
