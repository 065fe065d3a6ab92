"""The rows of a text file or of an Excel sheet, every cell as the text that stands there."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ...errors import TacitError, suggest_alternative
from ...files import check_source_path
from ...release.files.formats import FORMATS
from ...release.files.library_errors import import_library, translate_read_errors
from .layout import Layout
from .text import rows_of, separator_of, text_of

EXCEL = ".xlsx"

Rows = list[tuple[int, list[str]]]
"""Number of the line, and its cells."""


def grid_of(path: Path, layout: Layout) -> Rows:
    """All rows that are not blank. Numbers in Excel cells come with a decimal point. O(cells) time and memory."""
    if path.suffix.lower() == EXCEL:
        return _read_sheet(check_source_path(path), layout.sheet)
    text = text_of(path, layout.encoding)
    return rows_of(text, separator=layout.separator or separator_of(text, layout.decimal), path=path)


def _read_sheet(path: Path, sheet: str | None) -> Rows:
    with translate_read_errors(path, FORMATS["xlsx"]):
        reader = import_library("fastexcel", path).read_excel(path)
        if sheet is not None and sheet not in reader.sheet_names:
            fix = suggest_alternative(sheet, reader.sheet_names)
            raise TacitError(f"there is no sheet {sheet!r}", code="wrong_type", where=str(path), fix=fix)
        frame: pl.DataFrame = reader.load_sheet(sheet or 0, header_row=None, dtypes="string").to_polars()
    rows = [(number, [cell or "" for cell in row]) for number, row in enumerate(frame.iter_rows(), start=1)]
    return [(number, row) for number, row in rows if any(cell.strip() for cell in row)]
