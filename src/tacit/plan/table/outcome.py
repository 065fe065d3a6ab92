"""What a job on tables found: the verdict, the protected table, and what everybody can still compute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from ...release.trace import Finding, Trace
from ...tables.files.write import write_internal, write_table
from ...tables.problem import Status
from ...tables.suppress.suppressed import Suppressed
from ..commit import FORMATS
from ..job_outcome import JobFile, JobOutcome
from ..result_schema import JobKind

if TYPE_CHECKING:
    from ...attack.runner import AttackResult
    from ...tables.audit.audit import Audit
    from ...tables.perturb.perturbed import Perturbed
    from ...tables.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableOutcome(JobOutcome):
    """The whole of a job on tables.

    ``problem`` is the true table with the cells that disclose; ``protected`` is None when it cannot be protected; ``way`` is the
    method as plans name it. The one verdict is on the unsafe cells; its notes say in sentences why the table may not be
    published. ``short`` are the unsafe cells that are not protected. ``judged`` tells whether anything said which cells
    disclose. ``bare`` and ``attacks`` are what respondents learn from the table as it is and as it would be published.
    ``file`` is the name of the file of figures, ``form`` how it is laid out, ``also`` what internal/ gets in the formats of
    other programs. Everything but the protected figures is for internal eyes.
    """

    problem: Problem
    protected: Suppressed | Perturbed | None
    short: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    way: str = "suppress"
    judged: bool = True
    bare: tuple[AttackResult, ...] = ()
    attacks: tuple[AttackResult, ...] = ()
    file: str = "table.csv"
    form: Literal["long", "pivot"] = "long"
    also: tuple[Literal["hst", "tab", "jj", "sbs"], ...] = ()

    @property
    def kind(self) -> JobKind:
        """An aggregate table."""
        return "table"

    @property
    def failures(self) -> tuple[str, ...]:
        """Why the table may not be published, in sentences; none when it may."""
        return tuple(note for verdict in self.verdicts if not verdict.holds for note in verdict.notes)

    @property
    def audit(self) -> Audit | None:
        """The audit of a suppressed table."""
        return self.protected.audit if isinstance(self.protected, Suppressed) else None

    @property
    def hidden(self) -> np.ndarray | None:
        """Which cells are suppressed, None where figures were changed instead."""
        return self.protected.pattern.hidden if isinstance(self.protected, Suppressed) else None

    @property
    def figures(self) -> np.ndarray:
        """The figures that would be published; those of suppressed cells are not to be read."""
        if self.protected is None or isinstance(self.protected, Suppressed):
            return self.problem.table.values
        return self.protected.values

    @property
    def trace(self) -> tuple[Trace, ...]:
        """What may be told of the protection: the method. The parameters of rules are kept, for they help an intruder."""
        if self.protected is None:
            return ()
        if isinstance(self.protected, Suppressed):
            counts = {"cells": self.problem.size, "not published": int(self.protected.pattern.hidden.sum())}
            return (Trace("suppress", {}, {name: Finding(n, publishable=True) for name, n in counts.items()}),)
        return (Trace(self.protected.method, self.protected.parameters),)

    def cells(self) -> pl.DataFrame:
        """Every cell with its figure, status, levels, interval and reason, for internal eyes."""
        if self.audit is not None:
            found = self.audit.frame()
        else:
            status = [Status(int(one)).name.lower() for one in self.problem.status]
            columns = {"value": self.problem.table.values, "status": status, "published": self.figures}
            found = self.problem.table.labels.hstack(pl.DataFrame(columns))
        return found.with_columns(
            why=pl.Series([self.problem.why.get(cell) for cell in range(self.problem.size)], dtype=pl.String)
        )

    def public_files(self) -> Iterator[JobFile]:
        """One file of figures, or for a linked set one for each table in a folder of their own; suppressed ones in none."""
        table = self.problem.table.with_values(self.figures)
        if len(table.parts) < 2:
            yield JobFile(name=self.file, write=partial(write_table, table, self.hidden, form=self.form))
            return
        for name, cells in table.parts.items():
            file = f"tables/{name}{Path(self.file).suffix}"
            yield JobFile(name=file, write=partial(write_table, table, self.hidden, cells=cells))

    def internal_files(self) -> Iterator[JobFile]:
        """Every cell with what can be computed of it, and the table in the formats of other programs."""
        yield JobFile(name="cells.csv", write=lambda path: self.cells().write_csv(path))
        for form in self.also:
            name = f"{FORMATS}/{Path(self.file).stem}.{form}"
            yield JobFile(name=name, write=partial(write_internal, self.problem, self.hidden, form=form))

    def attack_entries(self) -> Iterator[dict[str, Any]]:
        """What respondents learn from the published table, and from the table as it is."""
        for on, attacks in (("release", self.attacks), ("original", self.bare)):
            yield from ({"on": on, "intruder": one.name, **one.as_json()} for one in attacks)

    def details(self) -> dict[str, Any]:
        """How many cells there are, and what was done to them; no figure of a cell."""
        return {
            "cells": self.problem.size,
            "equations": len(self.problem.table.equations),
            "unsafe": len(self.problem.primaries),
            "protected": None if self.protected is None else self.protected.as_json(),
        }
