"""The items of a column: each once, none missing, written the same way by everybody."""

from __future__ import annotations

import polars as pl

from ...errors import TacitError, unknown_column


def items_of(frame: pl.DataFrame, column: str) -> list[str]:
    """The values of a column of text or whole numbers as text, row by row; missing and repeated ones are told by row.

    >>> items_of(pl.DataFrame({"id": [7, 3]}), "id")
    ['7', '3']
    """
    if column not in frame.columns:
        raise unknown_column(column, frame.columns)
    series = frame[column]
    if not (series.dtype.is_integer() or series.dtype == pl.String):
        raise TacitError(
            "holds neither text nor whole numbers",
            code="not_whole_number",
            column=column,
            fix="items are compared as text",
        )
    if series.null_count():
        row = int(series.is_null().arg_true()[0]) + 1
        raise TacitError(
            f"has a missing value in row {row}",
            code="missing_values",
            column=column,
            fix="fill it in or leave the row out",
        )
    repeated = ~series.is_first_distinct()
    if repeated.any():
        row = int(repeated.arg_true()[0]) + 1
        raise TacitError(
            f"repeats an earlier item in row {row}", code="duplicate", column=column, fix="name every item once"
        )
    return [str(item) for item in series.to_list()]
