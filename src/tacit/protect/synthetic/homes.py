"""Who lives with whom: the households of the records to learn from, and those of the records to be made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...release.households import one_per_household
from .part import MEMBER, SIZE

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["Homes", "homes_of", "new_homes"]


@dataclass(frozen=True, eq=False)
class Homes:
    """Households one after the other: how many people each has, and whether it has an id; and where each record lives.

    ``first`` has one record of every household, ``of_row`` the household of every record, ``member`` its place in it
    from 1 on.
    """

    size: np.ndarray
    named: np.ndarray
    first: np.ndarray
    of_row: np.ndarray
    member: np.ndarray

    def columns(self) -> list[pl.Series]:
        """What generators are told of the household of every record."""
        return [pl.Series(SIZE, self.size[self.of_row]), pl.Series(MEMBER, self.member)]

    def ids(self) -> pl.Series:
        """A new id for every record, the number of its household; none where there was none."""
        number = np.where(self.named, np.arange(len(self.size)) + 1, 0)[self.of_row]
        return pl.Series(number).replace(0, None)


def homes_of(release: Release) -> Homes:
    """The households of a release; O(n log n). Members stand in the order of the file, the head usually first."""
    first, of_row = one_per_household(release)
    size = np.bincount(of_row, minlength=len(first))
    named = release.valid(str(release.household))[first]
    order = np.argsort(of_row, kind="stable")
    member = np.empty(release.size, dtype=np.int64)
    member[order] = np.arange(release.size) - np.repeat(np.cumsum(size) - size, size) + 1
    return Homes(size, named, first, of_row, member)


def new_homes(old: Homes, rows: int | None, rng: np.random.Generator) -> Homes:
    """Households for new records: those of the file in random order, or drawn from them until there are ``rows`` people.

    The last one drawn is cut to fit.
    """
    chosen = rng.permutation(len(old.size))
    if rows is not None:
        chosen = rng.integers(0, len(old.size), rows)  # of one person or more each, so that these are enough
        chosen = chosen[: int(np.searchsorted(np.cumsum(old.size[chosen]), rows)) + 1]
    size = old.size[chosen].copy()
    if rows is not None:
        size[-1] -= int(size.sum()) - rows
    first = np.cumsum(size) - size
    of_row = np.repeat(np.arange(len(size)), size)
    return Homes(size, old.named[chosen], first, of_row, np.arange(len(of_row)) - first[of_row] + 1)
