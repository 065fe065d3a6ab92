"""The audit of a table that somebody else protected, from its file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, typed
from ...progress import Progress
from ...result import Shown, shown
from ..audit.audit import Audit, audit
from ..audit.intervals import Intervals, intervals
from ..files.given import Given
from ..files.layout import Layout
from ..files.read import read_given


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class FileAudit(Shown):
    """What everybody can compute of the suppressed cells of a file (G-04).

    ``audit`` judges the levels of unsafe cells, also in the eyes of sole contributors where their number is told; it is there
    when the file tells suppressed figures and says which cells are unsafe. Without it the verdict is on ``narrow``: suppressed cells that can be computed exactly, or to within less than
    ``percent`` of the middle of their interval.
    """

    given: Given
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
        yield "cells", shown(table.size)
        yield "suppressed", shown(len(self.intervals.cells))
        yield "can be computed exactly", self._named(self.intervals.exact)
        if self.percent:
            yield f"known to within {shown(self.percent)} %", self._named(self.narrow)
        if self.audit is None:
            why = "the file does not say which cells are unsafe, and by how much they must be uncertain"
            yield "levels", f"not judged: {why if self.given.complete else 'suppressed figures are not in the file'}"
        else:
            unsafe = len(self.given.problem.primaries)
            yield "short of their levels", f"{self._named(self.audit.short)} of {shown(unsafe)} unsafe cells"
            if self.audit.insiders is not None:
                alone = np.array([one.cells[0] for one in self.audit.insiders], dtype=np.int64)
                yield "sole contributors who learn too much", self._named(alone)
        yield from (("note", note) for note in self.given.notes)

    def _named(self, cells: np.ndarray) -> str:
        names = "; ".join(self.given.problem.table.name(int(cell)) for cell in cells[:5])
        return f"{shown(len(cells))}" + (f" ({names}{'; …' if len(cells) > 5 else ''})" if len(cells) else "")

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
    """Read a protected table and compute what everybody can of its suppressed cells (G-04).

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
        raise TacitError(f"percent={typed(percent)} is no percentage from 0 on", fix="e.g. percent=10")
    given = read_given(path, by=by, value=value, status=status, hierarchies=hierarchies, layout=layout)
    if given.hidden is None or not given.hidden.any():
        raise TacitError(
            "no cell of the file is suppressed",
            fix="leave suppressed figures blank or x in the file, or name the column of statuses with status",
        )
    whole = intervals(given.published, np.flatnonzero(given.hidden), progress=progress)
    judged = given.complete and bool(len(given.problem.primaries))
    looks = insiders and given.problem.table.contributors is not None
    return FileAudit(
        given=given,
        intervals=whole,
        narrow=_narrow(whole, percent),
        percent=float(percent),
        audit=audit(given.problem, given.hidden, insiders=int(looks)) if judged else None,
    )


def _narrow(found: Intervals, percent: float) -> np.ndarray:
    bounded = np.isfinite(found.width)
    middle = np.abs(np.where(bounded, found.low, 0.0) + np.where(bounded, found.high, 0.0)) / 2
    close = bounded & (found.width < percent / 100 * middle)
    return np.union1d(found.exact, found.cells[close])
