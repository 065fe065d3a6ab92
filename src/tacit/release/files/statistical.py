"""Stata, SPSS and SAS files: codes stay data, their labels travel beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from ...errors import TacitError, check_columns
from .formats import Format
from .header import check_names
from .library_errors import import_library
from .missing import normalise_missing
from .simplify import simplify_types

LONGEST_NAME = {"dta": 32, "sav": 64}


def load_statistical(
    path: Path, form: Format, *, encoding: str | None, missing_values: Sequence[str], columns: Sequence[str] | None
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The values, and ``labels``, ``value_labels`` and ``missing_codes`` of their columns.

    User-missing codes become missing and are remembered, so that they can be told apart again in internal files; that
    takes a second read of files that declare any. O(cells) memory.
    """
    read = getattr(import_library("pyreadstat", path), f"read_{form.name}")
    told: dict[str, Any] = {"output_format": "polars", "encoding": encoding}
    _, described = read(path, metadataonly=True, **told)
    check_names(described.column_names)
    told["usecols"] = list(
        check_columns(described.column_names if columns is None else columns, described.column_names)
    )
    coded, metadata = read(path, user_missing=True, **told)
    declared = [*metadata.missing_ranges, *metadata.missing_user_values]
    values = read(path, user_missing=False, **told)[0] if declared else coded
    codes = {name: _missing_codes(coded[name], values[name]) for name in declared}
    frame = simplify_types(_apply_missing_rule(values, metadata, missing_values))
    found = {
        "labels": {name: label for name, label in metadata.column_names_to_labels.items() if label and name in frame},
        "value_labels": {
            name: {_to_whole_code(code): label for code, label in labels.items()}
            for name, labels in metadata.variable_value_labels.items()
            if name in frame
        },
        "missing_codes": {name: lost for name, lost in codes.items() if lost},
    }
    return frame.select(told["usecols"]), found


def write_statistical(
    frame: pl.DataFrame,
    path: Path,
    form: Format,
    *,
    labels: Mapping[str, str],
    value_labels: Mapping[str, Mapping[object, str]],
) -> None:
    """Write Stata or SPSS with variable and value labels; labels of codes that the column cannot hold are left out."""
    for name in frame.columns:
        longest = LONGEST_NAME[form.name]
        if not re.fullmatch(rf"[^\W\d]\w{{0,{longest - 1}}}", name):
            fix = f"rename it: letters, digits and underscores, a letter first, at most {longest}; or write .parquet"
            raise TacitError(f"is not a name that {form.title} allows", column=name, fix=fix)
    kept = {
        name: _storable_labels(frame.schema[name], labels, form)
        for name, labels in value_labels.items()
        if name in frame
    }
    write = getattr(import_library("pyreadstat", path), f"write_{form.name}")
    column_labels = {name: label for name, label in labels.items() if name in frame.columns}
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


def _storable_labels(dtype: pl.DataType, labels: Mapping[object, str], form: Format) -> dict[Any, str]:
    if dtype == pl.String and form.name == "dta":
        return {}
    kinds = str if dtype == pl.String else int if form.name == "dta" else (int, float)
    return {code: label for code, label in labels.items() if isinstance(code, kinds)}
