"""A model with the databases that are known to give it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...result import Shown, shown
from .family import Family, disjoint_family
from .generators import Generators
from .learner import Key
from .published import Published

__all__ = ["Recurring"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Recurring(Shown):
    """A candidate: the model (``key`` is its key over all columns of the population), its generators among ``looked`` different databases, and how good it is.

    What was found of the generators is there: more databases can only add generators, and take away from what all of them
    share. ``values`` are the features and the target of the population, a row for each record. ``score`` is measured on records that are in none of them, with a 95 % interval where it is a share.
    """

    key: Key
    model: Published
    generators: Generators
    looked: int
    score: float
    interval: tuple[float, float] | None = None
    values: np.ndarray | None = None

    @property
    def count(self) -> int:
        """How many databases are known to give the model."""
        return self.generators.count

    @property
    def recurrence(self) -> float:
        """The share of the databases looked at that give it."""
        return self.count / self.looked

    @property
    def common(self) -> int:
        """How many records are in every generator: of these an intruder is sure."""
        return self.generators.common()

    def common_values(self, fewest: int) -> int:
        """Of how many columns every generator has a record with the same value, which fewer than ``fewest`` records have."""
        return 0 if self.values is None else len(self.generators.common_values(self.values, fewest))

    @property
    def share(self) -> float:
        """The share of the generators that have the most frequent record."""
        return self.generators.share()

    @property
    def overlap(self) -> float:
        """What two generators share on average, over their mean size."""
        return self.generators.overlap()

    def family(self) -> Family:
        """A largest family of generators of which no two share a record."""
        return disjoint_family(self.generators)

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees: the generators, then the model."""
        yield "generators", f"{shown(self.count)} of {shown(self.looked)} databases"
        yield "records in all of them", shown(self.common)
        usual = shown(self.generators.usual())
        yield "most frequent record", f"in {shown(self.share)} of them (a record is in {usual} on average)"
        yield "shared by two of them", f"{shown(self.overlap)} of their records"
        family = self.family()
        most = "no more among them" if family.proven else f"at most {shown(family.bound)} among them"
        yield "disjoint generators", f"{shown(family.size)} ({most})"
        of = f" (95 % interval {shown(self.interval)})" if self.interval else ""
        yield self.model.learner.MEASURED, shown(self.score) + of
        yield from self.model.rows()

    def as_json(self) -> dict[str, Any]:
        """Counts and the model; no row of the file."""
        family = self.family()
        return {
            "generators": self.count,
            "databases": self.looked,
            "recurrence": self.recurrence,
            "records in all generators": self.common,
            "most frequent record": self.share,
            "overlap": self.overlap,
            "disjoint generators": {"found": family.size, "at most": family.bound},
            "measured": self.model.learner.MEASURED,
            "score": self.score,
            "interval": self.interval,
            "model": self.model.as_json(),
        }

    def __repr__(self) -> str:
        return f"<Recurring {self.model.learner.NAME}, {shown(self.count)} generators, {shown(self.score)}>"
