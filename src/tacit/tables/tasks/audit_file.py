"""The audit of a table that somebody else protected, from its file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl

from ...errors import TacitError, check_columns, format_value, suggest_alternative, unknown_column
from ...files import check_source_path
from ...progress import Progress
from ...result import DisplayMixin, format_fact
from ..audit.audit import Audit, audit
from ..audit.intervals import Intervals, intervals
from ..files.cells import CellTexts, dimensions_of, place_cells
from ..files.grid import EXCEL, Rows, grid_of
from ..files.imported_table import ImportedTable
from ..files.jj import read_jj
from ..files.layout import Form, Layout
from ..files.tab import read_tab

FORMS = get_args(Form)

BESIDE = {
    ".rda": "give the .tab or .csv file that it describes",
    ".hrc": "give the file of cells, and this one as a hierarchy of it",
    ".cdl": "give the file of cells: it is a list of codes",
    ".hst": "give the file of cells: an a priori file is for [table] prior of a plan",
    ".arb": "take it over first: tacit table from-argus",
}
"""Files that go with tables, and what to do with them."""

VALUE = "value"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class FileAudit(DisplayMixin):
    """What everybody can compute of the suppressed cells of a file.

    ``audit`` judges the levels of unsafe cells, also in the eyes of sole contributors where their number is told; it is there
    when the file tells suppressed figures and says which cells are unsafe. Without it the verdict is on ``narrow``: suppressed cells that can be computed exactly, or to within less than
    ``percent`` of the middle of their interval.
    """

    given: ImportedTable
    intervals: Intervals
    narrow: np.ndarray
    percent: float
    audit: Audit | None = None

    @property
    def holds(self) -> bool:
        """Whether no suppressed cell is known too well, every unsafe cell has its levels, and no sole contributor learns too much."""
        return not len(self.narrow) and (self.audit is None or (self.audit.holds and not self.audit.insiders))

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line; no suppressed figure is among it."""
        table = self.given.problem.table
        yield "verdict", "protected" if self.holds else "NOT protected"
        yield "cells", format_fact(table.size)
        yield "suppressed", format_fact(len(self.intervals.cells))
        yield "can be computed exactly", self._cell_names(self.intervals.exact)
        if self.percent:
            yield f"known to within {format_fact(self.percent)} %", self._cell_names(self.narrow)
        if self.audit is None:
            why = "the file does not say which cells are unsafe, and by how much they must be uncertain"
            yield "levels", f"not judged: {why if self.given.is_complete else 'suppressed figures are not in the file'}"
        else:
            unsafe = len(self.given.problem.primaries)
            yield "short of their levels", f"{self._cell_names(self.audit.short)} of {format_fact(unsafe)} unsafe cells"
            if self.audit.insiders is not None:
                alone = np.array([one.cells[0] for one in self.audit.insiders], dtype=np.int64)
                yield "sole contributors who learn too much", self._cell_names(alone)
        yield from (("note", note) for note in self.given.notes)

    def _cell_names(self, cells: np.ndarray) -> str:
        names = "; ".join(self.given.problem.table.name(int(cell)) for cell in cells[:5])
        return f"{format_fact(len(cells))}" + (f" ({names}{'; …' if len(cells) > 5 else ''})" if len(cells) else "")

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``--json``: verdict and counts."""
        return {
            "holds": self.holds,
            "cells": self.given.problem.size,
            "suppressed": len(self.intervals.cells),
            "exact": len(self.intervals.exact),
            "narrow": len(self.narrow),
            "percent": self.percent,
            "audit": None if self.audit is None else self.audit.as_json(),
            "notes": list(self.given.notes),
        }

    def frame(self) -> pl.DataFrame:
        """The suppressed cells with what everybody can compute of them, the narrowest first."""
        found = self.intervals
        names = self.given.problem.table.labels[found.cells]
        ends = pl.DataFrame({"low": found.low, "high": found.high, "width": found.width})
        return names.hstack(ends).sort("width", maintain_order=True)

    def __repr__(self) -> str:
        return f"<FileAudit {'protected' if self.holds else 'NOT protected'}: {len(self.intervals.cells)} suppressed cells>"


def audit_file(
    path: str | os.PathLike[str],
    *,
    by: str | Iterable[str] | None = None,
    value: str | None = None,
    status: str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    layout: Layout | None = None,
    percent: float = 0.0,
    insiders: bool = True,
    progress: Progress | None = None,
) -> FileAudit:
    """Read a protected table and compute what everybody can of its suppressed cells.

    ``percent``: an interval narrower than so many per cent of its middle counts as disclosed; with 0 only a single value
    does. Where the file tells figures, unsafe cells and the number of contributors, the audit also looks through the eyes of
    every sole contributor, unless ``insiders`` is False. The rest is described at :func:`tacit.tables.read_given`. Time as
    :func:`tacit.tables.intervals`.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> rows = ["town,sex,n", "a,f,x", "a,m,3", "a,Total,8", "b,f,2", "b,m,x", "b,Total,x"]
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "sales.csv")
    ...     _ = file.write_text("\\n".join([*rows, "Total,f,7", "Total,m,9", "Total,Total,16"]))
    ...     found = audit_file(file, by=["town", "sex"], value="n")
    >>> found.holds, found.frame().row(0)
    (False, ('a', 'f', 5.0, 5.0, 0.0))
    """
    if not isinstance(percent, int | float) or isinstance(percent, bool) or not percent >= 0:
        raise TacitError(
            f"percent={format_value(percent)} is no percentage from 0 on",
            code="out_of_range",
            parameter="percent",
            fix="e.g. percent=10",
        )
    given = read_given(path, by=by, value=value, status=status, hierarchies=hierarchies, layout=layout)
    if given.hidden is None or not given.hidden.any():
        raise TacitError(
            "no cell of the file is suppressed",
            code="invalid_table",
            fix="leave suppressed figures blank or x in the file, or name the column of statuses with status",
        )
    whole = intervals(given.published, np.flatnonzero(given.hidden), progress=progress)
    judged = given.is_complete and bool(len(given.problem.primaries))
    looks = insiders and given.problem.table.contributors is not None
    return FileAudit(
        given=given,
        intervals=whole,
        narrow=_narrow_cells(whole, percent),
        percent=float(percent),
        audit=audit(given.problem, given.hidden, insiders=int(looks)) if judged else None,
    )


def _narrow_cells(found: Intervals, percent: float) -> np.ndarray:
    bounded = np.isfinite(found.width)
    middle = np.abs(np.where(bounded, found.low, 0.0) + np.where(bounded, found.high, 0.0)) / 2
    close = bounded & (found.width < percent / 100 * middle)
    return np.union1d(found.exact, found.cells[close])


def read_given(
    path: str | os.PathLike[str],
    *,
    by: str | Iterable[str] | None = None,
    value: str | None = None,
    status: str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    layout: Layout | None = None,
) -> ImportedTable:
    """A table from a file, with what it says of suppressed cells: ready for an audit.

    ``by`` names the dimensions, ``value`` the column of figures, ``status`` that of statuses (S, U, P, M, E, the 14 numbers of
    τ-ARGUS, the letters of SBS, or words). ``hierarchies`` are as in :func:`tacit.tables.tabulate`; ``layout`` tells how
    the file is written. JJ files say all themselves; so does τ-ARGUS table data, through its .rda file.

    A suppressed figure may be in the file (an internal table with statuses) or absent (a blank, x, :, …). Sums are
    checked where all their figures are there. Time and memory O(cells × dimensions).

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "sales.csv")
    ...     _ = file.write_text("sex,n\\nf,x\\nm,x\\nTotal,10\\n")
    ...     given = read_given(file, by="sex", value="n")
    >>> given.hidden.tolist(), given.is_complete
    ([False, True, True], False)
    """
    file, layout = Path(path), layout or Layout()
    check_source_path(file)
    suffix = file.suffix.lower()
    form = layout.form or {".jj": "jj", ".tab": "tab", ".sbs": "sbs"}.get(suffix, "long")
    if form not in FORMS:
        raise TacitError(
            f"form={form!r} is unknown",
            code="unknown_name",
            parameter="form",
            fix=suggest_alternative(str(form), FORMS),
        )
    if suffix in BESIDE:
        raise TacitError("tells of a table and holds none", code="wrong_kind", where=str(file), fix=BESIDE[suffix])
    if form == "jj":
        problem = read_jj(file)
        return ImportedTable(problem=problem, hidden=problem.must_suppress if problem.must_suppress.any() else None)
    dimensions = check_columns(by)
    if form == "tab":
        return read_tab(file, by=dimensions or None, value=value, layout=layout)
    if not dimensions:
        raise TacitError(
            "it is not said which columns are dimensions",
            code="missing_parameter",
            where=str(file),
            fix="name them (by), e.g. region,sex",
        )
    try:
        cells, layout = _cell_texts(file, form, dimensions, value=value, status=status, layout=layout)
        return place_cells(cells, dimensions_of(cells, hierarchies, layout), layout)
    except TacitError as problem:
        raise problem if problem.where else problem.with_location(str(file)) from None


def _cell_texts(
    file: Path, form: str, by: tuple[str, ...], *, value: str | None, status: str | None, layout: Layout
) -> tuple[CellTexts, Layout]:
    if file.suffix.lower() == EXCEL:
        layout = replace(layout, decimal=".")
    rows = grid_of(file, layout)
    if not rows:
        raise TacitError(
            "the file has no rows", code="too_few_records", where=str(file), fix="check that the export has finished"
        )
    if form == "long":
        if value is None:
            raise TacitError(
                "it is not said which column holds the figures",
                code="missing_parameter",
                where=str(file),
                fix="name it (value), e.g. turnover",
            )
        return from_long(rows, path=file, by=by, value=value, status=status, layout=layout), layout
    if status is not None:
        raise TacitError(
            f"{form} files have no status column",
            code="unsuitable_column",
            column=status,
            where=str(file),
            fix="leave status= out",
        )
    if form == "pivot":
        return from_pivot(rows, path=file, by=by, value=value or VALUE, layout=layout), layout
    return from_sbs(rows, path=file, by=by, value=value or VALUE), layout


def from_long(
    rows: Rows, *, path: Path, by: Sequence[str], value: str, status: str | None, layout: Layout
) -> CellTexts:
    """A row per cell; without a header the columns are the dimensions, the value and, if named, the status."""
    extra = {
        "contributors": layout.contributors, "lower": layout.lower, "upper": layout.upper, "cost": layout.cost,
        **{f"top{number}": name for number, name in enumerate(layout.top, start=1)},
    }  # fmt: skip
    wanted = [*by, value, *([status] if status else []), *(name for name in extra.values() if name)]
    names = [cell.strip() for cell in rows[0][1]] if layout.header else wanted
    body = rows[1:] if layout.header else rows
    missing = next((name for name in wanted if name not in names), None)
    if missing is not None:
        raise unknown_column(missing, names).with_location(str(path))
    texts = _named_columns(body, names, path)
    return CellTexts(
        path=path,
        codes={name: texts[name] for name in by},
        value=texts[value],
        lines=[line for line, _ in body],
        value_name=value,
        status=texts[status] if status else None,
        columns={ours: texts[name] for ours, name in extra.items() if name},
    )


def from_pivot(rows: Rows, *, path: Path, by: Sequence[str], value: str, layout: Layout) -> CellTexts:
    """The codes of the last ``across`` dimensions stand in as many header lines, those of the others in front of each row."""
    across = layout.across
    front = len(by) - across
    if front < 0 or len(rows) <= across:
        what = f"{across} dimensions across do not fit {len(by)} dimensions and {len(rows)} lines"
        raise TacitError(what, code="invalid_table", where=str(path), fix="check by= and across=")
    heads, body = [row[front:] for _, row in rows[:across]], rows[across:]
    wide = len(heads[0])
    odd = next((line for line, row in rows if len(row) != front + wide), None)
    if odd is not None:
        raise TacitError(
            "this line has more or fewer cells than the first",
            code="invalid_table",
            where=f"{path}:{odd}",
            fix="fill the rows",
        )
    columns = list(zip(*heads, strict=True))
    codes: dict[str, list[str]] = {name: [] for name in by}
    for _, row in body:
        for place, name in enumerate(by[:front]):
            codes[name] += [row[place]] * wide
        for level, name in enumerate(by[front:]):
            codes[name] += [column[level] for column in columns]
    return CellTexts(
        path=path,
        codes=codes,
        value=[cell for _, row in body for cell in row[front:]],
        lines=[line for line, _ in body for _ in range(wide)],
        value_name=value,
    )


def from_sbs(rows: Rows, *, path: Path, by: Sequence[str], value: str) -> CellTexts:
    """SBS lines: codes (each followed by its level when levels are written), value, frequency, status, then shares in percent.

    The status tells where the codes end: with levels it is two fields per dimension later. Shares of the largest
    contributors stand on unsafe cells only and are not used.
    """
    dimensions = len(by)
    letters = {"V", "A", "B", "C", "D", "F", "-"}
    widths = [
        one
        for one in (dimensions, 2 * dimensions)
        if all(len(row) > one + 2 and row[one + 2].strip() in letters for _, row in rows)
    ]
    if not widths:
        line = next(
            (line for line, row in rows if len(row) < dimensions + 3 or row[dimensions + 2].strip() not in letters), 1
        )
        fix = f"a line has {dimensions} codes, a value, a frequency and one of V A B C D F -"
        raise TacitError(
            "no status of SBS stands where it should", code="invalid_table", where=f"{path}:{line}", fix=fix
        )
    front = widths[0]
    step = front // dimensions
    return CellTexts(
        path=path,
        codes={name: [row[place * step] for _, row in rows] for place, name in enumerate(by)},
        value=[row[front] for _, row in rows],
        lines=[line for line, _ in rows],
        value_name=value,
        status=[row[front + 2] for _, row in rows],
        columns={"contributors": [row[front + 1] for _, row in rows]},
    )


def _named_columns(body: Rows, names: Sequence[str], path: Path) -> dict[str, list[str]]:
    doubled = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if doubled is not None:
        raise TacitError(
            "stands twice in the header", code="duplicate", column=doubled, where=str(path), fix="rename one of the two"
        )
    odd = next((line for line, row in body if len(row) != len(names)), None)
    if odd is not None:
        what = f"the header has {len(names)} columns, this line has another number"
        raise TacitError(
            what, code="malformed_file", where=f"{path}:{odd}", fix="put texts that hold the separator in quotes"
        )
    return {name: [row[place] for _, row in body] for place, name in enumerate(names)}
