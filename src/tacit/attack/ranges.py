"""A locally recoded column beside the intruder's values: each label as the range of values that it covers."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..errors import TacitError
from ..release.hierarchy.base import TOP
from ..release.hierarchy.cover import label_cover
from ..release.hierarchy.nodes import label_values, nodes
from ..release.release import Release
from .column_pair import ColumnPair

SPACED = r"^\[ *(.+?) *, *(.+?) *\]$"
"""An interval, with spaces or without."""


def labelled_too(release: Release, file: Release, column: str) -> bool:
    """Whether the intruder's own column holds labels, as a recoding leaves them, and not values that labels cover.

    Told by the file itself, by its type, or by a text that is the label of another value of the file. O(height · values).
    """
    hierarchy, mine = release.hierarchies.get(column), file.codes(column).dictionary
    starred = mine.dtype == pl.String and TOP in mine
    if column in file.mixed or starred or hierarchy is None:
        return column in file.mixed or starred
    try:
        hierarchy.check_type(column, file.types[column])
    except TacitError:
        return True
    if mine.dtype != pl.String:
        return False
    named = (label_values(hierarchy, column, level, mine) for level in range(1, hierarchy.height))
    return any(((level != mine) & level.is_in(mine.implode())).any() for level in named)


def range_floors(release: Release, file: Release, column: str) -> tuple[ColumnPair, ...]:
    """Two floors: a person's value is at least the low end of a record's label, and minus it at least minus the high end.

    The values stand in an order in which each label covers a run of them: that of numbers and dates, else that of the
    tree. Labels of other tools are read too: intervals without a space ("[43,52]") and prefixes that no hierarchy knows
    ("N1C***"). A free set of values that is no run is taken for the run around it, which makes the intruder weaker there. A
    label that covers none of the intruder's values lies beyond all of them. ``usual`` is the chance that a random label
    does not cover a random person's value. Nothing, when the intruder has no value at all. O(labels · values) at worst.
    """
    mine = file.codes(column)
    if not len(mine.dictionary):
        return ()
    shown = release.series(column).cast(pl.String).str.replace(SPACED, "[$1, $2]")
    place = _value_order(release, column, mine.dictionary)
    found = label_cover(release.hierarchies.get(column), column, shown, mine.dictionary, partial=True)
    slices = zip(found.labels, found.begin, found.end, strict=True)
    covered = [
        found.places[low:high] if high > low else _prefix_matches(mine.dictionary, label) for label, low, high in slices
    ]
    ends = np.array([_position_range(place[values]) for values in covered]).reshape(-1, 2)
    of_record = shown.replace_strict(
        found.labels, np.arange(len(ends)), default=len(ends), return_dtype=pl.Int64
    ).to_numpy()
    low, high = np.append(ends[:, 0], np.nan)[of_record], np.append(ends[:, 1], np.nan)[of_record]
    people = np.append(place.astype(float), np.nan)[np.minimum(mine.codes, len(mine.dictionary))]
    usual = _miss_chance(people, ends, np.bincount(of_record, minlength=len(ends) + 1)[: len(ends)])
    return (
        ColumnPair(low, people, kind="floor", usual=usual, share=0.5),
        ColumnPair(-high, -people, kind="floor", usual=usual, share=0.5),
    )


def _prefix_matches(values: pl.Series, label: str) -> np.ndarray:
    """Which values begin as the label does before its stars; none when it has no stars or the values are no text."""
    begin = label.rstrip("*")
    if values.dtype != pl.String or begin == label:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(values.str.starts_with(begin).to_numpy())


def _value_order(release: Release, column: str, values: pl.Series) -> np.ndarray:
    """The place of each value in an order that keeps every label together."""
    ordered = values.dtype.is_numeric() or values.dtype.is_temporal() or column not in release.hierarchies
    if ordered:
        return np.arange(len(values))
    try:
        number = nodes(release.hierarchies[column], column, values).number
    except TacitError:  # values that the hierarchy does not know match `*` alone
        return np.arange(len(values))
    place = np.empty(len(values), dtype=np.int64)
    place[np.lexsort(number)] = np.arange(len(values))
    return place


def _position_range(places: np.ndarray) -> tuple[float, float]:
    return (float(places.min()), float(places.max())) if len(places) else (np.inf, np.inf)


def _miss_chance(people: np.ndarray, ends: np.ndarray, records: np.ndarray) -> float:
    """The chance that a random record's label misses a random person's value."""
    known = np.sort(people[~np.isnan(people)])
    if not len(known) or not records.sum():
        return 0.0
    inside = np.searchsorted(known, ends[:, 1], side="right") - np.searchsorted(known, ends[:, 0], side="left")
    return 1.0 - int(np.maximum(inside, 0) @ records) / (len(known) * int(records.sum()))
