"""Micro data of τ-ARGUS: records without a header, in columns of fixed width or separated, as an .rda file describes them."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from ...errors import TacitError
from .rda import Metadata
from .text import figure, rows_of, text_of

__all__ = ["read_records"]

NUMBERS = ("response", "weight", "key")


def read_records(
    path: str | os.PathLike[str], metadata: Metadata, *, decimal: str = ".", encoding: str = "utf-8"
) -> pl.DataFrame:
    """The records as a frame: codes as text without the blanks around them, responses and weights as numbers. O(bytes).

    Figures of fixed width may have blanks in front. A cell that is no number where one is needed is an error that names
    line and column, not its content; an empty one is missing.
    """
    file = Path(path)
    text = text_of(path, encoding)
    if metadata.separator is None:
        spans = [((one.start or 1) - 1, (one.start or 1) - 1 + (one.width or 0)) for one in metadata.variables]
        lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        rows = [(number, [line[start:end] for start, end in spans]) for number, line in lines]
    else:
        rows = rows_of(text, separator=metadata.separator, path=file)
    wide = len(metadata.variables)
    odd = next((number for number, row in rows if len(row) != wide), None)
    if odd is not None:
        fix = "check the separator and the columns of the .rda file"
        raise TacitError(
            f"the metadata name {wide} columns, this line has another number", where=f"{file}:{odd}", fix=fix
        )
    columns: dict[str, pl.Series] = {}
    for place, one in enumerate(metadata.variables):
        texts = [row[place].strip() for _, row in rows]
        if one.part not in NUMBERS and not one.also:
            columns[one.name] = pl.Series(texts, dtype=pl.String)
            continue
        numbers = [figure(text, decimal) for text in texts]
        wrong = next(
            (row for row, (text, number) in enumerate(zip(texts, numbers, strict=True)) if text and number is None),
            None,
        )
        if wrong is not None:
            fix = f"correct it; numbers are read with the decimal sign {decimal!r}"
            raise TacitError(
                "holds text where a number is needed", column=one.name, where=f"{file}:{rows[wrong][0]}", fix=fix
            )
        columns[one.name] = pl.Series(numbers, dtype=pl.Float64)
    return pl.DataFrame(columns)
