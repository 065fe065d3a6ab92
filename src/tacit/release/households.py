"""Households: which columns describe the household, so that a method masks them once for all its members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .release import Release

__all__ = ["household_level", "one_per_household"]


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
