"""Stata, SPSS and SAS files: codes stay data, their labels travel beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from ...errors import TacitError, check_columns
from .formats import FORMATS, ReadOptions, WriteOptions
from .header import check_names
from .library_errors import import_library
from .missing import normalise_missing
from .simplify import simplify_types
from .table import FileTable

LONGEST_NAME = {"dta": 32, "sav": 64}


def load_stata(path: Path, options: ReadOptions) -> FileTable:
    """Read a Stata file with its labels."""
    return _load_labelled(path, options, "dta")


def load_spss(path: Path, options: ReadOptions) -> FileTable:
    """Read an SPSS file with its labels and user-missing codes."""
    return _load_labelled(path, options, "sav")


def load_sas(path: Path, options: ReadOptions) -> FileTable:
    """Read a SAS file with its labels."""
    return _load_labelled(path, options, "sas7bdat")


def save_stata(frame: pl.DataFrame, path: Path, options: WriteOptions) -> None:
    """Write a Stata file with variable and value labels."""
    _save_labelled(frame, path, options, "dta")


def save_spss(frame: pl.DataFrame, path: Path, options: WriteOptions) -> None:
    """Write an SPSS file with variable and value labels."""
    _save_labelled(frame, path, options, "sav")


def _load_labelled(path: Path, options: ReadOptions, kind: str) -> FileTable:
    """The values, and ``labels``, ``value_labels`` and ``missing_codes`` of their columns.

    User-missing codes become missing and are remembered, so that they can be told apart again in internal files; that
    takes a second read of files that declare any. O(cells) memory.
    """
    read = getattr(import_library("pyreadstat", path), f"read_{kind}")
    encoding = None if options.dialect.encoding == "utf-8" else options.dialect.encoding
    told: dict[str, Any] = {"output_format": "polars", "encoding": encoding}
    _, described = read(path, metadataonly=True, **told)
    check_names(described.column_names)
    told["usecols"] = list(
        check_columns(described.column_names if options.columns is None else options.columns, described.column_names)
    )
    coded, metadata = read(path, user_missing=True, **told)
    declared = [*metadata.missing_ranges, *metadata.missing_user_values]
    values = read(path, user_missing=False, **told)[0] if declared else coded
    codes = {name: _missing_codes(coded[name], values[name]) for name in declared}
    frame = simplify_types(_apply_missing_rule(values, metadata, options.missing_values))
    found: dict[str, Any] = {
        "labels": {name: label for name, label in metadata.column_names_to_labels.items() if label and name in frame},
        "value_labels": {
            name: {_to_whole_code(code): label for code, label in labels.items()}
            for name, labels in metadata.variable_value_labels.items()
            if name in frame
        },
        "missing_codes": {name: lost for name, lost in codes.items() if lost},
    }
    return FileTable(frame=frame.select(told["usecols"]), source=kind, **found)


def _save_labelled(frame: pl.DataFrame, path: Path, options: WriteOptions, kind: str) -> None:
    """Write Stata or SPSS with variable and value labels; labels of codes that the column cannot hold are left out."""
    for name in frame.columns:
        longest = LONGEST_NAME[kind]
        if not re.fullmatch(rf"[^\W\d]\w{{0,{longest - 1}}}", name):
            fix = f"rename it: letters, digits and underscores, a letter first, at most {longest}; or write .parquet"
            raise TacitError(
                f"is not a name that {FORMATS[kind].title} allows", code="wrong_type", column=name, fix=fix
            )
    kept = {
        name: _storable_labels(frame.schema[name], labels, kind)
        for name, labels in options.value_labels.items()
        if name in frame
    }
    write = getattr(import_library("pyreadstat", path), f"write_{kind}")
    column_labels = {name: label for name, label in options.labels.items() if name in frame.columns}
    write(
        frame,
        path,
        column_labels=column_labels,
        variable_value_labels={name: have for name, have in kept.items() if have},
    )


def _apply_missing_rule(values: pl.DataFrame, metadata: Any, missing_values: Sequence[str]) -> pl.DataFrame:
    """The values under our rule of missing values; columns that hold nothing get the type that the file declares."""
    types = metadata.readstat_variable_types
    untyped = [name for name, dtype in values.schema.items() if dtype == pl.Null]
    typed = values.with_columns(
        pl.col(name).cast(pl.String if types[name] == "string" else pl.Float64) for name in untyped
    )
    ruled: pl.DataFrame = (
        normalise_missing(nw.from_native(typed.lazy()), missing_values).collect(backend="polars").to_native()
    )
    return ruled


def _missing_codes(coded: pl.Series, values: pl.Series) -> tuple[object, ...]:
    """The codes that stand where the values are missing, in order."""
    pairs = zip(coded.to_list(), values.to_list(), strict=True)
    lost = {_to_whole_code(code) for code, value in pairs if value in (None, "") and code not in (None, "")}
    return tuple(sorted(lost, key=lambda code: (isinstance(code, str), code)))


def _to_whole_code(code: Any) -> Any:
    """Whole codes as integers, as they stand in the column."""
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _storable_labels(dtype: pl.DataType, labels: Mapping[object, str], kind: str) -> dict[Any, str]:
    if dtype == pl.String and kind == "dta":
        return {}
    kinds = str if dtype == pl.String else int if kind == "dta" else (int, float)
    return {code: label for code, label in labels.items() if isinstance(code, kinds)}
