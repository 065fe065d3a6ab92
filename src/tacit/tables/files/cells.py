"""From the texts of cells to a table with statuses: the one way in for every file that has codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, nearest_name
from ..build.additivity import check_additive
from ..build.cross import cross_dimensions
from ..build.hierarchies import dimension
from ..dimension import Dimension
from ..equations import Equations
from ..problem import Problem, Status
from ..table import Contributions, Table
from .imported_table import ImportedTable
from .layout import Layout
from .text import parse_figure

EMPTY_SIGN = "-"
"""A lone dash: nothing is counted here, and everybody may know."""

SECONDARY = (Status.SAFE, True)
"""Safe by itself, suppressed to protect others."""

TAU_ARGUS: Mapping[str, tuple[Status, bool]] = {
    "1": (Status.SAFE, False),
    "2": (Status.SAFE, False),
    **dict.fromkeys("3456789", (Status.UNSAFE, True)),
    "10": (Status.PUBLISHED, False),
    "11": SECONDARY,
    "12": SECONDARY,
    "13": (Status.SAFE, False),
    "14": (Status.EMPTY, False),
}
"""The 14 numbers of τ-ARGUS: safe (by rule, by hand), unsafe (rule, request, frequency, zero, singleton, singleton by hand,
by hand), protected, secondary (by method, by hand), empty (may be suppressed, and not)."""

SBS: Mapping[str, tuple[Status, bool]] = {
    "V": (Status.SAFE, False),
    **dict.fromkeys("ABCF", (Status.UNSAFE, True)),
    "D": SECONDARY,
    "-": (Status.EMPTY, False),
}
"""The letters of SBS files: V may be published; A too few respondents, B one dominates, C two dominate, F the p % or pq
rule; D secondary; - empty."""

LETTERS: Mapping[str, tuple[Status, bool]] = {
    "S": (Status.SAFE, False),
    "U": (Status.UNSAFE, True),
    "P": (Status.PUBLISHED, False),
    "M": SECONDARY,
    "X": SECONDARY,
    "E": (Status.EMPTY, False),
    "Z": (Status.EMPTY, False),
    "SAFE": (Status.SAFE, False),
    "PUBLISHED": (Status.SAFE, False),
    "UNSAFE": (Status.UNSAFE, True),
    "PRIMARY": (Status.UNSAFE, True),
    "SECONDARY": SECONDARY,
    "SUPPRESSED": (Status.HIDDEN, True),
    "HIDDEN": (Status.HIDDEN, True),
    "PROTECTED": (Status.PUBLISHED, False),
    "EMPTY": (Status.EMPTY, False),
}
"""The letters of τ-ARGUS tables (S safe, U unsafe, P to be published, M or X secondary, E or Z empty), and plain words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTexts:
    """The cells of a file as they are written: a text per cell and column, and the line that each stands on."""

    path: Path
    codes: Mapping[str, Sequence[str]]
    value: Sequence[str]
    lines: Sequence[int]
    value_name: str = "value"
    status: Sequence[str] | None = None
    own: Mapping[str, Status] = field(default_factory=dict)
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Further columns of numbers: contributors, lower, upper, cost, shadow, top1, top2, …"""

    def cell_error(self, row: int, what: str, *, fix: str, column: str | None = None) -> TacitError:
        """An error on the line of a cell."""
        return TacitError(
            what, code="unsuitable_column", fix=fix, column=column, where=f"{self.path}:{self.lines[row]}"
        )


def dimensions_of(cells: CellTexts, hierarchies: Mapping[str, Any] | None, layout: Layout) -> tuple[Dimension, ...]:
    """The dimensions of the codes that occur; flat ones where no hierarchy is given."""
    found = []
    for name, codes in cells.codes.items():
        total = layout.total_of(name)
        inner = [code for code in dict.fromkeys(codes) if code != total]
        given = (hierarchies or {}).get(name)
        if given is None:
            found.append(dimension(name, None, inner, total=total))
        else:
            tree = dimension(name, given, [], total=total, folder=cells.path.parent)
            found.append(tree)
    return tuple(found)


def place_cells(cells: CellTexts, dimensions: Sequence[Dimension], layout: Layout) -> ImportedTable:
    """The cells in their places in the full cross of the dimensions. O(cells × dimensions) time and memory.

    Only sums of figures that the file shows are checked: where a suppressed figure is absent there is nothing to add.
    """
    labels, equations = cross_dimensions(dimensions)
    at = _cell_numbers(cells, dimensions)
    size = labels.height
    notes: list[str] = []
    shown, empty = _parse_figures(cells, layout)
    values, known = np.full(size, 0.0 if layout.absent == "empty" else np.nan), np.zeros(size, dtype=bool)
    values[at], known[at] = shown, True
    lacking = int(size - known.sum())
    if lacking:
        notes.append(f"{lacking} of {size} cells are not in the file: taken as {layout.absent}")
    status, hidden, said = _cell_statuses(cells, at, size=size, empty=empty, shown=shown)
    status[~known] = Status.EMPTY if layout.absent == "empty" else Status.HIDDEN
    hidden |= np.isnan(values)
    table = _table_background(cells, at, size=size, layout=layout)
    table = replace(table, labels=labels, values=values, equations=equations, dimensions=tuple(dimensions))
    _check_totals(table, known=known, layout=layout)
    _check_sums(table, layout, lacking)
    problem = _build_problem(cells, at, table=table, status=status, layout=layout, notes=notes)
    if not said and hidden.any():
        notes.append("the file does not tell primary from secondary suppressions: every suppressed cell is looked at")
    return ImportedTable(problem=problem, hidden=hidden if said or hidden.any() else None, notes=tuple(notes))


def _cell_numbers(cells: CellTexts, dimensions: Sequence[Dimension]) -> np.ndarray:
    """The number of each cell in the cross; blanks around a code are dropped where only so it is known."""
    at = np.zeros(len(cells.value), dtype=np.int64)
    for one in dimensions:
        known = {
            code: one.code_index.get(code, one.code_index.get(code.strip()))
            for code in dict.fromkeys(cells.codes[one.name])
        }
        unknown = next((code for code, place in known.items() if place is None), None)
        if unknown is not None:
            near = nearest_name(unknown, one.codes)
            fix = f"did you mean {near!r}? else give it a place in the hierarchy" if near else "add it to the hierarchy"
            row = list(cells.codes[one.name]).index(unknown)
            raise cells.cell_error(
                row, f"has the code {unknown!r}, which its hierarchy lacks", fix=fix, column=one.name
            )
        found = np.fromiter((known[code] or 0 for code in cells.codes[one.name]), dtype=np.int64, count=len(at))
        at = at * len(one.codes) + found
    order = np.argsort(at, kind="stable")
    again = np.flatnonzero(at[order][1:] == at[order][:-1])
    if len(again):
        row = int(order[again + 1].min())
        codes = " × ".join(cells.codes[one.name][row] for one in dimensions)
        raise cells.cell_error(row, f"the cell {codes} stands here a second time", fix="keep one line for each cell")
    return at


def _parse_figures(cells: CellTexts, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """The figures, NaN where one is suppressed, and which cells are marked as empty."""
    found, empty = np.zeros(len(cells.value)), np.zeros(len(cells.value), dtype=bool)
    for row, text in enumerate(cells.value):
        number = parse_figure(text, layout.decimal)
        if number is not None:
            if number < 0 and layout.counts:
                raise cells.cell_error(row, "holds counts and is negative", fix="correct it", column=cells.value_name)
            found[row] = number
        elif text.strip() in layout.marks:
            found[row] = np.nan
        elif text.strip() == EMPTY_SIGN:
            empty[row] = True
        else:
            fix = f"numbers have the decimal sign {layout.decimal!r}; name other signs for suppressed figures (marks)"
            what = "has neither a number nor a sign for a suppressed figure"
            raise cells.cell_error(row, what, fix=fix, column=cells.value_name)
    return found, empty


def _cell_statuses(
    cells: CellTexts, at: np.ndarray, *, size: int, empty: np.ndarray, shown: np.ndarray
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Status of each cell of the cross, which are suppressed, and whether the file has a column for that."""
    status, hidden = np.full(size, Status.SAFE, dtype=np.uint8), np.zeros(size, dtype=bool)
    absent = np.isnan(shown)
    if cells.status is None:
        status[at] = np.where(absent, Status.HIDDEN, np.where(empty, Status.EMPTY, Status.SAFE))
        return status, hidden, False
    found, suppressed = parse_statuses(cells.status, cells.own, at=[f"{cells.path}:{line}" for line in cells.lines])
    # A cell without a figure is suppressed, whatever its status says.
    status[at] = np.where(absent & ~suppressed, Status.HIDDEN, np.where(empty & ~suppressed, Status.EMPTY, found))
    hidden[at] = suppressed
    return status, hidden, True


def _number_column(cells: CellTexts, name: str, at: np.ndarray, *, size: int, decimal: str) -> np.ndarray | None:
    """A further column over all cells of the cross, zero where it has nothing."""
    texts = cells.columns.get(name)
    if texts is None:
        return None
    found = np.zeros(size)
    for row, (cell, text) in enumerate(zip(at.tolist(), texts, strict=True)):
        number = parse_figure(text, decimal)
        if number is None and text.strip() not in ("", EMPTY_SIGN):
            raise cells.cell_error(row, "holds text where a number is needed", fix="check the column", column=name)
        found[cell] = number or 0.0
    return found


def _table_background(cells: CellTexts, at: np.ndarray, *, size: int, layout: Layout) -> Table:
    """What stands behind the cells; labels, figures and equations are put in by the caller."""

    def column(name: str) -> np.ndarray | None:
        return _number_column(cells, name, at, size=size, decimal=layout.decimal)

    tops = [column(name) for name in cells.columns if name.startswith("top")]
    top = np.column_stack([one for one in tops if one is not None]) if tops else None
    return Table(
        labels=pl.DataFrame(),
        values=np.zeros(size),
        equations=Equations.of(np.zeros((0, size))),
        response=None if layout.counts else cells.value_name,
        contributors=column("contributors"),
        shadow=column("shadow"),
        contributions=None
        if top is None
        else Contributions(values=top, owners=np.full(top.shape, -1, dtype=np.int64), weights=np.ones(top.shape)),
    )


def _check_totals(table: Table, *, known: np.ndarray, layout: Layout) -> None:
    """Refuse a total that the file lacks though something adds up to it: it would be taken for 0."""
    if layout.absent != "empty":
        return
    something = known & (table.values != 0)
    matrix = table.equations.matrix
    filled = matrix.maximum(0) @ something.astype(float) > 0
    totals = np.zeros(table.size, dtype=bool)
    totals[(matrix[filled] < 0).indices] = True
    lacking = np.flatnonzero(totals & ~known)
    if len(lacking):
        cell = ", ".join(f"{name} = {code!r}" for name, code in table.labels.row(int(lacking[0]), named=True).items())
        more = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        raise TacitError(
            f"the total {cell} is not in the file{more}",
            code="out_of_range",
            fix="add its line, name the code of the totals (total in the layout), or say that it is not published: absent='hidden'",
        )


def _check_sums(table: Table, layout: Layout, lacking: int) -> None:
    matrix = table.equations.matrix
    unknown = np.isnan(table.values).astype(float)
    rows = np.flatnonzero((abs(matrix) @ unknown) == 0)
    shown = Equations.of(matrix[rows], table.equations.constants[rows])
    try:
        check_additive(replace(table, equations=shown, values=np.nan_to_num(table.values)), layout.tolerance)
    except TacitError as problem:
        more = f" ({lacking} cells of the cross are not in the file)" if lacking else ""
        raise problem.restate(what=problem.what + more) from None


def _build_problem(
    cells: CellTexts, at: np.ndarray, *, table: Table, status: np.ndarray, layout: Layout, notes: list[str]
) -> Problem:
    size, values = table.size, table.values
    unsafe = status == Status.UNSAFE
    signed = bool((values < 0).any())
    low = np.full(size, -np.inf if signed else 0.0)
    lower, upper = (_number_column(cells, name, at, size=size, decimal=layout.decimal) for name in ("lower", "upper"))
    if lower is None and upper is None and layout.margin is not None:
        lower = upper = layout.margin / 100 * np.abs(np.nan_to_num(values))
    if lower is None and upper is None and unsafe.any():
        notes.append("the file gives no protection levels: only exact disclosure can be judged")
    lower, upper = (np.where(unsafe, 0.0 if one is None else one, 0.0) for one in (lower, upper))
    unknown = np.isnan(values)
    sliding = np.where(unknown, lower + upper, 0.0)
    if (sliding > 0).any():
        notes.append("levels of figures that are not in the file: judged by the width of the interval, lower + upper")
    lower, upper = np.where(unknown, 0.0, lower), np.where(unknown, 0.0, upper)
    cost = _number_column(cells, "cost", at, size=size, decimal=layout.decimal)
    return Problem(
        table=table,
        status=status,
        lower=np.minimum(lower, np.maximum(np.nan_to_num(values) - low, 0.0)),
        upper=upper,
        sliding=sliding,
        low=low,
        high=np.full(size, np.inf),
        cost=np.abs(np.nan_to_num(values)) if cost is None else cost,
    )


def parse_statuses(
    texts: Sequence[str], own: Mapping[str, Status] | None = None, *, at: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The status of each cell before suppression, and which cells are suppressed; case and blanks around do not matter.

    ``own`` are letters that a file defines itself (``<SAFE>``, ``<UNSAFE>``, ``<PROTECT>`` in an .rda file); ``at`` is the place of
    each text. An unknown text is shown when it is a letter or two: anything longer may be data of a column named by mistake.

    >>> status, hidden = parse_statuses(["S", "u", "M", "14"])
    >>> [Status(one).name for one in status], hidden.tolist()
    (['SAFE', 'UNSAFE', 'SAFE', 'EMPTY'], [False, True, True, False])
    """
    known = {**TAU_ARGUS, **SBS, **LETTERS}
    known |= {letter.strip().upper(): (status, status == Status.UNSAFE) for letter, status in (own or {}).items()}
    bare = [text.strip().upper() for text in texts]
    unknown = next((row for row, text in enumerate(bare) if text not in known), None)
    if unknown is not None:
        short = len(bare[unknown]) <= 2 and not bare[unknown].isdigit()
        what = f"the status {texts[unknown].strip()!r} is unknown" if short else "what stands there is no status"
        what = what if bare[unknown] else "a status is missing"
        fix = "use S safe, U unsafe, P published, M secondary, E empty, the 14 numbers of τ-ARGUS, or V A B C F D - of SBS"
        raise TacitError(what, code="unknown_name", where=at[unknown] if at else None, fix=fix)
    found = [known[text] for text in bare]
    return np.array([one for one, _ in found], dtype=np.uint8), np.array([hidden for _, hidden in found], dtype=bool)
