"""The people of a population file behind each class of a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import narwhals as nw
import numpy as np
import polars as pl

from ..errors import TacitError
from ..release.classes.arrays import ArrayClasses
from ..release.classes.lazy import LazyClasses
from ..release.classes.matches import Matches
from ..release.codes import Codes, encode_column
from ..release.hierarchy.base import TOP, label_expression
from ..release.masked import release_of

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class PopulationMatch:
    """A release beside its population: for each class (or match set) its records and the people with the same keys.

    ``absent`` is how many people of the ``population`` have keys that no record has. ``joint`` are the classes of both
    files together, the records first.
    """

    classes: ArrayClasses | Matches
    people: np.ndarray
    absent: int
    population: int
    joint: ArrayClasses | Matches

    @property
    def records(self) -> np.ndarray:
        """Records of each class or match set."""
        return self.classes.sizes

    @property
    def exact_records(self) -> np.ndarray:
        """Records with exactly the keys of each class."""
        return np.bincount(self.classes.of_record, minlength=self.classes.count)

    @property
    def excess_count(self) -> int:
        """Records with keys that more records than people have: no sample of this population gives them."""
        return int(self.exact_records[self.people < self.records].sum())


def match_population(
    release: Release | Masked, population: Release | Masked | None, *, exact: bool = False
) -> PopulationMatch:
    """The people behind each class, under the release's policy for missing keys; ``exact``: missing is a category.

    Both files are grouped together on codes that they share, so nothing is joined on raw values. Columns that the
    release has at a level of their hierarchy are brought there in the population first. Without ``population`` that of the
    release is taken. O(n + N) time and memory.
    """
    release = release_of(release)
    population = release.population if population is None else population
    if population is None:
        raise TacitError(
            "this compares the release with a population, and there is none",
            code="no_population",
            fix="give the people that it was drawn from: population=tacit.read('people.csv', quasi=[…]), or "
            "release.described(population=…); on the command line --population FILE, in a plan "
            'population = "people.csv" under [data]',
        )
    population = release_of(population)
    if population.size == 0:
        raise TacitError(
            "the population has no rows", code="too_few_records", fix="check the file or the filter that made it"
        )
    classes = release.classes() if exact else release.matches()
    if isinstance(classes, LazyClasses):
        raise release.capabilities.unsupported("in_memory", "a release cannot be compared with a population")
    keys = [_common_codes(release, population, column) for column in release.quasi]
    joint = _joint_classes(release, keys, release.size + population.size, exact=exact)
    ours = np.arange(release.size + population.size) < release.size
    everybody = np.rint(joint.totals((~ours).astype(float))).astype(np.int64)[joint.of_record[: release.size]]
    people = np.zeros(classes.count, dtype=np.int64)
    people[classes.of_record] = everybody
    found = joint.totals(ours.astype(float))[joint.of_record[release.size :]]
    return PopulationMatch(classes, people, int((found < 0.5).sum()), population.size, joint)


def _joint_classes(release: Release, keys: list[Codes], size: int, *, exact: bool) -> ArrayClasses | Matches:
    def none(name: str) -> Codes:
        raise AssertionError(name)

    lacking = next((name for name, key in zip(release.quasi, keys, strict=True) if key.has_missing), None)
    if lacking is not None and release.missing is None and not exact:
        raise TacitError(
            "is a quasi-identifier with missing values in the population, and nobody said what they mean",
            code="population_missing_undefined",
            column=lacking,
            fix="say missing='own' (a category of its own) or missing='any' (matches any value) of the release",
        )
    if lacking is None or exact or release.missing == "own":
        return ArrayClasses(keys, size, none)
    return Matches(keys, size, none)


def _common_codes(release: Release, population: Release, column: str) -> Codes:
    """The column of both files, one after the other, in common codes."""
    if column not in population.columns:
        raise TacitError(
            "is a quasi-identifier that the population lacks",
            code="unknown_column",
            column=column,
            fix="give the population the same columns, with the same values, as the release",
        )
    if column in release.mixed:
        raise TacitError(
            "was recoded locally: a person of the population may fit several of its labels",
            code="already_masked",
            column=column,
            fix="compare the release with its population after a global recoding (a level for the whole column)",
        )
    ours, theirs = release.series(column), _at_level(release, population, column)
    if ours.dtype != theirs.dtype:
        kind = pl.Float64 if ours.dtype.is_numeric() and theirs.dtype.is_numeric() else pl.String
        ours, theirs = ours.cast(kind), theirs.cast(kind)
    return encode_column(pl.concat([ours.rename(column), theirs.rename(column)]))


def _at_level(release: Release, population: Release, column: str) -> pl.Series:
    """The population's column at the level at which the release has it; ``*`` where that is all the release tells."""
    level, stands = release.levels.get(column, 0), population.levels.get(column, 0)
    values = population.series(column)
    if column in population.mixed or stands not in (0, level):
        raise TacitError(
            f"stands at level {level} of its hierarchy in the release and is recoded otherwise in the population",
            code="already_masked",
            column=column,
            fix="give the population with its original values",
        )
    if stands == level:
        hidden = release.types[column] == "text" and release.codes(column).dictionary.to_list() == [TOP]
        return pl.select(pl.when(values.is_not_null()).then(pl.lit(TOP))).to_series() if hidden else values
    frame = nw.from_native(pl.DataFrame({column: values}))
    labelled: pl.Series = (
        frame.select(label_expression(release.hierarchies[column], column, level)).to_native().to_series()
    )
    lost = (labelled.is_null() & values.is_not_null()).arg_true()
    if len(lost):
        raise TacitError(
            f"has a value in row {lost[0] + 1} of the population that its hierarchy lacks",
            code="population_not_in_hierarchy",
            column=column,
            fix="add the values of the population to the hierarchy",
        )
    return labelled
