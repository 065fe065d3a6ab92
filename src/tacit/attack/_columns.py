"""Two files side by side: each common column as numbers or codes that can be compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from ..errors import TacitError
from ..loss.learning.estimators import FeatureColumn, Features, side_of
from ..release.codes import encode_column
from ..release.common_level import as_numbers, at_one_level
from ..release.hierarchy.base import TOP
from ..release.hierarchy.cover import label_cover
from ..release.hierarchy.nodes import label_values, nodes
from ..release.kinds import ORDERED
from ..release.release import Release
from .attack import ProgramLimit

NUMBERS = ("integer", "number")
DATES = ("date", "datetime")
CONSTANT = 1e-12
"""Numbers that spread less than this share of their size differ by rounding only."""
FAR = 1e140
"""Numbers are cut at this after scaling: no square overflows, and nothing is near there."""


def common_columns(release: Release, file: Release) -> tuple[str, ...]:
    """The columns that both have, in the order of the intruder's file."""
    return tuple(column for column in file.columns if column in release.columns)


def engine_limit(*files: Release, refused: str = "records cannot be compared") -> ProgramLimit | None:
    """That the engine of one of the files does not give the columns that an attack reads, and None when all do."""
    found = (file.capabilities.why_lacking("can_read_columns", refused) for file in files)
    return next((ProgramLimit(why) for why in found if why is not None), None)


def why_incomparable(release: Release, file: Release, *, on_engine: bool = False) -> str | None:
    """Why no record of one file can be compared with one of the other; None when they can.

    ``on_engine`` says that the records are compared where they are.
    """
    if not common_columns(release, file):
        return "the release has none of the columns that the intruder knows"
    if release.size == 0:
        return "the release has no rows"
    return None if on_engine else engine_limit(release, file)


def compare_column(release: Release, file: Release, column: str, *, units: bool) -> tuple[ColumnPair, ...]:
    """One common column of both files; with ``units`` numbers keep theirs, else they are scaled to a spread near one.

    A column that was generalised is compared at its level: hierarchy and level are public, so the intruder brings its
    own value to that level first. One that was recoded locally becomes a range for each record, or, where the intruder's
    own file holds such labels too, is compared as text. Numbers are compared as numbers, dates as days, all else as equal or not, a number that one side holds as text (a recoded column, say) as
    text; so are whole numbers declared nominal or a code.
    """
    if column in release.mixed and not labelled_too(release, file, column):
        return range_floors(release, file, column)
    theirs, mine = at_one_level(release, file, column)
    own = release.missing == "own"
    types = release.types[column], file.types[column]
    plain = theirs.dtype != pl.String and all(_is_ordered(side, column) for side in (release, file))
    if plain and (all(one in NUMBERS for one in types) or all(one in DATES for one in types)):
        numbers = as_numbers(theirs, column), as_numbers(mine, column)
        low, high = np.fmin.reduce(numbers[0], initial=np.inf), np.fmax.reduce(numbers[0], initial=-np.inf)
        if high - low > CONSTANT * max(abs(low), abs(high)):
            return (_of_numbers(*numbers, spread=1.0 if units else float(high - low)),)
    return (_of_codes(theirs, mine, own=own),)


def _is_ordered(side: Release, column: str) -> bool:
    """Whether differences mean something; whole numbers of which nobody said whether they are a code count as numbers."""
    return side.select(column).kinds.get(column, "continuous") in ORDERED


def _of_numbers(theirs: np.ndarray, mine: np.ndarray, *, spread: float) -> ColumnPair:
    """Scaled by a power of two, which is exact: the differences of whole numbers stay whole, and their ties ties.

    The variance is summed in the order of the values: that of the file would decide ties by its rounding.
    """
    exponent = int(np.frexp(spread)[1]) - 1
    with np.errstate(over="ignore"):
        scaled = [np.clip(np.ldexp(side, -exponent), -FAR, FAR) for side in (theirs, mine)]
    return ColumnPair(scaled[0], scaled[1], kind="number", usual=2.0 * float(np.nanvar(np.sort(scaled[0]))))


def _of_codes(theirs: pl.Series, mine: pl.Series, *, own: bool) -> ColumnPair:
    """Codes over both files; values that only one of them has get one code per file, because they equal nothing.

    So records that differ only in values which no comparison can find are one record to this intruder, and a column of
    pseudonyms does not make every pair a candidate.
    """
    if theirs.dtype != mine.dtype:
        type = pl.Float64 if theirs.dtype.is_numeric() and mine.dtype.is_numeric() else pl.String
        theirs, mine = theirs.cast(type), mine.cast(type)
    both = encode_column(pl.concat([theirs, mine]))
    size = len(both.dictionary)
    sides = [part.astype(float) for part in np.split(both.codes, [len(theirs)])]
    counts = [np.bincount(part.astype(np.int64), minlength=size + 1) for part in sides]
    shared = np.append((counts[0][:-1] > 0) & (counts[1][:-1] > 0), True)
    usual = _difference_chance(counts[0] if own else counts[0][:-1])
    for part, alone in zip(sides, (-1.0, -2.0), strict=True):
        index = part.astype(np.int64)
        part[~shared[index]] = alone
        part[index == size] = np.nan
    return ColumnPair(sides[0], sides[1], kind="code", usual=usual)


def _difference_chance(counts: np.ndarray) -> float:
    """The chance that two random records differ."""
    total = int(counts.sum())
    return 1.0 - float(((counts / total) ** 2).sum()) if total and counts.max() < total else 0.0


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


@dataclass(frozen=True, slots=True, eq=False)
class ColumnPair:
    """A column of both files: floats, NaN where missing; of codes only equality counts, floors must not be fallen below.

    ``usual`` is the mean difference of two random released records, 0 when the release does not tell anybody apart.
    ``share`` is the part of that difference that a missing cell costs here: the two floors of a range share it.
    ``weight`` is what a difference of one costs; None: 1/usual, so that every column counts alike.

    Who was told the masking knows more. ``low`` and ``high`` give for each of the intruder's records the lowest and the
    highest released value that it may have become (±inf: no bound), on the scale of ``release``; beyond them lies no
    candidate. For the kind "table" both sides are whole numbers, and a pair (x, y) of the intruder's and the released one
    costs ``table[x, y]``, inf where y cannot come from x. A missing cell is never beyond a bound.
    The kind "away" is of numbers that are likelier the farther they went: x and y cost ``weight · max(0, 1 − |x − y|)``.
    """

    release: np.ndarray
    intruder: np.ndarray
    kind: Literal["number", "code", "floor", "table", "away"]
    usual: float
    share: float = 1.0
    weight: float | None = None
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    table: np.ndarray | None = None


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
