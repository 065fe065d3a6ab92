"""Table data of τ-ARGUS (.tab with its .rda): cells with frequency, shadow, cost, largest contributions, status and levels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import TacitError
from ...files import atomic_write
from ..build.hrc import read_hrc
from ..dimension import Dimension
from ..problem import Problem, Status
from .cells import CellTexts, place_cells
from .hrc import write_hrc
from .imported_table import ImportedTable
from .layout import Layout
from .rda import Metadata, Variable, read_rda
from .text import check_codes, rows_of, text_of

COLUMNS = {"contributors": "frequency", "shadow": "shadow", "cost": "cost", "lower": "lower", "upper": "upper"}
"""Our names of the further columns, and the parts of an .rda file."""
LETTERS = {Status.SAFE: "S", Status.UNSAFE: "U", Status.HIDDEN: "M", Status.PUBLISHED: "P", Status.EMPTY: "E"}


def metadata_beside(path: Path, metadata: str | os.PathLike[str] | None = None, *, encoding: str = "utf-8") -> Metadata:
    """The .rda file of a data file: the one that is named, else the one of the same name."""
    file = path.with_suffix(".rda") if metadata is None else Path(metadata)
    if not file.exists():
        raise TacitError(
            "there is no .rda file for it",
            code="wrong_type",
            where=str(path),
            fix=f"put {file.name!r} beside it, or name it",
        )
    return read_rda(file, encoding=encoding)


def read_tab(
    path: str | os.PathLike[str],
    *,
    metadata: Metadata | None = None,
    by: Iterable[str] | None = None,
    value: str | None = None,
    layout: Layout | None = None,
) -> ImportedTable:
    """Read τ-ARGUS table data; the .rda file says which column is what. O(cells × dimensions).

    ``by`` and ``value`` choose dimensions and response where the metadata have several. Decimal commas are found by
    themselves. Codes are padded with blanks to a fixed width in many such files; a blank is dropped where the code list
    has the code without it. Codes for missing lie directly under the total. Levels count for unsafe cells only.
    """
    file, layout = Path(path), layout or Layout()
    about = metadata or metadata_beside(file, layout.metadata, encoding=layout.encoding)
    rows = rows_of(text_of(path, layout.encoding), separator=layout.separator or about.separator or ";", path=file)
    wide = len(about.variables)
    odd = next((line for line, row in rows if len(row) != wide), None)
    if odd is not None:
        fix = "check the separator and the columns of the .rda file"
        raise TacitError(
            f"the metadata name {wide} columns, this line has another number",
            code="invalid_table",
            where=f"{file}:{odd}",
            fix=fix,
        )
    texts = {one.name: [row[place] for _, row in rows] for place, one in enumerate(about.variables)}
    dimensions = (
        [_dimension_variable(about, name) for name in by] if by is not None else list(about.variables_of("dimension"))
    )
    response = value or about.first_name("response") or about.first_name("frequency")
    if response is None or response not in texts:
        raise TacitError(
            "no column of the metadata holds the figures",
            code="invalid_table",
            where=str(file),
            fix="name it, e.g. value='TURNOVER'",
        )
    layout = changed(layout, decimal=decimal_of(texts[response]), counts=response == about.first_name("frequency"))
    cells = CellTexts(
        path=file,
        codes={one.name: texts[one.name] for one in dimensions},
        value=texts[response],
        lines=[line for line, _ in rows],
        value_name=response,
        status=texts.get(about.first_name("status") or ""),
        own={about.safe: Status.SAFE, about.unsafe: Status.UNSAFE, about.protect: Status.PUBLISHED},
        columns=_optional_columns(about, texts),
    )
    trees = [tree_of(one, cells.codes[one.name], about.folder) for one in dimensions]
    return place_cells(cells, trees, layout)


def tree_of(variable: Variable, codes: Iterable[str], folder: Path) -> Dimension:
    """The dimension of an .rda variable: from its .hrc file, from the digits of its codes, or flat."""
    present = [code for code in dict.fromkeys(codes) if code != variable.total]
    above: dict[str, str] = {}
    if variable.hierarchy is not None:
        above = read_hrc(file_beside(variable.hierarchy, folder), lead=variable.lead, total=variable.total)
        missing = {code.strip() for code in variable.missing}
        above |= {code: variable.total for code in map(str.strip, present) if code in missing and code not in above}
    elif variable.levels:
        ends = np.cumsum(variable.levels).tolist()
        for code in sorted(present, key=lambda one: (len(one), one)):
            shorter = [code[:end] for end in ends if end < len(code)]
            chain = [variable.total, *shorter, code]
            above |= {lower: upper for upper, lower in zip(chain, chain[1:], strict=False) if lower not in above}
    else:
        above = dict.fromkeys(present, variable.total)
    return Dimension.tree(variable.name, above, total=variable.total)


def write_tab(
    problem: Problem,
    hidden: np.ndarray | None,
    path: str | os.PathLike[str],
    *,
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write τ-ARGUS table data with the .rda and .hrc files that go with it: all true figures, not for publication.

    Columns: the codes, the value, the frequency where it is known, the cost, the status (S U P M E) and the two levels; figures
    have decimal points and fields are separated by semicolons.
    """
    table, file = problem.table, Path(path)
    for name in table.labels.columns:
        check_codes(table.labels[name].unique(), name=name, refused='\n\r\0"')
    if not np.isfinite(table.values).all():
        raise TacitError(
            "some figures are not known",
            code="wrong_type",
            fix="table data hold complete tables: write the published one as CSV",
        )
    columns: dict[str, np.ndarray] = {table.response or "value": table.values}
    if table.contributors is not None:
        columns["frequency"] = table.contributors
    columns["cost"] = problem.cost
    for one in table.dimensions:
        if max(one.depths) > 1:
            write_hrc(one, file.with_name(f"{file.stem}_{one.name}.hrc"), replace=replace, keep=keep)
    with atomic_write(file.with_suffix(".rda"), replace=replace, keep=keep) as place:
        place.write_text(_metadata_text(problem, file.stem, columns), encoding="utf-8")
    levels = (problem.lower.tolist(), problem.upper.tolist())
    figures = [column.tolist() for column in columns.values()]
    with (
        atomic_write(file, replace=replace, keep=keep) as place,
        place.open("w", encoding="utf-8", newline="\n") as out,
    ):
        for cell, codes in enumerate(table.labels.iter_rows()):
            status = Status(int(problem.status[cell]))
            second = hidden is not None and bool(hidden[cell]) and status == Status.SAFE
            numbers = [_format_number(column[cell]) for column in figures]
            fields = [f'"{code}"' for code in codes] + numbers + ["M" if second else LETTERS[status]]
            out.write(";".join(fields + [_format_number(level[cell]) for level in levels]) + "\n")


def _metadata_text(problem: Problem, stem: str, columns: Mapping[str, Any]) -> str:
    lines = ['<SEPARATOR> ";"']
    trees = {one.name: one for one in problem.table.dimensions}
    for name in problem.table.labels.columns:
        tree = trees.get(name)
        lines += [_quote_name(name), "    <RECODEABLE>", f'    <TOTCODE> "{tree.total if tree else "Total"}"']
        if tree is not None and max(tree.depths) > 1:
            lines += ["    <HIERARCHICAL>", f'    <HIERCODELIST> "{stem}_{name}.hrc"', '    <HIERLEADSTRING> "@"']
    words = {"frequency": "<FREQUENCY>", "cost": "<NUMERIC> <COSTVAR>"}
    for name in columns:
        lines += [_quote_name(name), f"    {words.get(name, '<NUMERIC>')}"]
    lines += ["status", "    <STATUS>", "lower", "    <NUMERIC> <LOWERPL>", "upper", "    <NUMERIC> <UPPERPL>"]
    return "\n".join(lines) + "\n"


def _quote_name(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _format_number(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _dimension_variable(about: Metadata, name: str) -> Variable:
    found = about.find_variable(name)
    if found is None or found.part != "dimension":
        known = ", ".join(one.name for one in about.variables_of("dimension"))
        raise TacitError(
            "is no dimension of the metadata", code="unknown_column", column=name, fix=f"use one of {known}"
        )
    return found


def _optional_columns(about: Metadata, texts: Mapping[str, list[str]]) -> dict[str, list[str]]:
    found = {ours: texts[name] for ours, part in COLUMNS.items() if (name := about.first_name(part))}  # type: ignore[arg-type]
    tops = about.variables_of("top")
    return found | {f"top{number}": texts[one.name] for number, one in enumerate(tops, start=1)}


def decimal_of(texts: Iterable[str]) -> str:
    """The decimal sign of a column: a comma when one occurs.

    >>> decimal_of(["12", "3,5"]), decimal_of(["12", "3.5"])
    (',', '.')
    """
    return "," if any("," in text for text in texts) else "."


def file_beside(name: str, folder: Path) -> Path:
    """A file that metadata name: by its path, else by its name in their folder, case not minded."""
    bare = name.replace("\\", "/").rsplit("/", 1)[-1]
    for place in (Path(name), folder / name, folder / bare):
        if place.exists():
            return place
    near = [one for one in folder.iterdir() if one.name.casefold() == bare.casefold()]
    if not near:
        raise TacitError(
            f"the file {bare!r} is not there",
            code="wrong_type",
            where=str(folder),
            fix="put it beside the file that names it",
        )
    return near[0]
