"""Totals that must stay the sum of their parts: checked before masking, computed anew after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import narwhals as nw

from ..errors import TacitError, check_columns, format_value
from ..frozen import FrozenDict
from ..release.engines.table import few_rows
from ._checks import refuse_rows

if TYPE_CHECKING:
    from ..release.release import Release


TOLERANCE = 1e-9
"""Of the largest total: so much may rounding have put between a total and its parts."""


def checked_totals(given: object, columns: Sequence[str]) -> FrozenDict[str, tuple[str, ...]]:
    """Total → its parts, as typed: no total is masked by itself, and at least one part is."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"totals={format_value(given)} are not given by column",
            code="missing_parameter",
            parameter="totals",
            fix="e.g. totals={'income': ['wages', 'rents']}",
        )
    found: dict[str, tuple[str, ...]] = {}
    for total, parts in given.items():
        listed = check_columns(parts) if isinstance(parts, list | tuple) else ()
        if total in listed:
            raise TacitError(
                "is among its own parts",
                code="unsuitable_column",
                column=str(total),
                fix="name the other columns that add up to it",
            )
        if len(listed) < 2:
            raise TacitError(
                f"is the total of {format_value(parts)}",
                code="unsuitable_column",
                column=str(total),
                fix="name two or more other columns as its parts",
            )
        if total in columns:
            raise TacitError(
                "is a total and masked by itself",
                code="already_masked",
                column=str(total),
                fix="leave it out of the columns: it follows its parts",
            )
        if not set(listed) & set(columns):
            raise TacitError(
                "is a total of which no part is masked",
                code="already_masked",
                column=str(total),
                fix="name a part among the columns",
            )
        found[str(total)] = listed
    return FrozenDict(found)


def check_totals(release: Release, totals: Mapping[str, Sequence[str]]) -> None:
    """Refuse a total that is not the sum of its parts, or is known where a part is missing; O(n) on every engine."""
    for total, parts in totals.items():
        check_columns([total, *parts], release.columns)
        for column in (total, *parts):
            if release.types[column] not in ("integer", "number"):
                raise TacitError(
                    f"holds {release.types[column]}, which has no sum",
                    code="wrong_kind",
                    column=column,
                    fix="leave it out of the totals",
                )
        gap = (nw.col(total) - _sum_parts(parts)).abs()
        unknown = ~nw.col(total).is_null() & gap.is_null()
        largest = few_rows(release.scan().select(nw.col(total).cast(nw.Float64).abs().max()))[0][0] or 0.0
        for rows, code, what in (
            (gap > TOLERANCE * float(largest), "not_additive", "is not the sum of"),
            (unknown, "part_missing", "is known where a part is missing of"),
        ):
            refuse_rows(
                release,
                total,
                rows,
                code=code,
                what=f"{what} {', '.join(parts)} in {{count}} row{{s}}",
                fix="correct these rows, or mask the total as a column of its own",
            )


def with_totals(release: Release, totals: Mapping[str, Sequence[str]]) -> Release:
    """The release with every total computed from its parts; a row without a part has no total."""
    return release.with_columns({total: _sum_parts(parts) for total, parts in totals.items()}) if totals else release


def _sum_parts(parts: Sequence[str]) -> nw.Expr:
    return reduce(add, (nw.col(part) for part in parts))
