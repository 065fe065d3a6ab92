"""A masked file beside its original: which columns of the two can be compared value by value, and their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, check_columns, unknown_column
from ..release.common_level import as_numbers
from ..release.masked import release_of
from ..release.pairs import CODED, Pairs, pair_records

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


Columns = str | Iterable[str] | None
AMOUNTS, DATES = ("integer", "number"), ("date", "datetime")
ABOUT_PEOPLE = ("confidential", "quasi", "quasi_confidential")
TECHNICAL = ("identifier", "household", "weight")
"""Roles whose values tell nothing about a person, or name it."""


def both_files(release: Release | Masked, original: Release | Masked | None, lineage: np.ndarray | None) -> Pairs:
    """The records of both files, each masked one beside that from which it was made."""
    masked = release_of(release)
    if original is None:
        raise TacitError(
            "this compares the masked file with its original, and there is none",
            code="wrong_type",
            fix="give it: original=…; on the command line use: tacit compare ORIGINAL MASKED, in a plan [require]",
        )
    before = release_of(original)
    for file in (masked, before):
        file.capabilities.require("can_read_columns", "records cannot be compared with their originals")
    return pair_records(release, before, lineage)


def is_number(pairs: Pairs, column: str) -> bool:
    """Whether a column holds amounts or dates in both files, at no level of a hierarchy and not declared a code."""
    sides = pairs.masked, pairs.original
    if any(column in side.mixed or side.levels.get(column) or _is_coded(side, column) for side in sides):
        return False
    return any(all(side.types[column] in alike for side in sides) for alike in (AMOUNTS, DATES))


def is_category(pairs: Pairs, column: str) -> bool:
    """Whether a column holds categories in both files that can be brought to one level.

    Numbers and dates are categories where they were recoded, or declared to be codes or ordinal.
    """
    if column in pairs.masked.mixed or column in pairs.original.mixed:
        return False
    ordinal = "ordinal" in (pairs.masked.declared_kinds.get(column), pairs.original.declared_kinds.get(column))
    return ordinal or not is_number(pairs, column)


def _is_coded(side: Release, column: str) -> bool:
    return side.declared_kinds.get(column) in CODED


def choose_columns(pairs: Pairs, columns: Columns, fits: Callable[[Pairs, str], bool]) -> tuple[str, ...]:
    """The columns named, or all that fit: quasi-identifiers and confidential ones, any column where no role was given."""
    both = [column for column in pairs.original.columns if column in pairs.masked.columns]
    if columns is not None:
        for column in check_columns(columns):
            if column not in both and column not in {*pairs.original.columns, *pairs.masked.columns}:
                raise unknown_column(column, both)
            if column not in both:
                raise TacitError(
                    "is not in both files, so that it cannot be compared",
                    code="unknown_column",
                    column=column,
                    fix=_list_columns(both),
                )
        return check_columns(columns)
    roles = {column: _role_of(pairs, column) for column in both}
    declared = any(role in ABOUT_PEOPLE for role in (*pairs.masked.roles.values(), *pairs.original.roles.values()))
    wanted = [column for column, role in roles.items() if (role in ABOUT_PEOPLE if declared else role not in TECHNICAL)]
    return tuple(column for column in wanted if fits(pairs, column))


def _role_of(pairs: Pairs, column: str) -> str:
    """The role in the original, or, where it has none there, in the masked file."""
    before = pairs.original.roles[column]
    return before if before != "other" else pairs.masked.roles[column]


def _list_columns(both: list[str]) -> str:
    return f"both files have {', '.join(both)}" if both else "give two files with the same columns"


@dataclass(frozen=True, slots=True, eq=False)
class NumericColumnPair:
    """A column row by row of the masked file: ``before`` is NaN where nobody is behind the row or the value is missing.

    ``original`` is the whole column in its own order. ``invented`` rows stand for nobody.
    """

    column: str
    role: str
    before: np.ndarray
    after: np.ndarray
    original: np.ndarray
    invented: int

    @property
    def compared_count(self) -> int:
        """Records whose original value is known."""
        return int(np.count_nonzero(self.before == self.before))

    def facts(self) -> dict[str, object]:
        """Who was compared and who was not; a value hidden in the release counts as not disclosed."""
        known = ~np.isnan(self.before)
        hidden = int(np.count_nonzero(known & np.isnan(self.after)))
        unknown = len(self.before) - self.invented - int(known.sum())
        found: dict[str, object] = {"role": self.role} if self.role not in ("other", "unrestricted") else {}
        found["records compared"] = int(known.sum())
        found |= {"of them hidden in the release": hidden} if hidden else {}
        found |= {"left out, original value missing": unknown} if unknown else {}
        return found | ({"left out, invented records": self.invented} if self.invented else {})


def numeric_column_pairs(pairs: Pairs, columns: Columns) -> Iterator[NumericColumnPair]:
    """Each column of numbers in both files; one that cannot disclose anything is an error when named, else passed over."""
    some = False
    for column in choose_columns(pairs, columns, is_number):
        if not is_number(pairs, column):
            raise TacitError(
                "does not hold numbers or dates in both files",
                code="conflicting_parameters",
                column=column,
                fix="measure same_values of it instead",
            )
        made = _numeric_column_pair(pairs, column)
        if made is not None:
            some = True
            yield made
        elif columns is not None:
            raise TacitError(
                "is missing everywhere, or has one value only in the original, which discloses nothing about anybody",
                code="missing_values",
                column=column,
                fix="name a column whose values differ",
            )
    if not some:
        raise TacitError(
            "no column holds varying numbers in both files",
            code="no_usable_column",
            fix="measure same_values, which compares categories",
        )


def _numeric_column_pair(pairs: Pairs, column: str) -> NumericColumnPair | None:
    original = as_numbers(pairs.original.series(column), column)
    after = as_numbers(pairs.masked.series(column), column)
    before = original
    if len(pairs.of_masked) < len(after) or not _in_place(pairs.of_original, len(original)):
        before = np.full(len(after), np.nan)
        before[pairs.of_masked] = original[pairs.of_original]
    if not _has_variation(original) or np.isnan(before).all() or np.isnan(after).all():
        return None
    invented = len(after) - len(pairs.of_masked)
    return NumericColumnPair(column, _role_of(pairs, column), before, after, original, invented)


def _in_place(rows: np.ndarray, size: int) -> bool:
    return len(rows) == size and bool((rows == np.arange(size)).all())


def _has_variation(values: np.ndarray) -> bool:
    """Whether two of the known values differ."""
    return bool(np.fmin.reduce(values, initial=np.inf) < np.fmax.reduce(values, initial=-np.inf))
