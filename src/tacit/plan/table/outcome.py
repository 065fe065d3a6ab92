"""What a job on tables found: the verdict, the protected table, and what everybody can still compute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from ...tables.problem import Status
from ...tables.suppress.suppressed import Suppressed

if TYPE_CHECKING:
    from ...result import Result
    from ...tables.audit.audit import Audit
    from ...tables.perturb.perturbed import Perturbed
    from ...tables.problem import Problem
    from ..coverage import Gap, State
    from ..register import EarlierAttempts, Fingerprint


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableOutcome:
    """The whole of a job on tables.

    ``problem`` is the true table with the cells that disclose; ``protected`` is None when it cannot be protected; ``way`` is the
    method as plans name it. ``failures`` says in sentences why the table may not be published; it may when there are none.
    ``short`` are the unsafe cells that are not protected. ``judged`` tells whether anything said which cells disclose.
    ``before`` and ``after`` are what the attacks learn from the table as it is and as it would be published. ``file`` is the name
    of the file of figures, ``form`` how it is laid out, ``also`` what internal/ gets in the formats of other programs.
    Everything but the protected figures is for internal eyes. ``gaps`` are what discloses and the audit does not claim; a
    ``strict`` job publishes nothing while there is one; ``attempts`` says how often the same was tried before in the same folder, which the
    register knows by ``fingerprint``.
    """

    title: str
    problem: Problem
    protected: Suppressed | Perturbed | None
    failures: tuple[str, ...]
    short: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    way: str = "suppress"
    judged: bool = True
    before: tuple[Result, ...] = ()
    after: tuple[Result, ...] = ()
    losses: tuple[Result, ...] = ()
    notes: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    strict: bool = False
    plan: Mapping[str, Any] = field(default_factory=dict)
    plan_text: str = ""
    file: str = "table.csv"
    form: Literal["long", "pivot"] = "long"
    also: tuple[Literal["hst", "tab", "jj", "sbs"], ...] = ()
    seed: int | bytes | None = None
    repeatable: bool = False
    seconds: float = 0.0
    fingerprint: Fingerprint | None = None
    attempts: EarlierAttempts | None = None

    @property
    def holds(self) -> bool:
        """Whether every unsafe cell is protected, by the audit."""
        return self.protected is not None and not self.failures

    @property
    def state(self) -> State:
        """``met``, ``not_covered`` (all unsafe cells are protected, and there are gaps) or ``not_met``."""
        return "not_met" if not self.holds else "not_covered" if self.gaps else "met"

    @property
    def passes(self) -> bool:
        """Whether the gate lets it through: the audit holds and, in a strict job, nothing is left uncovered."""
        return self.holds and (self.state == "met" or not self.strict)

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
    def trace(self) -> dict[str, Any]:
        """What may be told of the protection: the method. The parameters of rules are kept, for they help an intruder."""
        if self.protected is None:
            return {}
        if isinstance(self.protected, Suppressed):
            return {"method": "suppress", "cells": self.problem.size, "not published": int(self.hidden.sum())}  # type: ignore[union-attr]
        return {"method": self.protected.method, **self.protected.parameters}

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

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json`` and ``--json``; no figure of a cell."""
        return {
            "title": self.title,
            "state": self.state,
            "holds": self.holds,
            "strict": self.strict,
            "gaps": [gap.as_json() for gap in self.gaps],
            "attempts": None if self.attempts is None else self.attempts.as_json(),
            "failures": list(self.failures),
            "cells": self.problem.size,
            "equations": len(self.problem.table.equations),
            "unsafe": len(self.problem.primaries),
            "protected": None if self.protected is None else self.protected.as_json(),
            "before": [result.as_json() for result in self.before],
            "after": [result.as_json() for result in self.after],
            "losses": [result.as_json() for result in self.losses],
            "notes": list(self.notes),
            "repeatable": self.repeatable,
            "seconds": self.seconds,
        }
