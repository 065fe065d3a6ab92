"""Writing tables: those for everybody, without a suppressed figure, and those for the office, with all that is known."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ...errors import TacitError, suggest_alternative
from ...files import atomic_write
from ...release.files.excel import MOST_COLUMNS, MOST_ROWS
from ...release.files.library_errors import import_library
from ..problem import Problem, Status
from ..table import COUNT, RESPONSE, Table
from .grid import EXCEL
from .hst import write_hst
from .jj import write_jj
from .tab import write_tab
from .text import check_codes

INTERNAL = ("tab", "jj", "hst", "sbs")


def write_table(
    table: Table,
    hidden: np.ndarray | None,
    path: str | os.PathLike[str],
    *,
    form: Literal["long", "pivot"] = "long",
    cells: np.ndarray | None = None,
    mark: str = "x",
    across: int = 1,
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write a table for publication: codes and figures, ``mark`` in the place of every suppressed one.

    Nothing else that is known of a cell is written: no contributors, no status, no cost. For perturbed figures give the table
    that has them, ``table.with_values(…)``. The suffix tells the format: .csv, .tsv or .xlsx. A pivot table has the codes of
    the last ``across`` dimensions in as many header lines. Of a linked set, ``cells`` are those of one table
    (``table.parts``); dimensions that it does not span are left out. The file appears whole or not at all; one that is there is
    replaced only with ``replace``, those in ``keep`` never. O(cells).
    """
    hidden = np.zeros(table.size, dtype=bool) if hidden is None else np.asarray(hidden, dtype=bool)
    if hidden.shape != table.values.shape:
        raise TacitError(
            f"hidden has {hidden.size} entries, the table {table.size} cells",
            code="invalid_table",
            fix="give one per cell",
        )
    if not np.isfinite(table.values[~hidden]).all():
        raise TacitError("a figure that is to be published is not known", code="unknown_name", fix="mark it as hidden")
    if any(sign.isdigit() for sign in mark):
        raise TacitError(
            f"mark={mark!r} could be read as a figure", code="invalid_parameter", parameter="mark", fix="use mark='x'"
        )
    for name in table.labels.columns:
        check_codes(table.labels[name].unique(), name=name)
    figures: list[Any] = [
        mark if gone else _plain_number(value) for value, gone in zip(table.values.tolist(), hidden, strict=True)
    ]
    if form == "long":
        rows = _long_rows(table, figures, cells)
    elif form == "pivot":
        rows = _pivot_rows(table, figures, across, whole=cells is None)
    else:
        raise TacitError(
            f"form={form!r} is unknown",
            code="unknown_name",
            parameter="form",
            fix=suggest_alternative(str(form), ("long", "pivot")),
        )
    with atomic_write(path, replace=replace, keep=keep) as place:
        _write_rows(rows, place, Path(path))


def write_internal(
    problem: Problem,
    hidden: np.ndarray | None,
    path: str | os.PathLike[str],
    *,
    form: Literal["tab", "jj", "hst", "sbs"],
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write what the office keeps or transmits in confidence: true figures and statuses are in it.

    tab: τ-ARGUS table data with .rda and .hrc, and a batch (.arb) that opens them · jj: the suppression problem, solved where ``hidden`` is given · hst: statuses and levels as an a priori file
    (which freezes a pattern for the next release) · sbs: the code-value form of Structural Business Statistics.
    """
    if form == "tab":
        write_tab(problem, hidden, path, replace=replace, keep=keep)
        write_arb(problem, hidden, Path(path).with_suffix(".arb"), replace=replace, keep=keep)
    elif form == "jj":
        write_jj(problem, path, hidden=hidden, replace=replace, keep=keep)
    elif form == "hst":
        write_hst(problem, path, hidden=hidden, replace=replace, keep=keep)
    elif form == "sbs":
        write_sbs(problem, hidden, path, replace=replace, keep=keep)
    else:
        raise TacitError(
            f"form={form!r} is unknown",
            code="unknown_name",
            parameter="form",
            fix=suggest_alternative(str(form), INTERNAL),
        )


def _plain_number(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _long_rows(table: Table, figures: Sequence[Any], cells: np.ndarray | None) -> list[list[Any]]:
    labels = table.labels
    if cells is not None:
        wanted = np.flatnonzero(cells) if np.asarray(cells).dtype == np.bool_ else np.asarray(cells)
        labels, figures = labels[wanted], [figures[cell] for cell in wanted.tolist()]
        spanned = [name for name in labels.columns if labels[name].n_unique() > 1 or table.labels[name].n_unique() == 1]
        labels = labels.select(spanned or labels.columns[:1])
    name = _response_name(table, cells)
    while name in labels.columns:
        name += "_"
    head: list[Any] = [*labels.columns, name]
    return [head, *([*codes, one] for codes, one in zip(labels.iter_rows(), figures, strict=True))]


def _response_name(table: Table, cells: np.ndarray | None) -> str:
    """What the figures are called: in a linked set of several responses the one of the table that is written."""
    if cells is not None and RESPONSE in table.labels.columns:
        own = table.labels[RESPONSE].to_numpy()[cells]
        if len(own) and (own == own[0]).all():
            return "count" if own[0] == COUNT else str(own[0])
    return table.response or "count"


def _pivot_rows(table: Table, figures: Sequence[Any], across: int, *, whole: bool) -> list[list[Any]]:
    if not table.dimensions or table.parts or not whole:
        raise TacitError(
            "cells of linked or ready-made tables make no pivot table",
            code="malformed_file",
            fix="write them with form='long'",
        )
    names = [one.name for one in table.dimensions]
    front = len(names) - across
    if across < 1 or front < 0:
        raise TacitError(
            f"across={across} of {len(names)} dimensions",
            code="invalid_parameter",
            parameter="across",
            fix=f"use 1 to {len(names)}",
        )
    wide = int(np.prod([len(one.codes) for one in table.dimensions[front:]]))
    tops = [table.labels[name][:wide].to_list() for name in names[front:]]
    blank = [""] * front
    rows: list[list[Any]] = [
        [*(names[:front] if level == across - 1 else blank), *codes] for level, codes in enumerate(tops)
    ]
    for start in range(0, table.size, wide):
        rows.append([*table.labels.row(start)[:front], *figures[start : start + wide]])
    return rows


def _write_rows(rows: list[list[Any]], place: Path, path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv", ".txt"):
        with place.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t" if suffix == ".tsv" else ",", lineterminator="\n").writerows(rows)
        return
    if suffix != EXCEL:
        raise TacitError(
            f"the suffix {suffix!r} names no format for tables",
            code="missing_parameter",
            where=str(path),
            fix="use .csv, .tsv or .xlsx",
        )
    if len(rows) > MOST_ROWS or len(rows[0]) > MOST_COLUMNS:
        raise TacitError(
            "the table does not fit into an Excel sheet", code="invalid_table", where=str(path), fix="write it as .csv"
        )
    with import_library("xlsxwriter", path).Workbook(place) as workbook:
        sheet = workbook.add_worksheet("table")
        for line, row in enumerate(rows):
            for column, cell in enumerate(row):
                (sheet.write_string if isinstance(cell, str) else sheet.write_number)(line, column, cell)


def write_arb(
    problem: Problem,
    hidden: np.ndarray | None,
    path: str | os.PathLike[str],
    *,
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write the batch for the table data of the same name: :func:`.tab.write_tab` writes those.

    Without a pattern the batch lets τ-ARGUS look for one (modular); with one it opens the table as it is protected. Statuses, levels
    and costs are those of the table data, so that no rule is asked for. :func:`.arb.read_arb` reads it back.
    """
    table, file = problem.table, Path(path)
    names = [*table.labels.columns, table.response or "value"]
    odd = next((name for name in names if set(name) & set('"|\n\r')), None)
    if odd is not None:
        raise TacitError(
            "has a sign that a batch cannot write",
            code="unsuitable_column",
            column=odd,
            fix='name it without ", | and line ends',
        )
    spanned = "".join(f'"{name}"' for name in table.labels.columns)
    lines = [
        f'<OPENTABLEDATA> "{file.with_suffix(".tab").name}"',
        f'<OPENMETADATA> "{file.with_suffix(".rda").name}"',
        f'<SPECIFYTABLE> {spanned}|"{names[-1]}"||"cost"',
        "<READTABLE>",
        *(["<SUPPRESS> MOD(1, 5, 1, 0, 0)"] if hidden is None else []),
        f'<WRITETABLE> (1, 1, AS+, "{file.stem}_safe.csv")',
    ]
    with atomic_write(file, replace=replace, keep=keep) as place:
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_sbs(
    problem: Problem,
    hidden: np.ndarray | None,
    path: str | os.PathLike[str],
    *,
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write a table for transmission in confidence: every figure is in it, also the suppressed ones.

    A line has the codes, the value, the number of respondents (empty when it is not known), and the status: V may be
    published, A too few respondents, B one dominates or another primary suppression, C two or more dominate, F the p % or pq
    rule, D secondary. In percent of the cell follow on B the share of the largest respondent, on C that of the two
    largest together, on F those of the two largest. Cells without respondents are left out. O(cells).
    """
    table = problem.table
    if not np.isfinite(table.values).all():
        raise TacitError("some figures are not known", code="wrong_type", fix="SBS files hold complete tables")
    for name in table.labels.columns:
        check_codes(table.labels[name].unique(), name=name)
    gone = np.zeros(table.size, dtype=bool) if hidden is None else hidden
    with atomic_write(path, replace=replace, keep=keep) as place, place.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        for cell, codes in enumerate(table.labels.iter_rows()):
            many = None if table.contributors is None else float(table.contributors[cell])
            value = float(table.values[cell])
            if many == 0 or (many is None and problem.status[cell] == Status.EMPTY):
                continue
            letter = _sbs_letter(problem, cell, bool(gone[cell]))
            figures = [_plain_sbs(value), "" if many is None else _plain_sbs(many), letter]
            out.writerow([*codes, *figures, *_contribution_shares(problem, cell, letter)])


def _plain_sbs(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _sbs_letter(problem: Problem, cell: int, gone: bool) -> str:
    if problem.status[cell] == Status.UNSAFE:
        why = problem.why.get(cell, "")
        if "fewer than" in why:
            return "A"
        if "known to within" in why:
            return "F"
        return "C" if re.search(r"\b([2-9]|\d{2,}) make up", why) else "B"
    return "D" if gone or problem.status[cell] == Status.HIDDEN else "V"


def _contribution_shares(problem: Problem, cell: int, letter: str) -> list[str]:
    table = problem.table
    kept = table.contributions
    if letter not in ("B", "C", "F") or kept is None:
        return []
    whole = float((table.values if table.shadow is None else table.shadow)[cell])
    largest = np.abs(kept.values[cell]).tolist()
    said = {"B": largest[:1], "C": [sum(largest[:2])], "F": largest[:2]}[letter]
    return [f"{100 * one / whole if whole else 0:.1f}" for one in said]
