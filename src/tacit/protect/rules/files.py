"""Files of transactions: tables in any format that is read, and lines of items."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import TacitError, format_value
from ...files import check_source_path, write_text
from ...release.files import load, save
from .baskets import Baskets
from .build import Form, from_frame

if TYPE_CHECKING:
    import polars as pl


SUFFIXES = {".basket": ",", ".dat": " ", ".spmf": " "}
"""How a file ends → what stands between its items."""

NAMES = "@ITEM="


def read_baskets(
    path: str | os.PathLike[str],
    *,
    form: Form | None = None,
    columns: str | Sequence[str] | None = None,
    separator: str = ";",
    cuts: Mapping[str, Sequence[float]] | None = None,
) -> Baskets:
    """Read transactions from a file.

    ``.basket`` holds one transaction a line with commas between items, ``.dat`` and ``.spmf`` with blanks (lines that
    begin with @, # or % are comments; ``@ITEM=3=bread`` names item 3); an empty line is an empty transaction. Any other
    format is read as a table (CSV, Parquet, Arrow, Excel, Stata, SPSS, SAS) and needs a ``form``, as
    :func:`.build.from_frame` has them, unless it has two columns (long), a column of lists, or 0 and 1 throughout.
    """
    return read_with_form(path, form=form, columns=columns, separator=separator, cuts=cuts)[0]


def read_with_form(
    path: str | os.PathLike[str],
    *,
    form: Form | None = None,
    columns: str | Sequence[str] | None = None,
    separator: str = ";",
    cuts: Mapping[str, Sequence[float]] | None = None,
) -> tuple[Baskets, Form | None]:
    """As :func:`read_baskets`, with the form that the table has; None for lines."""
    file = check_source_path(path)
    if file.suffix.lower() in SUFFIXES:
        if form is not None or columns is not None or cuts:
            raise TacitError(
                "a file of lines has no form, columns or cuts",
                code="invalid_parameter",
                where=str(file),
                fix="leave them out",
            )
        found, shape = read_lines(file), None
    else:
        frame = _table_of(file)
        shape = form or form_of(frame)
        found = from_frame(frame, shape, columns=columns, separator=separator, cuts=cuts)
    if not found.size:
        raise TacitError(
            "the file holds no transactions", code="wrong_kind", where=str(file), fix="check the export that wrote it"
        )
    return found, shape


def _table_of(file: Path) -> pl.DataFrame:
    import polars as pl

    held: Any = load(file).frame
    if isinstance(held, pl.LazyFrame):
        return held.collect()
    return held if isinstance(held, pl.DataFrame) else held.pl()


def form_of(frame: pl.DataFrame) -> Form:
    """The form that a table shows, if it does."""
    import polars as pl

    if any(isinstance(dtype, pl.List) for dtype in frame.dtypes):
        return "list"
    binary = all(
        dtype == pl.Boolean or (dtype.is_integer() and _is_binary(frame[name])) for name, dtype in frame.schema.items()
    )
    if binary and frame.width:
        return "binary"
    if frame.width == 2:
        return "long"
    raise TacitError(
        f"nobody said how the {frame.width} columns hold transactions",
        code="missing_parameter",
        fix="form='long' (transaction, item), 'list', 'binary' (0 and 1) or 'table' (records); --form on the command line",
    )


def _is_binary(values: pl.Series) -> bool:
    return bool(values.drop_nulls().is_in([0, 1]).all())


def write_baskets(baskets: Baskets, path: str | os.PathLike[str], *, form: Form = "long", separator: str = ";") -> None:
    """Write transactions, numbered from 1; the file appears whole or not at all, and none that is there is replaced.

    Lines for ``.basket``, ``.dat`` and ``.spmf``; else a table of the ``form`` "long", "list" or "binary". What is unknown
    is written ``?item``, in the binary form as missing.
    """
    suffix = Path(path).suffix.lower()
    if suffix in SUFFIXES:
        write_text(path, written_lines(baskets, suffix))
    else:
        save(_as_frame(baskets, form, separator), path, replace=False)


def _as_frame(baskets: Baskets, form: Form, separator: str) -> pl.DataFrame:
    import numpy as np
    import polars as pl

    rows = list(baskets.item_lists())
    if form == "long":
        pairs = [(number + 1, item) for number, row in enumerate(rows) for item in row or [""]]
        return pl.DataFrame(pairs, schema={"transaction": pl.Int64, "item": pl.String}, orient="row").with_columns(
            pl.col("item").replace("", None)
        )
    if form == "list":
        inside = next((item for item in baskets.items if separator in item), None)
        if inside is not None:
            raise TacitError(
                f"an item holds the separator {separator!r}",
                code="invalid_parameter",
                fix="choose another separator, or form='long'",
            )
        return pl.DataFrame({"transaction": range(1, baskets.size + 1), "items": [separator.join(row) for row in rows]})
    if form == "binary":
        cells = np.zeros((baskets.size, len(baskets.items)))
        cells[baskets.held.rows, baskets.held.codes] = 1
        cells[baskets.unknown.rows, baskets.unknown.codes] = np.nan
        columns = {
            name: pl.Series(name, cells[:, at], nan_to_null=True).cast(pl.Int8) for at, name in enumerate(baskets.items)
        }
        return pl.DataFrame(columns)
    raise TacitError(
        f"form={format_value(form)} cannot be written",
        code="cannot_write",
        parameter="form",
        fix="use 'long', 'list' or 'binary'; for records use hide_rules",
    )


def read_lines(file: Path) -> Baskets:
    """The transactions of a file, a line each; the names that ``@ITEM=number=name`` gives, items that ``?`` marks."""
    sign = SUFFIXES[file.suffix.lower()]
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise TacitError(
            "the text is not UTF-8", code="wrong_encoding", where=str(file), fix="save it as UTF-8"
        ) from None
    called = dict(line.removeprefix(NAMES).partition("=")[::2] for line in lines if line.startswith(NAMES))
    rows = [
        [name for part in line.split(sign if sign == "," else None) if (name := part.strip())]
        for line in lines
        if sign == "," or not line.startswith(("@", "#", "%"))
    ]
    named = [
        [("?" if name.startswith("?") else "") + called.get(name.strip("?"), name.lstrip("?")) for name in row]
        for row in rows
    ]
    sure = [[name for name in row if not name.startswith("?")] for row in named]
    maybe = [[name.removeprefix("?") for name in row if name.startswith("?")] for row in named]
    return Baskets.of(sure, unknown=maybe if any(maybe) else ())


def written_lines(baskets: Baskets, suffix: str) -> str:
    """The transactions as text; items with the sign between them in their names are numbered and named on top."""
    sign = SUFFIXES[suffix]
    if sign == ",":
        broken = next((item for item in baskets.items if "," in item), None)
        if broken is not None:
            raise TacitError(
                "an item has a comma in its name", code="invalid_parameter", fix="write a .csv or .dat file"
            )
        return "".join(", ".join(row) + "\n" for row in baskets.item_lists())
    number = {item: str(place + 1) for place, item in enumerate(baskets.items)}
    top = [f"{NAMES}{place}={item}\n" for item, place in number.items()]
    lines = (
        " ".join(("?" if name.startswith("?") else "") + number[name.removeprefix("?")] for name in row) + "\n"
        for row in baskets.item_lists()
    )
    return "".join(["@CONVERTED_FROM_TEXT\n", *top, *lines])
