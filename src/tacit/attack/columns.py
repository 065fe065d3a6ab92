"""Two files side by side: each common column as numbers or codes that can be compared."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from ..loss.learning.estimators import FeatureColumn, Features, side_of
from ..release.codes import encode_column
from ..release.common_level import as_numbers, at_one_level
from ..release.kinds import ORDERED
from ..release.release import Release
from .attack import ProgramLimit
from .column_pair import ColumnPair
from .ranges import labelled_too, range_floors

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
