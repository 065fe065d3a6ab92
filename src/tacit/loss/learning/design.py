"""Regressions by least squares, in the original and in the masked file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ...errors import TacitError
from ...release.one_level import as_numbers
from .least_squares import Intervals, Squares
from .two_files import TwoFiles, coded_alike, levelled

Term: TypeAlias = tuple[np.ndarray, np.ndarray]
"""Its numbers in the masked file and in the original."""
OUTCOME = "\0"
"""Its name beside those of the terms, which no column has."""
MANY = 100
"""A column with more categories than these is no term of a regression."""


@dataclass(frozen=True, slots=True)
class Regressed:
    """The intervals from both files by coefficient, and the terms that are combinations of others in the original."""

    original: Intervals
    masked: Intervals
    left_out: tuple[str, ...]


def regressed(files: TwoFiles, outcome: str, on: Iterable[str]) -> Regressed:
    """The regression in both files; refuses terms that are combinations of others in the original.

    Terms are amounts and dates as they are, of all else 0 or 1 for each category but the first, the original's at the
    level of the masked file. A coefficient that the masked file does not determine is not in its intervals.
    """
    terms = {column: _terms(files, column) for column in on}
    columns = {term: column for column in on for term in terms[column]}
    sides = []
    for place, release in enumerate((files.masked, files.original)):
        known = {term: pair[place] for each in terms.values() for term, pair in each.items()}
        sides.append(_complete({**known, OUTCOME: as_numbers(release.series(outcome), outcome)}))
    found = _compared(sides[0], sides[1], OUTCOME, columns)
    if found.left_out:
        raise TacitError(
            "does not vary in the complete records, or is a linear combination of the other terms, in the original",
            column=columns[found.left_out[0]],
            fix="leave it out of on=…",
        )
    return found


def in_turn(files: TwoFiles, outcomes: Iterable[str], columns: Sequence[str]) -> dict[str, Regressed]:
    """Each outcome on the other columns, all of them amounts in the original; what the masked file has labels of is lost.

    The complete records are the same for all, so that the files are gone through once. O(n log n + n · m²) time.
    """
    amounts = files.amounts()
    masked, original = (
        _complete({column: as_numbers(release.series(column), column) for column in shown})
        for release, shown in ((files.masked, [c for c in columns if c in amounts]), (files.original, columns))
    )
    return {
        outcome: _compared(masked, original, outcome, [column for column in columns if column != outcome])
        for outcome in outcomes
    }


def _complete(columns: Mapping[str, np.ndarray]) -> Squares:
    """The records that have all columns."""
    known = ~np.logical_or.reduce([np.isnan(values) for values in columns.values()]) if columns else slice(0)
    return Squares.of({name: values[known] for name, values in columns.items()})


def _compared(masked: Squares, original: Squares, outcome: str, terms: Iterable[str]) -> Regressed:
    kept = original.independent(terms)
    before = original.regression(outcome, kept)
    if before is None:
        raise TacitError(
            f"the original has {original.records:,} complete records for {len(kept) + 1} coefficients",
            fix="explain the outcome by fewer columns, or fill their gaps",
        )
    after = None
    if outcome in masked.sides:  # labels are no outcome
        after = masked.regression(outcome, masked.independent(term for term in kept if term in masked.sides))
    return Regressed(before, after or {}, tuple(term for term in terms if term not in kept))


def _terms(files: TwoFiles, column: str) -> dict[str, Term]:
    theirs, mine = levelled(files, column)
    dates = theirs.dtype.is_temporal() and mine.dtype.is_temporal()
    if dates or (column in files.amounts() and theirs.dtype.is_numeric() and mine.dtype.is_numeric()):
        return {column: (as_numbers(theirs, column), as_numbers(mine, column))}
    masked, original = coded_alike(theirs, mine)
    present, rows = np.unique(original, return_index=True)
    rows = rows[present >= 0]
    if len(rows) > MANY:
        raise TacitError(
            f"has {len(rows):,} categories, too many for a regression", column=column, fix="leave it out, or recode it"
        )
    found: dict[str, Term] = {}
    for row in rows[1:]:
        pair = [np.where(side < 0, np.nan, (side == original[row]).astype(float)) for side in (masked, original)]
        found[f"{column}={mine[int(row)]}"] = (pair[0], pair[1])
    return found
