"""A τ-ARGUS job as files for a plan: the plan, the data with a header, and the hierarchies."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace as changed
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from ...errors import TacitError
from ...files import check_source_path
from .arb import TableSpec
from .hrc import write_hrc
from .rda import Metadata, Variable
from .tab import decimal_of, file_beside, tree_of
from .text import parse_figure, rows_of, text_of
from .translate import TranslatedBatch, translate_batch

NUMBERS = ("response", "weight", "key")


def from_tau_argus(
    batch: str | os.PathLike[str], folder: str | os.PathLike[str], *, encoding: str = "utf-8", replace: bool = False
) -> Path:
    """Write the plan of a batch into a folder, with the data and hierarchies that it needs; returns the plan's path.

    Data become CSV files with the names of the .rda file as header, decimal points, and codes without the blanks that pad
    them; hierarchies have @ as their mark, and missing codes that occur lie under the total. What lies in the folder of the
    batch is only read. O(bytes).
    """
    job = translate_batch(batch, encoding=encoding)
    place = Path(folder)
    if not place.is_dir():
        raise TacitError("the folder is not there", code="wrong_type", where=str(place), fix="create it first")
    home = job.batch.path.parent
    inputs = [job.batch.path, *(file_beside(one.data, home) for one in job.batch.tables)]
    with TemporaryDirectory(prefix=".", dir=place) as made:
        _write_files(job, Path(made), encoding=encoding)
        _move_files(Path(made), place, replace=replace, keep=inputs)
    return place / f"{job.batch.path.stem}.toml"


def _write_files(job: TranslatedBatch, place: Path, *, encoding: str) -> None:
    """All files of the job, in a folder of their own until none can fail any more."""
    home = job.batch.path.parent
    total = job.metadata[0].find_variable(job.batch.tables[0].by[0])
    for number, (table, about) in enumerate(zip(job.batch.tables, job.metadata, strict=True)):
        if job.data[number] in job.data[:number]:
            continue
        frame = _read_frame(file_beside(table.data, home), table, about, encoding=encoding)
        frame = _write_hierarchies(table, about, frame, place=place, total=total.total if total else "Total")
        frame.write_csv(place / job.data[number])
    (place / f"{job.batch.path.stem}.toml").write_text(job.plan, encoding="utf-8")


def _move_files(made: Path, place: Path, *, replace: bool, keep: Iterable[Path]) -> None:
    """The files put into the folder, all of them or none."""
    kept = {Path(one).resolve() for one in keep}
    names = sorted(one.name for one in made.iterdir())
    for name in names:
        if (place / name).resolve() in kept:
            raise TacitError(
                "is a file of the batch", code="invalid_table", where=str(place / name), fix="choose another folder"
            )
        if (place / name).exists() and not replace:
            fix = "choose another folder, or have what is there replaced (replace)"
            raise TacitError("exists already", code="file_exists", where=str(place / name), fix=fix)
    for name in names:
        (made / name).replace(place / name)


def _read_frame(path: Path, table: TableSpec, about: Metadata, *, encoding: str) -> pl.DataFrame:
    text = text_of(check_source_path(path), encoding)
    if table.holds == "records":
        decimal = "." if about.separator in (None, ",") or "." in text else ","
        return read_records(path, about, decimal=decimal, encoding=encoding)
    rows = rows_of(text, separator=about.separator or ";", path=path)
    names = [one.name for one in about.variables]
    odd = next((line for line, row in rows if len(row) != len(names)), None)
    if odd is not None:
        fix = "check the separator and the columns of the .rda file"
        raise TacitError(
            f"the metadata name {len(names)} columns, this line has another number",
            code="invalid_table",
            where=f"{path}:{odd}",
            fix=fix,
        )
    columns: dict[str, pl.Series] = {}
    for place, one in enumerate(about.variables):
        texts = [row[place].strip() for _, row in rows]
        if one.part in ("dimension", "status", "unused"):
            columns[one.name] = pl.Series(texts, dtype=pl.String)
        else:
            columns[one.name] = pl.Series([parse_figure(text, decimal_of(texts)) for text in texts], dtype=pl.Float64)
    return pl.DataFrame(columns)


def _write_hierarchies(
    table: TableSpec, about: Metadata, frame: pl.DataFrame, *, place: Path, total: str
) -> pl.DataFrame:
    """Write the hierarchies of a table; the frame with one code of all together in every dimension."""
    for one in (about.find_variable(name) for name in table.by):
        assert one is not None, "the plan has looked at every dimension"
        if one.total != total:
            frame = frame.with_columns(pl.col(one.name).replace(one.total, total))
        name = _hierarchy_file(one, table)
        if name is not None and not (place / name).exists():  # another table of the batch may have written it
            codes = [code for code in frame[one.name].to_list() if code]
            write_hrc(tree_of(changed(one, total=total), codes, about.folder), place / name)
    return frame


def _hierarchy_file(variable: Variable, table: TableSpec) -> str | None:
    if variable.hierarchy is not None:
        return variable.hierarchy.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{variable.name}.hrc" if variable.levels and table.holds == "cells" else None


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
            f"the metadata name {wide} columns, this line has another number",
            code="invalid_table",
            where=f"{file}:{odd}",
            fix=fix,
        )
    columns: dict[str, pl.Series] = {}
    for place, one in enumerate(metadata.variables):
        texts = [row[place].strip() for _, row in rows]
        if one.part not in NUMBERS and not one.also:
            columns[one.name] = pl.Series(texts, dtype=pl.String)
            continue
        numbers = [parse_figure(text, decimal) for text in texts]
        wrong = next(
            (row for row, (text, number) in enumerate(zip(texts, numbers, strict=True)) if text and number is None),
            None,
        )
        if wrong is not None:
            fix = f"correct it; numbers are read with the decimal sign {decimal!r}"
            raise TacitError(
                "holds text where a number is needed",
                code="wrong_kind",
                column=one.name,
                where=f"{file}:{rows[wrong][0]}",
                fix=fix,
            )
        columns[one.name] = pl.Series(numbers, dtype=pl.Float64)
    return pl.DataFrame(columns)
