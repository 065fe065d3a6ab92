"""What an engine is asked for: exact whole numbers per group, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from .condition import Condition
from .question import Key

Code = int | str | None
"""A value inside the service: a whole number (see :mod:`.column`), the text of a column without a list, or missing."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Rows, units, or the sum (of squares) of a column in grid units, each value cut to the declared bounds.

    ``centre`` is taken from every value first: squares about the middle of the bounds move less by one person.
    """

    what: Literal["rows", "units", "sum", "squares"]
    column: str = ""
    centre: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Groups that occur, in the order of their keys, and each measure as exact whole numbers, one per group.

    A group has one code for each key of the question: that of its value, the first of its bin (see :mod:`.bins`), a text,
    or None for missing values, which come first. Without keys there is exactly one group, ``()``, even over no rows.
    """

    groups: tuple[tuple[Code, ...], ...]
    measures: Mapping[Measure, tuple[int, ...]]


class Source(Protocol):
    """A data set behind an engine. ``version`` changes whenever the data do."""

    version: str

    def tally(
        self,
        where: Condition,
        by: tuple[Key, ...],
        measures: tuple[Measure, ...],
        *,
        joined: tuple[str, ...] = (),
        bounded: bool = True,
    ) -> Tally:
        """Exact aggregates; ``bounded``: of every unit at most the declared number of rows that meet the condition."""
        ...

    def close(self) -> None:
        """Let go of the engine."""
        ...
