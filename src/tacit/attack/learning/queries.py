"""Both files as a learning intruder sees them: seekers, places, and whose own place is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...release.release import Release
from ..distance_encoding import EncodedFiles, encode_for_distance
from ..unique_rows import unique_rows_sorted
from .pairs import Pairs

if TYPE_CHECKING:
    from ...kernels.nearest import Costs


Direction = Literal["intruder", "release"]
Scale = Literal["release", "each"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class QueryPoints:
    """Different released records (``points``, record a is ``group_of[a]``) and all of a file's (``queries``)."""

    points: np.ndarray
    group_of: np.ndarray
    queries: np.ndarray
    costs: Costs
    columns: tuple[str, ...]
    notes: tuple[str, ...]

    def pairs_for(self, rows: np.ndarray, own: np.ndarray, direction: Direction) -> Pairs:
        """These rows of the file and the released rows that are theirs (−1: unknown), as seekers and places."""
        groups = np.where(own >= 0, self.group_of[own], -1)
        twins = np.bincount(self.group_of)[groups]
        if direction == "intruder":
            return Pairs(self.queries[rows], self.points, groups, self.costs, twins)
        person_of, persons = unique_rows_sorted(self.queries)
        whole = self.turned_pairs(persons)
        # Twin records all name the same person, to whom only one of them belongs.
        many = np.maximum(np.bincount(person_of)[person_of[rows]], twins)
        return Pairs(whole.seekers[groups], whole.places, person_of[rows], self.costs, many)

    def turned_pairs(self, persons: np.ndarray) -> Pairs:
        """Each released record seeks its person; nobody knows whose it is."""
        from ...kernels.nearest import FLOOR

        # A floor is one-sided: turned round, minus the record's end must not fall below minus the person's value.
        turn = np.where(self.costs.kind == FLOOR, -1.0, 1.0)
        return Pairs(turn * self.points, turn * persons, np.full(len(self.points), -1), self.costs)


def query_points(release: Release, file: Release, *, scale: Scale, like: QueryPoints | None = None) -> QueryPoints:
    """The columns that both have and that tell anybody apart; the order of neither file matters.

    ``scale="release"``: numbers in units of their spread in the release. ``"each"``: each file by its own mean and
    standard deviation, for masking that moves or stretches a column, and files about the same people. ``like``:
    in the columns and units of these sides of another file, so that a distance means the same there.
    """
    from ...kernels.nearest import NUMBER

    found = encode_for_distance(release, file)
    if like is not None:
        found = _as_in(like, found)
    points, queries, costs = found.points, found.queries, found.costs
    if scale == "each":
        numbers = costs.kind == NUMBER
        points, queries = (_standardise_columns(side, numbers) for side in (points, queries))
        costs = costs._replace(weight=np.where(numbers, 0.5, costs.weight))
    group_of, points = unique_rows_sorted(points)
    return QueryPoints(
        points=points,
        group_of=group_of,
        queries=queries,
        costs=costs,
        columns=found.columns,
        notes=found.notes,
    )


def _as_in(like: QueryPoints, found: EncodedFiles) -> EncodedFiles:
    """The columns of other sides, with what a difference costs there; a column of which nothing is known here is missing."""
    place = {column: at for at, column in enumerate(found.columns)}
    points, queries = (
        np.zeros((len(found.points), len(like.columns))),
        np.full((len(found.queries), len(like.columns)), np.nan),
    )
    costs = [part.copy() for part in like.costs]
    for to, column in enumerate(like.columns):
        at = place.get(column)
        if at is None:
            continue
        points[:, to], queries[:, to] = found.points[:, at], found.queries[:, at]
        if found.costs.kind[at] != like.costs.kind[to]:  # the same values may be text here
            for part, own in zip(costs, found.costs, strict=True):
                part[to] = own[at]
    return EncodedFiles(points, queries, type(like.costs)(*costs), found.notes, like.columns)


def _standardise_columns(side: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Sums are taken in the order of the values: that of the file would decide ties by its rounding."""
    ordered = np.sort(side, axis=0)
    known = ~np.isnan(ordered).all(axis=0)
    centre, spread = np.zeros(side.shape[1]), np.ones(side.shape[1])
    centre[known], spread[known] = np.nanmean(ordered[:, known], axis=0), np.nanstd(ordered[:, known], axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return np.where(numbers, (side - centre) / spread, side)
