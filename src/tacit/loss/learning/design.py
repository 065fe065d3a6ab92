"""One regression by least squares, in the original and in the masked file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ...errors import TacitError
from ...release.one_level import as_numbers
from .least_squares import Intervals, independent, least_squares
from .two_files import TwoFiles, coded_alike, levelled

__all__ = ["Design", "Regressed", "regressed"]

Term: TypeAlias = tuple[np.ndarray | None, np.ndarray]
"""What stands for it in the masked file, if anything does, and in the original."""
MANY = 100
"""A column with more categories than these is no term of a regression."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The complete records of one file: the outcome, and each term as numbers."""

    outcome: np.ndarray
    terms: Mapping[str, np.ndarray]

    @staticmethod
    def of(outcome: np.ndarray, terms: Mapping[str, np.ndarray]) -> Design:
        """The records that have the outcome and every term."""
        known = ~np.isnan(np.column_stack([outcome, *terms.values()])).any(axis=1)
        return Design(outcome[known], {name: values[known] for name, values in terms.items()})

    def fit(self, terms: Iterable[str]) -> Intervals | None:
        """The intervals of the coefficients of these terms; None when there are too few records."""
        return least_squares(self.outcome, {name: self.terms[name] for name in terms})


@dataclass(frozen=True, slots=True)
class Regressed:
    """The intervals from both files by coefficient, and the terms that are combinations of others in the original."""

    original: Intervals
    masked: Intervals
    left_out: tuple[str, ...]


def regressed(files: TwoFiles, outcome: str, on: Iterable[str], *, exact: bool) -> Regressed:
    """The regression in both files; ``exact`` refuses terms that are combinations of others, which are left out else.

    Terms are amounts and dates as they are, of all else 0 or 1 for each category but the first. A coefficient that the
    masked file does not determine is not in its intervals; nor is one of a column of which it has labels only, unless
    ``exact``: then the original has the same labels.
    """
    terms = {column: _terms(files, column, exact=exact) for column in on}
    columns = {term: column for column in on for term in terms[column]}
    masked, original = _designs(files, outcome, {term: pair for each in terms.values() for term, pair in each.items()})
    kept = independent(original.terms)
    left_out = tuple(term for term in columns if term not in kept)
    if exact and left_out:
        raise TacitError(
            "does not vary in the complete records, or is a linear combination of the other terms, in the original",
            column=columns[left_out[0]],
            fix="leave it out of on=…",
        )
    before = original.fit(kept)
    if before is None:
        raise TacitError(
            f"the original has {len(original.outcome):,} complete records for {len(kept) + 1} coefficients",
            fix="explain the outcome by fewer columns, or fill their gaps",
        )
    left = independent({term: masked.terms[term] for term in kept if term in masked.terms})
    return Regressed(before, masked.fit(left) or {}, left_out)


def _designs(files: TwoFiles, outcome: str, terms: Mapping[str, Term]) -> tuple[Design, Design]:
    mine = {name: values for name, (_, values) in terms.items()}
    theirs = {name: values for name, (values, _) in terms.items() if values is not None}
    shown = np.zeros(0)  # labels are no outcome
    if outcome in files.amounts():
        shown = as_numbers(files.masked.series(outcome), outcome)
    else:
        theirs = {}
    return Design.of(shown, theirs), Design.of(as_numbers(files.original.series(outcome), outcome), mine)


def _terms(files: TwoFiles, column: str, *, exact: bool) -> dict[str, Term]:
    if not exact and column not in files.amounts():
        return {column: (None, as_numbers(files.original.series(column), column))}
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
