"""At which level of its hierarchy each column of a released file stands, found from the file itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ..errors import TacitError
from ..release.hierarchy.base import label_expression
from ..release.hierarchy.cover import INTERVAL, label_cover
from ..release.kinds import can_have_kind
from ..release.release import Release


def with_original_kinds(table: Release, original: Release) -> Release:
    """The table with the kinds of the original where they fit: whether a whole number is an amount or a code."""
    declared = original.declared_kinds.items()
    kinds = {c: kind for c, kind in declared if c in table.columns and can_have_kind(kind, table.types[c])}
    return table.with_metadata(kinds=kinds)


def with_levels(
    released: Release, original: Release, columns: Sequence[str], *, strangers: bool = False
) -> tuple[Release, dict[str, str]]:
    """The release with the level of each column that was generalised; and why those that cannot be compared are not.

    The level of a column is the lowest one of its hierarchy whose labels of the original's values hold all values of the
    release; where there is none, but every value is a label of some level, an interval or a set of the original's
    values, the column was recoded locally. With ``strangers`` the table holds other people too, whose values may be the
    ends of its intervals.
    """
    levels: dict[str, int] = {}
    mixed: list[str] = []
    warnings: dict[str, str] = {}
    for column in columns:
        if released.types[column] != "text":
            continue
        level = _find_level(released, original, column)
        if level is None and _is_readable(released, original, column, strangers=strangers):
            mixed.append(column)
        elif level is None:
            warnings[column] = (
                "was left out: it has values that the original does not have; if it was generalised, give its hierarchy "
                "(--plan PLAN or --hierarchy), else the attack is weaker than a real one"
            )
        elif level:
            levels[column] = level
    known = [column for column in (*levels, *mixed) if column in original.hierarchies]
    ladders: Mapping[str, Any] = {column: original.hierarchies[column] for column in known}
    return released.with_metadata(levels=levels, mixed=tuple(mixed), hierarchies=ladders), warnings


def at_their_levels(table: Release, original: Release) -> tuple[Release, dict[str, str]]:
    """Another table about the same people without the columns that cannot be compared, and why these cannot.

    Left in, such a column would match nobody, and the table would seem to say nothing.
    """
    found, why_not = with_levels(table, original, [column for column in table.columns if column in original.columns])
    return found.select([column for column in found.columns if column not in why_not]), why_not


def _is_readable(released: Release, original: Release, column: str, *, strangers: bool) -> bool:
    """Whether every value of the release says which of the original's values it stands for."""
    values = original.codes(column).dictionary
    if strangers:
        labels = released.series(column).drop_nulls().unique()
        ends = [labels.str.extract(INTERVAL, end).cast(values.dtype, strict=False) for end in (1, 2)]
        values = pl.concat([values, *(one.alias(values.name) for one in ends)]).drop_nulls().unique().sort()
    try:
        label_cover(original.hierarchies.get(column), column, released.series(column), values)
    except TacitError:
        return False
    return True


def _find_level(released: Release, original: Release, column: str) -> int | None:
    values = set(released.series(column).drop_nulls().unique())
    if values <= set(original.series(column).cast(str).drop_nulls().unique()):
        return 0
    ladder = original.hierarchies.get(column)
    if ladder is None:
        return None
    for level in range(1, ladder.height + 1):
        if values <= set(
            original.with_columns({column: label_expression(ladder, column, level)})
            .series(column)
            .drop_nulls()
            .unique()
        ):
            return level
    return None
