"""The taxonomy of a column: its hierarchy, over the values of the data or over all that it lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from ...errors import TacitError
from ...release.engines.table import ROW, few_rows
from ...release.hierarchy.cover import domain_of
from ...release.hierarchy.taxonomy import Taxonomy, build_taxonomy

if TYPE_CHECKING:
    from ...release.hierarchy import Hierarchy
    from ...release.release import Release


CATEGORIES = ("text", "integer", "boolean")


def of_the_data(release: Release, column: str) -> Taxonomy:
    """The taxonomy over the values that occur, numbered as their codes are."""
    hierarchy = _require_hierarchy(release, column)
    values = release.codes(column).dictionary
    if hierarchy.height > 1:
        _refuse_unlisted(release, column, hierarchy.expression(column, 1).is_null())
    return build_taxonomy(hierarchy, column, values)


def listed_taxonomy(release: Release, column: str, dtype: Any) -> Taxonomy:
    """The taxonomy over all values that the column's table lists, in the type of the column; blind to the data."""
    hierarchy = _require_hierarchy(release, column)
    if release.types[column] not in CATEGORIES:
        raise TacitError(
            f"holds {release.types[column]}, not categories",
            code="wrong_kind",
            column=column,
            fix="leave it out, or recode it first",
        )
    values = domain_of(hierarchy, pl.Series(column, [], dtype=dtype)).drop_nulls()
    if not len(values):
        raise TacitError(
            "has a hierarchy that lists no value of its type: a rule instead of a table",
            code="unsuitable_column",
            column=column,
            fix="give its values with their labels: { file = … }, { table = … } or { edges = … }",
        )
    known = nw.col(column).is_in(values.to_list())
    _refuse_unlisted(release, column, ~known)
    return build_taxonomy(hierarchy, column, values)


def _require_hierarchy(release: Release, column: str) -> Hierarchy:
    if column not in release.hierarchies:
        raise TacitError(
            "has no taxonomy",
            code="missing_parameter",
            column=column,
            fix=f"give its terms with their parents, e.g. hierarchies={{{column!r}: {{'edges': 'terms.csv'}}}}",
        )
    if release.levels.get(column) or column in release.mixed:
        raise TacitError(
            "was generalised already: its labels are not the values of its taxonomy",
            code="wrong_type",
            column=column,
            fix="mask it before it is generalised",
        )
    return release.hierarchies[column]


def _refuse_unlisted(release: Release, column: str, strange: nw.Expr) -> None:
    """Refuse cells that the taxonomy lacks: how many, and where the first stands; what they hold stays unsaid."""
    lost = release.scan(numbered=True).filter(~nw.col(column).is_null()).filter(strange)
    count, first = few_rows(lost.select(nw.len(), nw.col(ROW).min()))[0]
    if count:
        raise TacitError(
            f"has {int(count):,} cells that its hierarchy lacks, the first of them in row {int(first) + 1}",
            code="not_in_hierarchy",
            column=column,
            fix="add their values to the hierarchy, or correct the cells",
        )
