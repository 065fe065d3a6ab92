"""The columns that a release and a file of people have in common, in the form in which an estimator learns from them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...loss.learning.features import FeatureColumn, Features, side_of
from ...release.release import Release
from ..columns import compare_column


def features_of(release: Release, people: Release, columns: Iterable[str]) -> Features:
    """The columns of both files in the form in which they can be learnt from; ``people`` may be the release itself.

    Numbers and dates are numbers; all else are categories, those that the release does not have being unknown (the notes
    count them). The people's values are brought to the level of a generalised column; one that was recoded locally is
    two numbers, the ends of the range that a label covers, which are the same for somebody whose value is known. O(n log n)
    per column.
    """
    sides: list[FeatureColumn] = []
    notes: list[str] = []
    for column in columns:
        for release_values, people_values, codes in _feature_parts(release, people, column):
            side, unseen = side_of(release_values, people_values, codes=codes)
            sides += [side] if not np.isnan(side.release).all() else []
            if unseen:
                notes.append(f"{unseen:,} cells of {column!r} hold a value that the release does not have: unknown")
    return Features(tuple(sides), release.size, people.size, tuple(dict.fromkeys(notes)))


def _feature_parts(release: Release, people: Release, column: str) -> list[tuple[np.ndarray, np.ndarray, bool]]:
    if people is release and column in release.mixed:  # labels beside themselves are no ranges
        coded = release.codes(column)
        values = np.where(coded.codes == len(coded.dictionary), np.nan, coded.codes.astype(float))
        return [(values, values, True)]
    parts = compare_column(release, people, column, units=False)
    return [(part.release, part.intruder, part.kind == "code") for part in parts]
