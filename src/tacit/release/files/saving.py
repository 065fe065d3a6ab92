"""Writing a table to any file that can be written: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from ...errors import TacitError
from ...files import atomic_write, check_target_path
from .excel import write_excel
from .formats import Format, writable_format
from .library_errors import translate_write_errors
from .simplify import EXACT
from .statistical import write_statistical

if TYPE_CHECKING:
    import duckdb


PLAIN = (nw.String, nw.Categorical, nw.Enum, nw.Boolean, nw.Date, nw.Datetime, nw.Time)
BATCH_ROWS = 1 << 14
TIMESTAMP = "%Y-%m-%dT%H:%M:%S.%f"


def save(
    frame: pl.DataFrame | duckdb.DuckDBPyRelation,
    path: str | os.PathLike[str],
    *,
    labels: Mapping[str, str] | None = None,
    value_labels: Mapping[str, Mapping[object, str]] | None = None,
    replace: bool = True,
) -> None:
    """Write the table in the format that the suffix names, whole or not at all; with ``replace`` over a file that exists.

    CSV is UTF-8 with a header, '' for missing, ISO dates, and floats with as many digits as give them back; DuckDB
    frames are streamed to CSV, Parquet and Arrow. Stata and SPSS keep ``labels`` and ``value_labels``; the other
    formats have no place for them. Excel keeps 16 digits, and forgets rows at the end that are missing throughout.
    """
    file = check_target_path(path, replace=replace)
    form = writable_format(file)
    try:
        with translate_write_errors(file, form), atomic_write(file, replace=replace) as draft:
            _write_draft(frame, draft, form, labels=labels or {}, value_labels=value_labels or {})
    except TacitError as problem:
        raise problem if problem.where else problem.with_location(str(file)) from None


def _write_draft(
    frame: Any,
    draft: Path,
    form: Format,
    *,
    labels: Mapping[str, str],
    value_labels: Mapping[str, Mapping[object, str]],
) -> None:
    if form.name not in ("parquet", "arrow"):
        _check_types(frame, form)
    if form.name in ("csv", "parquet", "arrow"):
        streamed = _from_polars if isinstance(frame, pl.DataFrame) else _from_duckdb
        streamed(frame, draft, form)
        return
    held = frame if isinstance(frame, pl.DataFrame) else frame.pl()
    _check_exact(held, form)
    simple = held.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String), pl.col(pl.Decimal).cast(pl.Float64))
    if form.name == "xlsx":
        write_excel(simple, draft)
    else:
        write_statistical(simple, draft, form, labels=labels, value_labels=value_labels)


def _from_polars(frame: pl.DataFrame, draft: Path, form: Format) -> None:
    if form.name == "csv":
        _write_csv([frame], draft)
    elif form.name == "parquet":
        frame.write_parquet(draft)
    else:
        frame.write_ipc(draft, compat_level=pl.CompatLevel.oldest())


def _from_duckdb(frame: duckdb.DuckDBPyRelation, draft: Path, form: Format) -> None:
    import pyarrow as pa

    if form.name == "parquet":
        frame.write_parquet(str(draft), use_tmp_file=False)  # the draft has the mode that it needs
        return
    reader = frame.to_arrow_reader(BATCH_ROWS)
    if form.name == "csv":
        # Not by COPY: in DuckDB 2.0 it waits for ever when the query fails after the first rows.
        empty = pl.DataFrame(reader.schema.empty_table())
        _write_csv(chain([empty], (pl.DataFrame(batch) for batch in reader)), draft)
        return
    with pa.OSFile(str(draft), "wb") as sink, pa.ipc.new_file(sink, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _write_csv(parts: Iterable[pl.DataFrame], draft: Path) -> None:
    separator = "\t" if draft.suffix.lower() == ".tsv" else ","
    with draft.open("wb") as file:
        for place, part in enumerate(parts):
            part.write_csv(file, include_header=place == 0, separator=separator, datetime_format=TIMESTAMP)


def _check_types(frame: Any, form: Format) -> None:
    """Refuse lists, records, bytes and durations, which these formats would turn into unreadable text."""
    for name, dtype in nw.from_native(frame).collect_schema().items():
        if not (dtype.is_numeric() or dtype in PLAIN):
            what = f"holds {type(dtype).__name__.lower()} values, which {form.title} has no place for"
            raise TacitError(what, column=name, fix="drop the column, or write the table as .parquet")


def _check_exact(frame: pl.DataFrame, form: Format) -> None:
    """Refuse whole numbers that a format of doubles would round: keys would become equal."""
    for name in frame.select(pl.col(pl.Int64, pl.UInt64, pl.Int128)).columns:
        top = frame.select(pl.max_horizontal(pl.col(name).max(), -pl.col(name).min())).item()
        if top is not None and top > EXACT:
            what = f"holds whole numbers above 2^53, which {form.title} would round"
            raise TacitError(what, column=name, fix="turn it into text, or write the table as .parquet or .csv")
