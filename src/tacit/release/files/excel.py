"""Excel workbooks, one sheet of which is a table with its header in the first row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from ...errors import TacitError, check_columns, nearest_name
from .formats import ReadOptions, WriteOptions
from .header import check_names
from .library_errors import import_library
from .missing import normalise_missing
from .simplify import simplify_types

if TYPE_CHECKING:
    from fastexcel import ExcelReader


MOST_ROWS, MOST_COLUMNS = 2**20, 2**14


def load_excel(path: Path, options: ReadOptions) -> pl.DataFrame:
    """Read a sheet, the first one unless another is named; types are decided over all rows. O(cells) memory.

    Excel has one kind of number: columns of whole numbers become integers, and moments at midnight dates.
    """
    reader = import_library("fastexcel", path).read_excel(path)
    place = _sheet_index(reader, options.sheet)
    texts: pl.DataFrame = reader.load_sheet(place, header_row=None, dtypes="string").to_polars()
    if texts.height == 0:
        raise TacitError(
            f"the sheet {reader.sheet_names[place]!r} is empty", code="invalid_data", fix=_other_sheets(reader, place)
        )
    header = [name or "" for name in texts.row(0)]
    check_names(header)
    body = texts.slice(1)
    nothing = [number for number, name in enumerate(texts.columns) if body[name].null_count() == body.height]
    loaded = reader.load_sheet(place, header_row=0, schema_sample_rows=None, dtypes=dict.fromkeys(nothing, "string"))
    frame: pl.DataFrame = loaded.to_polars()
    frame.columns = header
    wanted = check_columns(header if options.columns is None else options.columns, header)
    ruled: Any = normalise_missing(nw.from_native(frame.lazy()).select(*wanted), options.missing_values)
    return simplify_types(ruled.collect(backend="polars").to_native())


def save_excel(frame: pl.DataFrame, path: Path, _: WriteOptions) -> None:
    """Write one sheet; text stays text, also where it looks like a formula or an address."""
    if frame.height >= MOST_ROWS or frame.width > MOST_COLUMNS:
        what = f"{frame.height:,} rows and {frame.width:,} columns do not fit into an Excel sheet"
        raise TacitError(what, code="invalid_data", fix="write the table as .parquet or .csv")
    settings = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with import_library("xlsxwriter", path).Workbook(path, settings) as workbook:
        frame.write_excel(workbook, worksheet="data")


def _sheet_index(reader: ExcelReader, sheet: str | None) -> int:
    if sheet is None:
        return 0
    sheets: list[str] = reader.sheet_names
    if sheet in sheets:
        return sheets.index(sheet)
    near = nearest_name(sheet, sheets)
    fix = f"did you mean {near!r}?" if near else f"the workbook has {', '.join(sheets)}"
    raise TacitError(f"there is no sheet {sheet!r}", code="wrong_type", fix=fix)


def _other_sheets(reader: ExcelReader, place: int) -> str:
    others = [name for number, name in enumerate(reader.sheet_names) if number != place]
    return f"name another one, e.g. sheet={others[0]!r}" if others else "put the table into it, header first"
