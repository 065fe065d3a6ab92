"""How often each category occurs, in each stratum: one aggregate on any engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl

from ...errors import TacitError
from ...release.engines.table import few_rows

if TYPE_CHECKING:
    from ...release.release import Release


MOST = 1000
"""A column with more categories is no column of categories."""
CELLS = 20_000_000
"""So many entries the matrices of a column may have together."""
REACH = 1 << 11
"""Whole numbers this near to the first of them are counted in one pass."""


@dataclass(frozen=True, eq=False)
class Categories:
    """The categories of a column in sorted order, and how many records of each stratum have each of them."""

    column: str
    values: tuple[Any, ...]
    strata: tuple[tuple[Any, ...], ...]
    counts: np.ndarray

    @property
    def as_texts(self) -> tuple[str, ...]:
        """The categories as a plan and a trace write them."""
        return tuple(category_text(value) for value in self.values)


def category_text(value: Any) -> str:
    """A category as text: Booleans in small letters, as the engines write them.

    >>> category_text(True), category_text(3), category_text("N1")
    ('true', '3', 'N1')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def count_categories(release: Release, column: str, strata: Sequence[str] = ()) -> Categories:
    """The categories of a text, Boolean or whole-number column; O(n) time, O(categories · strata) memory."""
    kind = release.types[column]
    if kind not in ("text", "boolean", "integer"):
        raise TacitError(
            f"holds {kind}, not categories",
            code="wrong_kind",
            column=column,
            fix="mask it with a method for numbers, or recode it first",
        )
    counted = _count_by_stratum(release, column, strata)
    values = sorted({row[-2] for row in counted})
    if len(values) > MOST or len(values) ** 2 * len({row[:-2] for row in counted}) > CELLS:
        raise _too_many(column)
    cells = sorted({row[:-2] for row in counted}, key=lambda cell: [(one is None, one) for one in cell])
    counts = np.zeros((len(cells), len(values)), dtype=np.int64)
    row_of, place_of = ({one: place for place, one in enumerate(listed)} for listed in (cells, values))
    for row in counted:
        counts[row_of[row[:-2]], place_of[row[-2]]] = row[-1]
    return Categories(column, tuple(values), tuple(cells), counts)


def _too_many(column: str) -> TacitError:
    return TacitError(
        f"has more than {MOST} categories, or too many in too many strata",
        code="out_of_range",
        column=column,
        fix="recode it first (recode with groups or rare), or use fewer strata",
    )


def _count_by_stratum(release: Release, column: str, strata: Sequence[str]) -> list[tuple[Any, ...]]:
    """Stratum, category and count, missing categories left out."""
    if release.capabilities.in_memory and not strata and release.types[column] == "integer":
        near = _count_small_range(release.series(column))
        if near is not None:
            return near
    known = release.scan().filter(~nw.col(column).is_null()).group_by(*strata, column).agg(nw.len().alias("__count"))
    # One more than fits is enough to refuse the column; nothing larger than that comes into memory.
    most = CELLS // 10 if strata else MOST
    found = few_rows(known.head(most + 1))
    if len(found) > most:
        raise _too_many(column)
    return found


def _count_small_range(series: pl.Series) -> list[tuple[Any, ...]] | None:
    """The counts of whole numbers that lie near together, in one pass; None for others."""
    from ...kernels.transitions import tally_values

    known = series.drop_nulls()
    if not len(known):
        return []
    low = int(known[0]) - REACH
    if abs(low) > 2**62:
        return None
    parts, beyond = tally_values(known.cast(pl.Int64).to_numpy(), low, 2 * REACH)
    if beyond:
        return None
    counts = parts.sum(axis=0)
    return [(int(place) + low, int(counts[place])) for place in np.flatnonzero(counts)]
