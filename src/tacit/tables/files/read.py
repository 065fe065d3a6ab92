"""Reading a table that is there already: made, and perhaps protected, by somebody else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from ...errors import TacitError, instead, names
from ...release.files.place import source
from .cells import CellTexts, dimensions_of, placed
from .given import Given
from .grid import EXCEL, grid_of
from .jj import read_jj
from .layout import Form, Layout
from .shapes import from_long, from_pivot, from_sbs
from .tab import read_tab

__all__ = ["read_given"]

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


def read_given(
    path: str | os.PathLike[str],
    *,
    by: str | Iterable[str] | None = None,
    value: str | None = None,
    status: str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    layout: Layout | None = None,
) -> Given:
    """A table from a file, with what it says of suppressed cells (G-04): ready for an audit.

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
    >>> given.hidden.tolist(), given.complete
    ([False, True, True], False)
    """
    file, layout = Path(path), layout or Layout()
    source(file)
    suffix = file.suffix.lower()
    form = layout.form or {".jj": "jj", ".tab": "tab", ".sbs": "sbs"}.get(suffix, "long")
    if form not in FORMS:
        raise TacitError(f"form={form!r} is unknown", fix=instead(str(form), FORMS))
    if suffix in BESIDE:
        raise TacitError("tells of a table and holds none", where=str(file), fix=BESIDE[suffix])
    if form == "jj":
        problem = read_jj(file)
        return Given(problem=problem, hidden=problem.must if problem.must.any() else None)
    dimensions = names(by)
    if form == "tab":
        return read_tab(file, by=dimensions or None, value=value, layout=layout)
    if not dimensions:
        raise TacitError(
            "it is not said which columns are dimensions", where=str(file), fix="name them (by), e.g. region,sex"
        )
    try:
        cells, layout = _texts(file, form, dimensions, value=value, status=status, layout=layout)
        return placed(cells, dimensions_of(cells, hierarchies, layout), layout)
    except TacitError as problem:
        raise problem if problem.where else problem.at(str(file)) from None


def _texts(
    file: Path, form: str, by: tuple[str, ...], *, value: str | None, status: str | None, layout: Layout
) -> tuple[CellTexts, Layout]:
    if file.suffix.lower() == EXCEL:
        layout = replace(layout, decimal=".")
    rows = grid_of(file, layout)
    if not rows:
        raise TacitError("the file has no rows", where=str(file), fix="check that the export has finished")
    if form == "long":
        if value is None:
            raise TacitError(
                "it is not said which column holds the figures", where=str(file), fix="name it (value), e.g. turnover"
            )
        return from_long(rows, path=file, by=by, value=value, status=status, layout=layout), layout
    if status is not None:
        raise TacitError(f"{form} files have no status column", column=status, where=str(file), fix="leave status= out")
    if form == "pivot":
        return from_pivot(rows, path=file, by=by, value=value or VALUE, layout=layout), layout
    return from_sbs(rows, path=file, by=by, value=value or VALUE), layout
