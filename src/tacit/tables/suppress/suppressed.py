"""A protected table: the problem, the pattern found, and the verdict of the audit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...result import DisplayMixin, format_fact
from ..audit.audit import Audit
from ..number_format import format_amount
from ..pattern import Pattern
from ..problem import Problem
from ..published import Published


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Suppressed(DisplayMixin):
    """What cell suppression gives back; it is safe when the independent audit says so, and not otherwise."""

    problem: Problem
    pattern: Pattern
    audit: Audit

    @property
    def safe(self) -> bool:
        """Whether every unsafe cell has its levels, by the audit, and no sole contributor that was asked about learns too much."""
        return self.audit.holds and not self.audit.insiders

    @property
    def hidden(self) -> np.ndarray:
        """Which cells are left out."""
        return self.pattern.hidden

    @property
    def published(self) -> Published:
        """What everybody can read."""
        return Published.from_suppression(self.problem, self.pattern.hidden)

    @property
    def secondary(self) -> int:
        """How many cells are left out only to protect others."""
        return int((self.pattern.hidden & ~self.problem.must_suppress).sum())

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        problem, pattern = self.problem, self.pattern
        yield "verdict", "protected" if self.safe else "NOT protected"
        if len(self.audit.short):
            yield "short of their levels", f"{format_fact(len(self.audit.short))} unsafe cells"
        if self.audit.insiders is not None:
            yield "sole contributors who learn too much", format_fact(len(self.audit.insiders))
        yield "cells", format_fact(problem.size)
        must = int(problem.must_suppress.sum())
        yield (
            "suppressed",
            f"{format_fact(int(pattern.hidden.sum()))} ({format_fact(must)} primary, {format_fact(self.secondary)} secondary)",
        )
        yield "cost", format_amount(pattern.cost)
        if np.isfinite(pattern.bound):
            yield (
                "no pattern costs less than",
                format_amount(pattern.bound) + (" (proven optimum)" if pattern.proven else ""),
            )
        yield "method", " → ".join(pattern.methods)
        if pattern.stopped:
            yield "stopped by", pattern.stopped
        if not pattern.reproducible:
            yield "reproducible", "no: the clock ended the search"

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json``: counts, cost and verdict, no figure of the table."""
        pattern = self.pattern
        return {
            "safe": self.safe,
            "cells": self.problem.size,
            "primary": int(self.problem.must_suppress.sum()),
            "secondary": self.secondary,
            "cost": pattern.cost,
            "bound": pattern.bound if np.isfinite(pattern.bound) else None,
            "gap": pattern.gap,
            "methods": list(pattern.methods),
            "stopped": pattern.stopped,
            "reproducible": pattern.reproducible,
            "facts": dict(pattern.facts),
            "audit": self.audit.as_json(),
        }

    def __repr__(self) -> str:
        verdict = "protected" if self.safe else "NOT protected"
        return f"<Suppressed: {verdict}, {self.secondary} secondary cells, cost {format_amount(self.pattern.cost)}>"
