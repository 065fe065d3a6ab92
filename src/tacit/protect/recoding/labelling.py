"""The release in which every record carries the labels of its group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..parameters import drop_metadata

if TYPE_CHECKING:
    from ...release.release import Release
    from .problem import Problem


def recode_release(problem: Problem, of_cell: np.ndarray) -> Release:
    """The release recoded by the group of each cell: a column becomes text as soon as one group needs a label.

    Where missing keys and known ones share a group, the known ones are blanked, which the release remembers.
    """
    from ...kernels.shapes import group_states

    release = problem.release
    low, high = group_states(problem.shapes, problem.values, of_cell, int(of_cell.max()) + 1)
    of_record = of_cell[problem.of_record]
    changes: dict[str, pl.Series] = {}
    blanks: dict[str, np.ndarray] = {}
    for place, key in enumerate(problem.keys):
        start = problem.first[place]
        texts = key.labels(low[:, place] - start, high[:, place] - start).gather(of_record)
        values = release.series(key.column)
        if texts.equals(values.cast(pl.String), null_equal=True):
            continue
        changes[key.column] = texts
        lost = (texts.is_null() & values.is_not_null()).to_numpy()
        if lost.any():
            blanks[key.column] = lost
    blanked = release.suppress_cells(blanks) if blanks else release
    recoded = drop_metadata(blanked.with_columns(changes), changes, hierarchies=False) if changes else release
    return recoded.with_metadata(mixed=(*release.mixed, *(column for column in release.quasi if column in changes)))
