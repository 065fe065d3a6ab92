"""Generalisation: values replaced by coarser labels of their hierarchy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import narwhals as nw

from ..errors import TacitError, check_columns, check_int
from ..frozen import FrozenDict
from ..registry import MethodEffects, Tags, describe
from ..release.engines.table import few_rows
from ..release.hierarchy.base import label_expression
from ..release.hierarchy.rules import Intervals, Prefix
from ..release.masked import Masked
from ..release.trace import Trace
from ._checks import refuse_rows
from .parameters import drop_metadata

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


WIDEST = 2.0**53
"""Whole numbers up to here are exact as floating-point numbers; intervals beyond have no bounds to write."""
REMEDY = "add them to the hierarchy, or correct the cells"


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("coarsens", ("levels",)),
    family="coarser",
    suits={"date": 1, "code": 1, "geographic": 1},
    example={"levels": {"zip": 2, "birth": 4, "occupation": 2}},
    use="You know the categories that analysts need: five-digit codes to three, days to years.",
    avoid="Exact amounts matter: microaggregation keeps means, noise keeps moments.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Generalise:
    """Replace each value by its label at a level of the column's hierarchy.

    ``levels`` gives the level of each column: 0 leaves it as it is, the highest makes it ``*`` for all. With the
    prefixes 6, 3 the code N1CFFA becomes N1C***; with decades 1962-01-24 becomes 196*-**-**. All records get the same
    level, so that the labels can still be tabulated; missing values stay missing. Not for columns whose exact values
    matter to the analysis: microaggregation keeps their means.

    Deterministic and row by row: O(n) per column on every engine, DuckDB and Spark included.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1CFFA", "N1CAAB"]}), quasi="zip", hierarchies={"zip": {"prefix": [6, 3]}})
    >>> r.protect(Generalise(levels={"zip": 1})).to_native()["zip"].to_list()
    ['N1C***', 'N1C***']

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13, 1010–1027.
    """

    levels: Mapping[str, int]

    def __post_init__(self) -> None:
        if not isinstance(self.levels, Mapping) or not self.levels:
            raise TacitError(
                f"levels={self.levels!r} name no column",
                code="no_usable_column",
                parameter="levels",
                fix="e.g. levels={'zip': 1, 'birth': 2}",
            )
        for column, level in self.levels.items():
            check_int(f"the level of {column!r}", level, least=0)
        object.__setattr__(self, "levels", FrozenDict(self.levels))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with the labels in place of the values."""
        check_columns(self.levels, release.columns)
        raised = {column: level for column, level in self.levels.items() if level}
        changes = {column: _label_expression(release, column, level) for column, level in raised.items()}
        generalised = drop_metadata(release.with_columns(changes, levels=raised), raised, hierarchies=False)
        return Masked(generalised, (Trace.of(self),))


def _label_expression(release: Release, column: str, level: int) -> nw.Expr:
    if column not in release.hierarchies:
        raise TacitError(
            "has no hierarchy",
            code="no_hierarchy",
            column=column,
            fix=f"give one, e.g. hierarchies={{{column!r}: {{'prefix': [5, 3]}}}}",
        )
    if column in release.levels:
        raise TacitError(
            f"stands at level {release.levels[column]} already",
            code="already_masked",
            column=column,
            fix="generalise the original values once, to the level you want",
        )
    hierarchy = release.hierarchies[column]
    label = label_expression(hierarchy, column, level)
    if level < hierarchy.height:
        if isinstance(hierarchy, Intervals):
            refuse_rows(
                release,
                column,
                nw.col(column).abs() > WIDEST,
                code="out_of_range",
                what=f"has {{count}} number{{s}} beyond ±{WIDEST:g}",
                fix=REMEDY,
            )
        if isinstance(hierarchy, Prefix):
            _refuse_whole(release, column, hierarchy.lengths[level])
        # a value without a label would silently become missing
        refuse_rows(
            release,
            column,
            ~nw.col(column).is_null() & label.is_null(),
            code="not_in_hierarchy",
            what="has {count} value{s} that its hierarchy lacks",
            fix=REMEDY,
        )
    return label


def _refuse_whole(release: Release, column: str, kept: int) -> None:
    """Raise when a prefix is as long as every code: such a level would hide nothing."""
    longest = few_rows(release.scan().select(nw.col(column).cast(nw.String).str.len_chars().max().alias("longest")))[0][
        0
    ]
    if longest is not None and longest <= kept:
        raise TacitError(
            f"has codes of at most {longest} characters, of which a prefix of {kept} hides nothing",
            code="out_of_range",
            column=column,
            fix=f"prefix lengths start with that of the code, e.g. prefix = [{longest}, {max(1, longest - 2)}]",
        )
