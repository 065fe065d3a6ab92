"""What an intruder learns from: acquaintances, and the released record of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from ...claims.scenario import Scenario
from ...release.codes import encode_column
from ...release.release import Release
from .._distance_encoding import EncodedFiles, encode_for_distance, unique_rows_sorted
from .pairs import Pairs

if TYPE_CHECKING:
    from ...kernels.nearest import Costs


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingPairs:
    """Rows of the acquaintances that have one released record each (``rows``), which one that is (``own``), and folds.

    Both stand in an order that is that of no file.
    """

    sides: QueryPoints
    rows: np.ndarray
    own: np.ndarray
    folds: Folds

    def sample_pairs(self, *, without: int | None, most: int, direction: Direction, rng: np.random.Generator) -> Pairs:
        """All of them but one fold, and at most so many, drawn at random."""
        fold = self.folds.acquaintances[self.rows]
        chosen = np.arange(len(fold)) if without is None else np.flatnonzero(fold != without)
        if len(chosen) > most:
            chosen = np.sort(rng.choice(chosen, most, replace=False))
        return self.sides.pairs_for(self.rows[chosen], self.own[chosen], direction)


def training_pairs(
    release: Release, scenario: Scenario, sides: QueryPoints, folds: Folds, *, scale: Scale
) -> TrainingPairs:
    """The acquaintances of a scenario; ``sides`` are those of the scenario's own file, which often is the same."""
    assert scenario.acquaintances is not None
    file = scenario.acquaintances.file
    if file is not scenario.file:
        sides = query_points(release, file.select(scenario.knows), scale=scale, like=sides)
    own = scenario.acquaintances.own_rows()
    rows = np.flatnonzero(own >= 0)
    order = np.lexsort((sides.group_of[own[rows]], folds.numbers[rows]))
    return TrainingPairs(sides=sides, rows=rows[order], own=own[rows[order]], folds=folds)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Folds:
    """A fold for each row of the intruder's file and of its acquaintances, and a number for each different acquaintance.

    Equal records have one number and one fold whichever file they are in, and whatever the order of the files, and so have
    all records of a person: what is learned without a fold is learned without anybody in it or who looks like those in it.
    ``many`` is the number of folds.
    """

    many: int
    people: np.ndarray
    acquaintances: np.ndarray
    numbers: np.ndarray


def folds_of(scenario: Scenario, many: int, rng: np.random.Generator) -> Folds:
    """Folds by the known columns. O((n + m) log (n + m))."""
    from ...kernels.groups import group_rows

    assert scenario.acquaintances is not None
    files = scenario.file, scenario.acquaintances.file
    columns, sizes = [], []
    for column in scenario.knows:
        both = [file.series(column) for file in files]
        shared = _common_type(both[0].dtype, both[1].dtype)
        found = encode_column(pl.concat([side.cast(shared) for side in both]).rechunk())
        columns.append(found.codes)
        sizes.append(found.count)
    groups, count = group_rows(columns, sizes)
    first = np.empty(count, np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    order = np.lexsort([codes[first] for codes in columns])
    number = np.empty(count, np.int64)
    number[order] = np.arange(count)
    people, acquaintances = np.split(number[groups], [files[0].size])
    whose = _owner_groups(acquaintances, scenario.acquaintances.truth.intruder, count)
    persons = int(whose.max()) + 1
    many = max(1, min(many, persons))
    fold_of = (rng.permutation(persons) % many)[whose]
    return Folds(many=many, people=fold_of[people], acquaintances=fold_of[acquaintances], numbers=acquaintances)


def _owner_groups(records: np.ndarray, persons: np.ndarray, count: int) -> np.ndarray:
    """For each different record a number of those who have it; records that somebody has both of share theirs.

    They are numbered by their first record: the order of the files does not matter.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    known = persons >= 0
    of_person, person = records[known], np.unique(persons[known], return_inverse=True)[1]
    size = count + int(person.max(initial=-1)) + 1
    links = coo_array((np.ones(len(person)), (of_person, count + person)), shape=(size, size))
    found = connected_components(links, directed=False)[1][:count]
    _, first, inverse = np.unique(found, return_index=True, return_inverse=True)
    whose: np.ndarray = np.argsort(np.argsort(first))[inverse]
    return whose


def _common_type(one: pl.DataType, other: pl.DataType) -> pl.DataType:
    """A type in which equal values of both are equal: 31 and 31.0 are one age, a day is its first moment."""
    if one == other:
        return one
    if one.is_numeric() and other.is_numeric():
        return pl.Float64()
    days = pl.Date, pl.Datetime
    return pl.Datetime("us") if isinstance(one, days) and isinstance(other, days) else pl.String()


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
