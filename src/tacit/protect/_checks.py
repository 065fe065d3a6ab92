"""What methods refuse alike: a table without rows, and rows that do not fit, by their number and never by content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw

from ..errors import TacitError
from ..release.engines.table import ROW, few_rows

if TYPE_CHECKING:
    from ..release.release import Release


def refuse_empty(release: Release) -> None:
    """Raise when there is nothing to mask."""
    if not release.size:
        raise TacitError(
            "the release has no rows", code="too_few_records", fix="check the file or the filter that made it"
        )


def refuse_rows(release: Release, column: str, rows: nw.Expr, *, code: str, what: str, fix: str) -> None:
    """Raise when there are such rows; ``what`` says what they are, with places for their ``{count}`` and for the ``{s}`` of more than one.

    One aggregate, O(n) time, on every engine.
    """
    found = release.scan(numbered=True).filter(rows)
    count, first = few_rows(found.select(nw.len().alias("count"), nw.col(ROW).min().alias("first")))[0]
    if count:
        raise TacitError(
            f"{what.format(count=count, s='' if count == 1 else 's')}, the first in row {first + 1}",
            code=code,
            column=column,
            fix=fix,
        )
