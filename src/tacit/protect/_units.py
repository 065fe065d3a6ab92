"""What is masked as one: persons or whole households, all together or stratum by stratum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, check_columns
from ..release.classes.arrays import ArrayClasses
from ..release.households import household_level, one_per_household
from ._checks import refuse_empty

if TYPE_CHECKING:
    from ..release.release import Release


@dataclass(frozen=True, eq=False)
class Units:
    """Columns that are masked together, and who is masked as one in them.

    ``first`` has one row of every unit, ``of_row`` the unit of every row: a value made for the units reaches all rows
    by ``made[of_row]``. ``stratum`` numbers the strata of the units from 0 on.
    """

    columns: tuple[str, ...]
    first: np.ndarray
    of_row: np.ndarray
    stratum: np.ndarray
    by_household: bool

    def strata(self) -> Iterator[np.ndarray]:
        """The units of each stratum, by their number."""
        order = np.argsort(self.stratum, kind="stable")
        return iter(np.split(order, np.flatnonzero(np.diff(self.stratum[order])) + 1))


def masking_units(release: Release, columns: Sequence[str], strata: Sequence[str] = ()) -> tuple[Units, ...]:
    """Columns of the person, and apart from them columns that are equal within every household; O(n log n) time.

    Without a household column all is of the person. Strata are equal values in the ``strata`` columns, missing counted
    as a value; they must not cut a household whose columns are masked as one.
    """
    refuse_empty(release)
    shared = household_level(release, columns)
    alone = np.arange(release.size)
    of_person = tuple(column for column in columns if column not in shared)
    cells = _stratum_numbers(release, strata)
    found = []
    for part, by_household in ((of_person, False), (shared, True)):
        if not part:
            continue
        first, of_row = one_per_household(release) if by_household else (alone, alone)
        if by_household and (cells[first][of_row] != cells).any():
            raise TacitError(
                "differ within households, which are masked as one: " + ", ".join(strata),
                code="already_masked",
                fix="use strata of the household, or describe the release without its household column",
            )
        found.append(Units(part, first, of_row, cells[first], by_household))
    return tuple(found)


def _stratum_numbers(release: Release, columns: Sequence[str]) -> np.ndarray:
    chosen = check_columns(columns, release.columns)
    if not chosen:
        return np.zeros(release.size, dtype=np.int64)
    found: np.ndarray = ArrayClasses(
        [release.codes(column) for column in chosen], release.size, release.codes
    ).of_record
    return found
