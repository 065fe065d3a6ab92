"""Units in groups: who is complete, stratum by stratum, in an order that does not follow the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ...errors import TacitError
from ...progress import report_progress, sub_progress
from .._numbers import as_numbers
from .embedding import column_form, embed_rows

if TYPE_CHECKING:
    from ...progress import Progress
    from ...release.release import Release
    from .._units import Units


Lacking: TypeAlias = Literal["leave", "apart"]
"""What becomes of units with missing values: left as they are, or grouped with those that lack the same columns."""
Divide: TypeAlias = "Callable[[np.ndarray, Progress | None], np.ndarray]"
"""Points and a listener → the group of each point."""


@dataclass(frozen=True, eq=False)
class GroupingParams:
    """How units are grouped: k or more by ``divide``, columns counting by their weights, each stratum on its own."""

    k: int
    divide: Divide
    weights: Mapping[str, float]
    lacking: Lacking
    strata: Sequence[str]


@dataclass(frozen=True, eq=False)
class UnitGroups:
    """The units that are grouped, by their number, with their points; the others are left as they are.

    Groups are numbered from 0 on, all groups of a cell together: cell c has the units ``begin[c]:begin[c + 1]``. Units
    of one cell are of one stratum and have values in the same columns, ``known[c]`` of them.
    """

    units: np.ndarray
    points: np.ndarray
    group: np.ndarray
    begin: np.ndarray
    known: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """How many units each group has."""
        return np.bincount(self.group)

    def cells(self) -> Iterator[slice]:
        """The places of each cell's units."""
        return (slice(int(low), int(high)) for low, high in zip(self.begin[:-1], self.begin[1:], strict=True))

    def of(self, place: int) -> np.ndarray:
        """The places of the units that have a value in a column, given by its place."""
        return np.flatnonzero(np.repeat(self.known[:, place], np.diff(self.begin)))


def group_units(
    release: Release, of: Units, *, way: GroupingParams, rng: np.random.Generator, progress: Progress | None = None
) -> UnitGroups:
    """The groups: each of k units or more of one stratum, with values in the same columns.

    Units are put in the order of their values first, units that are equal in all of them at random; so nothing depends
    on the order of the file. O(n log n) time and O(n · dimensions) memory besides ``way.divide``.
    """
    known = np.column_stack([release.valid(column)[of.first] for column in of.columns])
    taken, cell = _unit_cells(known, of, way)
    mixed = rng.permutation(taken)
    mixed = mixed[in_order(release, of.columns, of.first[mixed])]
    mixed = mixed[np.argsort(cell[mixed], kind="stable")]
    begin = np.concatenate([[0], np.cumsum(np.unique(cell[taken], return_counts=True)[1])])
    points = embed_rows(release, of.columns, of.first[mixed], way.weights, rng=rng)
    group, made = np.empty(len(mixed), dtype=np.int64), 0
    for low, high in zip(begin[:-1], begin[1:], strict=True):
        report_progress(progress, "microaggregate", low / len(mixed))
        inside = sub_progress(progress, low / len(mixed), high / len(mixed))
        group[low:high] = made + way.divide(points[low:high], inside)
        made = int(group[low:high].max()) + 1
    return UnitGroups(mixed, points, group, begin, known[mixed[begin[:-1]]])


def in_order(release: Release, columns: Sequence[str], rows: np.ndarray) -> np.ndarray:
    """The rows in the order of their values, the first column first; equal ones stay as they are."""
    keys = [_sort_key(release, column)[rows] for column in columns]
    order = np.argsort(keys[0], kind="stable")
    tied = np.diff(keys[0][order]) == 0
    return np.lexsort(keys[::-1]) if len(keys) > 1 and tied.any() else order


def too_few(count: int, k: int, columns: Sequence[str], *, by_household: bool = False) -> TacitError:
    """The error of a file with fewer complete records, or households that are masked as one, than a group needs."""
    return TacitError(
        f"k={k} is above the {count} {'households' if by_household else 'records'} that have values in {', '.join(columns)}",
        code="out_of_range",
        parameter="k",
        fix="use a smaller k, or fewer columns",
    )


def _sort_key(release: Release, column: str) -> np.ndarray:
    if column_form(release, column) == "number":
        return as_numbers(release.series(column))
    return release.codes(column).codes


def _unit_cells(known: np.ndarray, of: Units, way: GroupingParams) -> tuple[np.ndarray, np.ndarray]:
    """The units that are grouped, and the cell of every unit: its stratum, and which columns it has values in."""
    if way.lacking == "leave":
        has, cell = known.all(axis=1), of.stratum
    else:
        _, pattern = np.unique(known, axis=0, return_inverse=True)
        has, cell = known.any(axis=1), of.stratum * (int(pattern.max()) + 1) + pattern.ravel()
    _check_strata(np.bincount(of.stratum[has], minlength=1), of, way)
    if way.lacking == "apart":
        _, place, size = np.unique(np.where(has, cell, -1), return_inverse=True, return_counts=True)
        has &= size[place.ravel()] >= way.k
        if not has.any():
            raise too_few(int(known.all(axis=1).sum()), way.k, of.columns, by_household=of.by_household)
    return np.flatnonzero(has), cell


def _check_strata(sizes: np.ndarray, of: Units, way: GroupingParams) -> None:
    if not way.strata:
        if sizes.sum() < way.k:
            raise too_few(int(sizes.sum()), way.k, of.columns, by_household=of.by_household)
        return
    small = int(((sizes > 0) & (sizes < way.k)).sum())
    if small or not sizes.any():
        raise TacitError(
            f"{'makes' if len(way.strata) == 1 else 'makes with ' + ', '.join(way.strata[1:])} {(sizes > 0).sum()} strata, "
            f"of which {small} have fewer than k={way.k} {'households' if of.by_household else 'records'} "
            f"with values in {', '.join(of.columns)}",
            code="too_few_records",
            column=way.strata[0],
            fix="merge strata (recode, generalise), leave strata out, or use a smaller k",
        )
