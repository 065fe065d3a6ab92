"""Both files as points among which distances are measured, and what a difference costs in each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..release.release import Release
from ._columns import ColumnPair, common_columns, compare_column

if TYPE_CHECKING:
    from ..kernels.nearest import Costs


Metric = Literal["euclidean", "mahalanobis"]

FLAT = 1e-10
"""Directions with less than this share of the largest variance do not tell anybody apart."""


@dataclass(frozen=True, slots=True, eq=False)
class EncodedFiles:
    """Released records and the intruder's as rows of two matrices, without the columns that tell nobody apart.

    ``columns`` names each of them; by Mahalanobis they are directions and have no names.
    """

    points: np.ndarray
    queries: np.ndarray
    costs: Costs
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


def encode_for_distance(
    release: Release, file: Release, *, standardise: bool = True, metric: Metric = "euclidean"
) -> EncodedFiles:
    """The common columns of both; by Mahalanobis the numbers without gaps become the main directions of the release.

    O((n + m)·d) time and memory; by Mahalanobis O((n + m)·d²) time.
    """
    from ..kernels.nearest import CODE, FLOOR, NUMBER, Costs

    kinds = {"number": NUMBER, "code": CODE, "floor": FLOOR}
    columns = [
        (name, pair)
        for name in common_columns(release, file)
        for pair in _informative_pairs(release, file, name, standardise)
    ]
    pairs, notes = _whiten_numbers(columns) if metric == "mahalanobis" else ([pair for _, pair in columns], ())
    usual = np.array([pair.usual for pair in pairs])
    weight = 1.0 / usual if standardise else np.ones(len(pairs))
    missing = weight * usual * np.array([pair.share for pair in pairs])
    both = np.zeros(len(pairs)) if release.missing == "own" else missing
    costs = Costs(np.array([kinds[pair.kind] for pair in pairs], dtype=np.int64), weight, missing, both)
    if not pairs:
        return EncodedFiles(np.empty((release.size, 0)), np.empty((file.size, 0)), costs, notes)
    points, queries = (np.column_stack([getattr(pair, side) for pair in pairs]) for side in ("release", "intruder"))
    return EncodedFiles(points, queries, costs, notes, () if metric == "mahalanobis" else _coordinate_names(columns))


def _coordinate_names(columns: list[tuple[str, ColumnPair]]) -> tuple[str, ...]:
    """The names of the columns; the two ends of a range are told apart."""
    names = [name for name, _ in columns]
    ends = {1: "", 2: " (its other end)"}
    return tuple(name + ends[names[: place + 1].count(name)] for place, name in enumerate(names))


def _informative_pairs(release: Release, file: Release, column: str, standardise: bool) -> list[ColumnPair]:
    return [pair for pair in compare_column(release, file, column, units=not standardise) if pair.usual > 0]


def _whiten_numbers(columns: list[tuple[str, ColumnPair]]) -> tuple[list[ColumnPair], tuple[str, ...]]:
    """Numbers without gaps as coordinates along the main directions of the release; all else as it was.

    The squared distance along all directions, each divided by twice its variance, is half that of Mahalanobis, so that
    two random records differ by one for each direction, as they do for each column otherwise.
    """
    full = [not np.isnan(pair.release).any() and not np.isnan(pair.intruder).any() for _, pair in columns]
    used = [pair for (_, pair), has in zip(columns, full, strict=True) if has and pair.kind == "number"]
    gapped = [name for (name, pair), has in zip(columns, full, strict=True) if not has and pair.kind == "number"]
    notes = [f"columns with missing cells were standardised one by one: {', '.join(gapped)}"] if gapped else []
    rest = [pair for _, pair in columns if all(pair is not one for one in used)]
    if not used:
        return rest, (*notes, "no number could be whitened: the distance is the Euclidean one")
    points, queries = (np.column_stack([getattr(pair, side) for pair in used]) for side in ("release", "intruder"))
    order = np.lexsort(points.T)  # sums in the order of the file would decide ties by their rounding
    centre, spread = points[order].mean(axis=0), points[order].std(axis=0)
    points, queries = (points - centre) / spread, (queries - centre) / spread
    variances, directions = np.linalg.eigh(points[order].T @ points[order] / len(points))
    kept = variances > FLAT * variances.max()
    if not kept.all():
        said = f"{len(used)} numbers vary in {int(kept.sum())} directions only"
        notes.append(f"the covariance is singular ({said}): its pseudo-inverse was used")
    along = (_project_rows(side, directions[:, kept]) for side in (points, queries))
    turned = [
        ColumnPair(theirs, mine, kind="number", usual=2.0 * float(np.var(theirs[order])))
        for theirs, mine in zip(*(side.T for side in along), strict=True)
    ]
    return [*turned, *rest], tuple(notes)


def _project_rows(rows: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """The coordinates of each row, column by column: a matrix product would round equal rows differently by their place."""
    found = np.zeros((len(rows), directions.shape[1]))
    for column, shares in zip(rows.T, directions, strict=True):
        found += column[:, None] * shares
    return found


def unique_rows_sorted(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the different rows each row is, and those in the order of their values: that of no file. O(n log n)."""
    from ..kernels.nearest import distinct_rows

    if not rows.shape[1]:
        return np.zeros(len(rows), dtype=np.int64), rows[:1]
    group_of, first = distinct_rows(rows)
    different = rows[first]
    gaps = np.isnan(different)
    order = np.lexsort(np.hstack([gaps, np.where(gaps, 0.0, different)]).T)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[group_of], different[order]
