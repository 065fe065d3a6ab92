"""Who is attacked with what was learned from whom: never from oneself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ...claims.scenario import Scenario
from ...release.codes import encode_column


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
