"""What both engines share: from a question to its tally, with every failure turned into a refusal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from ..column import NULL, Schema
from ..condition import Condition
from ..question import Key
from ..refusal import Refusal
from ..tally import Measure, Tally
from ..units import Units
from .layout import Layout
from .statement import Dialect, Statement

__all__ = ["Engine", "failed", "timed_out"]

_MISSING = f"CAST('{NULL}' AS bigint)"


def timed_out(seconds: float) -> Refusal:
    """The refusal of what takes too long; it is charged, for how long it takes may depend on the data."""
    return Refusal(
        "time_out", f"the answer took longer than {seconds:g} s", fix="ask for fewer groups or a smaller part"
    )


def failed() -> Refusal:
    """The refusal after a failure of the engine; what the engine said may show data and goes nowhere."""
    return Refusal("failed", "the engine could not answer", fix="tell the owner of the data; the question was charged")


class Engine(ABC):
    """A data set behind an engine, ready to be counted; many threads may ask at once.

    ``version`` is the owner's word and a fingerprint of content and declarations; ``schema`` carries it.
    """

    dialect: Dialect

    def __init__(self, schema: Schema, *, version: str, time_limit: float) -> None:
        self.schema = replace(schema, version=version)
        self.version = version
        self.time_limit = time_limit
        self.layout = Layout(self.schema)

    def tally(
        self,
        where: Condition,
        by: tuple[Key, ...],
        measures: tuple[Measure, ...],
        *,
        joined: tuple[str, ...] = (),
        bounded: bool = True,
    ) -> Tally:
        """Exact aggregates; ``bounded``: of every unit at most the declared number of rows that meet the condition.

        Rows without a unit are left out. Which rows of a unit count is decided by a digest of their codes: the same for
        any order of the file, and no leaning towards small values. Missing values add nothing to a sum.
        """
        asked = Statement(
            layout=self.layout, dialect=self.dialect, where=where, by=by, measures=measures, joined=joined
        )
        condition = asked.condition()
        return asked.tally(self._rows(self._written(asked, condition, bounded and bool(self.schema.unit)), asked.texts))

    def units(self, columns: tuple[str, ...]) -> Units:
        """The codes of the columns, row by row, and whose row each is. O(rows), read once by modes that need it."""
        codes = [f"CAST(coalesce({self.layout.code(name)}, {_MISSING}) AS bigint)" for name in columns]
        who = "who" if self.schema.unit is not None else "''"
        rows = self._unit_rows(f"SELECT {', '.join([who, *codes])} FROM")
        found = {name: np.array([row[place] for row in rows], np.int64) for place, name in enumerate(columns, 1)}
        names = tuple(row[0] for row in rows) if self.schema.unit is not None else ()
        return Units(size=len(rows), names=names, codes=found)

    @abstractmethod
    def _unit_rows(self, select: str) -> list[tuple[Any, ...]]:
        """What a SELECT of codes and ``who`` finds, row by row, without a limit of time."""

    @abstractmethod
    def _written(self, asked: Statement, condition: str, bounded: bool) -> str:
        """The whole SQL of a question."""

    @abstractmethod
    def _rows(self, sql: str, texts: list[str]) -> list[tuple[Any, ...]]:
        """What the engine answers."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the engine."""
