"""Codes as text: the one way in which a value of a column becomes the code of a dimension."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from ...errors import TacitError
from ...release.release import Release


def code_text(code: Any) -> str:
    """One code as it is written: whole numbers without a decimal point, so that 300, 300.0 and "300" are one code.

    >>> code_text(300.0), code_text("É. d'Or"), code_text(True)
    ('300', "É. d'Or", 'true')
    """
    if isinstance(code, bool):
        return str(code).lower()
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def codes_text(column: str, values: pl.Series, *, missing: str | None = None) -> pl.Series:
    """A column of codes as text; a missing one becomes the code ``missing``, or is an error where none is given.

    >>> codes_text("age", pl.Series([1.0, 2.0, None]), missing="unknown").to_list()
    ['1', '2', 'unknown']
    """
    if values.dtype.is_float():
        values = values.fill_nan(None)
    absent = values.null_count()
    if absent and missing is None:
        row = int(values.is_null().arg_max() or 0)
        raise TacitError(
            f"is a dimension and has {absent} missing value{'s' if absent > 1 else ''}, the first in row {row + 1}",
            code="dimension_code_missing",
            column=column,
            fix="leave these records out, or give them a code of their own, e.g. missing='(missing)'",
        )
    text = values.cast(pl.String)
    if values.dtype.is_float():
        text = text.str.replace(r"\.0$", "")
    if absent and bool((text == missing).any()):
        raise TacitError(
            f"holds the code {missing!r} already",
            code="already_masked",
            column=column,
            fix="take another code for what is missing",
        )
    return text.fill_null(missing) if absent else text


def kept_as(source: Release, column: str) -> str:
    """What a column holds that should hold numbers: its type, and the first row that is to blame where others are numbers."""
    kind = source.types[column]
    if kind != "text":
        return kind
    values = source.series(column)
    odd = values.is_not_null() & ~values.cast(pl.Float64, strict=False).is_finite().fill_null(False)
    if not odd.any() or int(odd.sum()) == len(values) - values.null_count():
        return kind
    return f"{kind} in {'1 row' if odd.sum() == 1 else f'{odd.sum()} rows'}, the first is row {int(odd.arg_max() or 0) + 1},"


def in_order(codes: pl.DataFrame) -> pl.DataFrame:
    """Different rows of codes as people list them, numbers in them by their size: 1-9, 10-49, 250+.

    >>> in_order(pl.DataFrame({"size": ["250+", "10-49", "1-9", "10-49"]}))["size"].to_list()
    ['1-9', '10-49', '250+']
    """
    rows = sorted(codes.unique(maintain_order=True).iter_rows(), key=lambda row: [_natural_key(code) for code in row])
    return pl.DataFrame(rows, schema=codes.schema, orient="row")


def _natural_key(code: str | None) -> list[Any]:
    """Text and numbers in turn, beginning with text; what is missing comes first."""
    found = re.split(r"([0-9]+)", code or "")
    return [int(part) if place % 2 else part for place, part in enumerate(found)]
