"""Households: which columns describe the household, so that a method masks them once for all its members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .release import Release


def one_per_household(release: Release) -> tuple[np.ndarray, np.ndarray]:
    """The first row of each household, and the household's place in that list for every row.

    A record without a household id, and every record of a release without a household column, is a household of its
    own. O(n log n) time.
    """
    if release.household is None:
        alone = np.arange(release.size)
        return alone, alone
    ids = release.codes(release.household)
    number = ids.codes.astype(np.int64)
    if ids.missing is not None:
        unknown = number == ids.missing
        number[unknown] += np.arange(unknown.sum())
    _, first, household = np.unique(number, return_index=True, return_inverse=True)
    return first, household


def household_level(release: Release, columns: Sequence[str]) -> tuple[str, ...]:
    """Those of the columns that are equal within every household, missing counted as a value (the rent, the region).

    Masking each member on its own would make them differ, and the differences would tell what was masked. None when
    the release has no household column. O(n) time per column.
    """
    if release.household is None:
        return ()
    first, household = one_per_household(release)

    def shared(column: str) -> bool:
        codes = release.codes(column).codes
        return bool((codes[first][household] == codes).all())

    return tuple(column for column in columns if shared(column))


def household_numbers(release: Release) -> np.ndarray:
    """The household of each row as a number from 0 on; −1 for rows without one, and for all where there is no such column."""
    if release.household is None:
        return np.full(release.size, -1, dtype=np.int64)
    ids = release.codes(release.household)
    numbers: np.ndarray = ids.codes.astype(np.int64)
    return numbers if ids.missing is None else np.where(numbers == ids.missing, -1, numbers)


def alone_where_unknown(numbers: np.ndarray) -> np.ndarray:
    """The numbers with a household of its own for each row that has none (−1)."""
    unknown = numbers < 0
    return np.where(unknown, numbers.max(initial=-1) + np.cumsum(unknown), numbers)


def joint_numbers(release: Release, columns: Sequence[str]) -> np.ndarray:
    """The same for rows that are equal in all of the columns; −1 where one of them is missing. O(n log n)."""
    parts = [release.codes(column) for column in columns]
    known = np.ones(release.size, dtype=bool)
    for part in parts:
        known &= part.codes != len(part.dictionary)
    _, numbers = np.unique(np.column_stack([part.codes for part in parts]), axis=0, return_inverse=True)
    return np.where(known, numbers.reshape(-1), -1).astype(np.int64)


def row_profiles(release: Release, columns: Sequence[str]) -> np.ndarray:
    """A number for each row, equal iff the rows are in all of the columns; missing is a value. O(n log n)."""
    if not columns:
        return np.zeros(release.size, dtype=np.int64)
    table = np.column_stack([release.codes(column).codes for column in columns])
    numbers: np.ndarray = np.unique(table, axis=0, return_inverse=True)[1]
    return numbers.reshape(-1).astype(np.int64)


def household_compositions(
    numbers: np.ndarray, profiles: np.ndarray, *, largest: int | None = None
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """The different multisets of profiles that households have, how many households have each, and that of each row.

    Rows without a household (−1), and those of one with more than ``largest`` members, have none: −1. O(n log n).

    >>> lists, many, of_row = household_compositions(np.array([0, 0, 1, 1, -1]), np.array([4, 7, 7, 4, 4]))
    >>> [one.tolist() for one in lists], many.tolist(), of_row.tolist()
    ([[4, 7]], [2], [0, 0, 0, 0, -1])
    """
    of_row = np.full(len(numbers), -1, dtype=np.int64)
    numbered = np.flatnonzero(numbers >= 0)
    order = numbered[np.lexsort((profiles[numbered], numbers[numbered]))]
    kinds: dict[bytes, int] = {}
    many: list[int] = []
    lists: list[np.ndarray] = []
    for rows in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1) if len(order) else ():
        if largest is not None and len(rows) > largest:
            continue
        members = profiles[rows].astype(np.int64)
        kind = kinds.setdefault(members.tobytes(), len(kinds))
        if kind == len(many):
            many.append(0)
            lists.append(members)
        many[kind] += 1
        of_row[rows] = kind
    return lists, np.array(many, dtype=np.int64), of_row


def composition_counts(release: Release, numbers: np.ndarray) -> np.ndarray:
    """For each row how many households have the composition of its own, itself counted; 0 for rows without one.

    The composition is the multiset of the members' quasi-identifiers. Where a missing cell matches any value
    (``missing="any"``), a household counts when its members can be assigned one to one to matching ones. O(n log n), and
    under ``"any"`` O(p · w) more for p profiles, w of them with missing cells.
    """
    columns = release.quasi
    profiles = row_profiles(release, columns)
    lists, many, of_row = household_compositions(numbers, profiles)
    counts = many
    if release.missing == "any" and any(release.codes(column).has_missing for column in columns):
        counts = _matching_counts(release, profiles, lists, many)
    found: np.ndarray = np.append(counts, 0)[of_row]
    return found


def _matching_counts(release: Release, profiles: np.ndarray, lists: list[np.ndarray], many: np.ndarray) -> np.ndarray:
    """How many households each composition matches when a missing cell may be anything."""
    from ..kernels.household_matching import EQUAL, Lists, feasible_groups

    first = np.unique(profiles, return_index=True)[1]
    codes = [release.codes(column) for column in release.quasi]
    table = np.column_stack([one.codes[first].astype(np.int64) for one in codes])
    table = np.where(table == np.array([len(one.dictionary) for one in codes]), -1, table)
    open_rows = np.flatnonzero((table < 0).any(1))
    one, other = [np.arange(len(first))], [np.arange(len(first))]
    for row in open_rows:
        fits = np.flatnonzero(((table == table[row]) | (table < 0) | (table[row] < 0)).all(1))
        one += [np.full(len(fits), row), fits]
        other += [fits, np.full(len(fits), row)]
    pairs = np.unique(np.column_stack([np.concatenate(one), np.concatenate(other)]), axis=0)
    start = np.append(0, np.cumsum([len(members) for members in lists])).astype(np.int64)
    groups = Lists(start, np.concatenate([np.zeros(0, dtype=np.int64), *lists]))
    found = feasible_groups(groups, groups, Lists.of(pairs[:, 0], pairs[:, 1], len(first)), EQUAL)
    owner = np.repeat(np.arange(len(lists)), np.diff(found.start))
    counts = np.bincount(owner, weights=many[found.groups], minlength=len(lists)).astype(np.int64)
    return np.asarray(np.maximum(counts, many))
