"""A perturbed table: the figures that may be published, and what is known about how they were made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...result import DisplayMixin, format_fact
from ..number_format import format_amount
from ..table import Table


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Perturbed(DisplayMixin):
    """The true table, the figures to publish instead, and the evidence.

    ``parameters`` is what may be told to the public about the method; a seed is never among them. ``facts`` were measured
    on the figures by code that does not know how they were made. ``cost`` is the weighted distance from the truth, ``bound`` a
    proven lower bound on that of ANY table that meets the same conditions (None when nothing is known). ``notes`` tell what a
    reader must know, first of all which fall-back was taken. ``original`` and ``cost`` stay inside the office.
    """

    original: Table
    values: np.ndarray
    method: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    cost: float | None = None
    bound: float | None = None
    reproducible: bool = True

    @property
    def table(self) -> Table:
        """The table to publish: the same cells with the new figures, and nothing of what stood behind the true ones."""
        return self.original.with_values(self.values)

    @property
    def gap(self) -> float | None:
        """(cost − bound) / cost: 0 for a proven optimum, None when nothing is known."""
        if self.cost is None or self.bound is None:
            return None
        return 0.0 if self.cost <= 0 else float(min(1.0, max(0.0, (self.cost - self.bound) / self.cost)))

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "method", self.method
        yield from ((name, format_fact(value)) for name, value in self.parameters.items())
        yield from (
            (name, format_amount(value) if isinstance(value, float) else format_fact(value))
            for name, value in self.facts.items()
        )
        if self.cost is not None:
            yield "distance from the truth", format_amount(self.cost)
        if self.gap is not None:
            yield "gap to the proven bound", format_fact(self.gap)
        yield from (("note", note) for note in self.notes)

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json``; the figures themselves are in the table."""
        return {
            "method": self.method,
            "parameters": dict(self.parameters),
            "facts": dict(self.facts),
            "notes": list(self.notes),
            "cost": self.cost,
            "bound": self.bound,
            "gap": self.gap,
            "reproducible": self.reproducible,
        }

    def __repr__(self) -> str:
        return f"<Perturbed by {self.method}: {len(self.values)} cells>"
