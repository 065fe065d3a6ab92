"""Grow a hierarchy from a release, and look at one before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import TacitError, check_columns
from ..result import DisplayMixin
from .hierarchy import Hierarchy, hierarchy
from .hierarchy.recipe import make_tally, resolve_hierarchy
from .hierarchy_layout import Level, laid_out
from .masked import Masked, release_of
from .release import Release


def build_hierarchy(release: Release | Masked, column: str, *, by: Any) -> Hierarchy:
    """The hierarchy that a description makes for a column; what needs the data is grown from them.

    ``by`` is ``{"frequency": [10, 100]}`` · ``{"quantiles": [20, 5]}`` · ``{"clusters": [8, 3], "like": "income"}`` ·
    ``{"priority": ["physician", "nurse"], "keep": [2, 1]}``, or any other description of a hierarchy. The same
    descriptions can be given to a release or stand in a plan. What was grown is a :class:`GrownHierarchy`: its labels and cut
    points come from the data and tell a little about them; ``spec()`` is the finished table, to be used elsewhere.

    One group-by of the column (and of the one it is likened by), on any engine.

    >>> import polars as pl
    >>> towns = Release(pl.DataFrame({"town": ["Lund"] * 5 + ["Umeå"] * 4 + ["Kiruna", "Visby"]}))
    >>> build_hierarchy(towns, "town", by={"frequency": [2, 5]}).spec()["table"]["Umeå"]
    ['Umeå', 'other 2', '*']
    """
    plain = release_of(release)
    check_columns(column, plain.columns)
    given = hierarchy(by)
    given.check_type(column, plain.types[column])
    return resolve_hierarchy(given, column, make_tally(plain.scan()))


@dataclass(frozen=True, slots=True, repr=False)
class Preview(DisplayMixin):
    """A hierarchy over the values of a column, level by level. Internal: labels and counts are those of the data."""

    column: str
    levels: tuple[Level, ...]
    missing: int
    grown: bool

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        for one in self.levels:
            groups = (
                f"{one.groups:,} group{'s' if one.groups != 1 else ''} of {one.smallest:,} to {one.largest:,} records"
            )
            more = ", …" if one.groups > len(one.labels) else ""
            yield f"level {one.level}", f"{groups}: {', '.join(one.labels)}{more}"
        if self.missing:
            yield "missing", f"{self.missing:,} records, at every level apart"
        if self.grown:
            yield "grown", "from the data: labels and cut points tell a little about them"

    def __repr__(self) -> str:
        return f"<Preview of {self.column}: levels 0 to {len(self.levels) - 1}>"


def preview(release: Release | Masked, column: str, *, by: Any = None) -> Preview:
    """What each level of a hierarchy would do to a column: groups, the smallest (its k alone) and the largest.

    ``by`` is any description of a hierarchy; without it that of the release is shown. For the desk of whoever makes the
    release: labels and counts are those of the data.

    One group-by, then O(height · values).

    >>> import polars as pl
    >>> ages = Release(pl.DataFrame({"age": [3, 7, 12, 18, 18, 44, 51, 90]}))
    >>> print(preview(ages, "age", by={"quantiles": [4, 2]}))
    level 0  7 groups of 1 to 2 records: 3, 7, 12, …
    level 1  4 groups of 1 to 3 records: < 12, [12, 18), [18, 51), …
    level 2  2 groups of 3 to 5 records: < 18, >= 18
    level 3  1 group of 8 to 8 records: *
    grown    from the data: labels and cut points tell a little about them
    """
    plain = release_of(release)
    check_columns(column, plain.columns)
    if by is None and column not in plain.hierarchies:
        raise TacitError(
            "has no hierarchy to preview",
            code="no_hierarchy",
            column=column,
            fix="say by={'prefix': [5, 3]} or the like",
        )
    if by is None and column in plain.levels:
        raise TacitError(
            "stands at a higher level already", code="already_masked", column=column, fix="preview the original release"
        )
    built = plain.hierarchies[column] if by is None else build_hierarchy(plain, column, by=by)
    found = laid_out(plain, column, built)
    if not found.table.height:
        raise TacitError("has no value", code="missing_values", column=column, fix="leave its hierarchy out")
    if found.uncovered_count:
        raise TacitError(
            f"has {found.uncovered_count} value{'s' if found.uncovered_count > 1 else ''} that its hierarchy lacks",
            code="not_in_hierarchy",
            column=column,
            fix="add them to the hierarchy, or correct the cells",
        )
    levels = tuple(found.level(level) for level in range(built.height + 1))
    return Preview(column, levels, found.missing, found.grown)
