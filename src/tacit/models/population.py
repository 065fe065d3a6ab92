"""The people of a population file behind each class of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError
from ..release.codes import encoded

if TYPE_CHECKING:
    from ..release.classes.arrays import ArrayClasses
    from ..release.release import Release

__all__ = ["people_of_classes"]


def people_of_classes(release: Release, classes: ArrayClasses, population: Release) -> np.ndarray:
    """For each class how many records of the population have its quasi-identifiers; missing is a category of its own.

    Both files are grouped together on codes that they share, so nothing is joined on raw values. O(n + N).
    """
    from ..kernels.groups import group_rows

    for column in release.quasi:
        if column not in population.columns:
            raise TacitError(
                "is a quasi-identifier that the population lacks",
                column=column,
                fix="give the population the same columns, with the same values, as the release",
            )
    columns, counts = [], []
    for column in release.quasi:
        ours, theirs = release.series(column), population.series(column)
        kind = ours.dtype if ours.dtype == theirs.dtype else pl.String
        both = encoded(pl.concat([ours.cast(kind), theirs.cast(kind)]))
        columns.append(both.codes)
        counts.append(both.count)
    groups, number = group_rows(columns, counts)
    people = np.bincount(groups[release.size :], minlength=number)
    of_class = np.zeros(classes.count, dtype=np.int64)
    of_class[classes.of_record] = people[groups[: release.size]]
    return of_class
