"""What a hiding method is asked: patterns that hold in some rows, how few may be left, and what should stay frequent.

A pattern has *units*: in baskets its items, in a table the columns of its conditions. It holds in some rows, and to take
any one of its units out of a row ends it there. Nothing else is needed, so all methods work on baskets and on records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any, Protocol

import numpy as np

from .baskets import Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How few rows may be left to a pattern: fewer than ``least``, or a confidence below ``conf``; or ``fixed`` (psi).

    ``margin`` is how much further below.
    """

    least: int
    conf: Fraction | None = None
    margin: int = 0
    fixed: int | None = None

    def most_left(self, body: int) -> int:
        """The most rows in which the pattern may hold, when its body holds in ``body``."""
        if self.fixed is not None:
            return self.fixed
        top = self.least - 1
        if self.conf is not None:
            top = max(top, ceil(self.conf * body) - 1)
        return max(0, top - self.margin)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SensitivePattern:
    """A sensitive pattern: its units, the rows where it holds, those of a rule's body, and its limit.

    ``victims`` are the units that a heuristic may take: for a rule those of its head, because to take from the body
    makes the rule more confident where it is left. ``often`` says in how many rows each unit is there by itself.
    """

    units: tuple[int, ...]
    victims: tuple[int, ...]
    rows: np.ndarray
    limit: Limit
    often: Mapping[int, int]
    body_units: tuple[int, ...] = ()
    body_rows: np.ndarray | None = None

    @property
    def most_left(self) -> int:
        """The most rows in which it may hold while nothing is taken from its body."""
        return self.limit.most_left(0 if self.body_rows is None else len(self.body_rows))

    @property
    def is_exposed(self) -> bool:
        """Whether it holds in too many rows."""
        return len(self.rows) > self.most_left


@dataclass(frozen=True, slots=True, eq=False)
class FrequentPattern:
    """A pattern that is frequent and not sensitive: its units and its rows."""

    units: tuple[int, ...]
    rows: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """All sensitive patterns over ``size`` rows; ``lengths`` are the units in each row.

    ``kept(every)`` gives what should stay frequent in ``least`` rows: all such patterns, or the border of them, the
    largest ones. It is asked for only by methods that look at it, because it takes mining.
    """

    size: int
    lengths: np.ndarray
    least: int
    sought: tuple[SensitivePattern, ...]
    kept: Callable[[bool], Sequence[FrequentPattern]] | None = None

    def conflict_degrees(self) -> np.ndarray:
        """In how many sensitive patterns each row takes part: its degree of conflict."""
        found = np.zeros(self.size, np.int64)
        for one in self.sought:
            found[one.rows] += 1
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The cells to take out, and what the method can say of them (a bound, a proof)."""

    cells: Cells
    evidence: Mapping[str, Any] = field(default_factory=dict)


class HidingMethod(Protocol):
    """A way to choose cells: a frozen dataclass of its parameters."""

    def choose(self, problem: Problem) -> Choice:
        """The cells whose removal leaves every sensitive pattern at most its limit."""


class RemovedCells:
    """Cells taken out so far; O(units touched · rows) memory."""

    def __init__(self, size: int) -> None:
        self._size, self._of = size, dict[int, np.ndarray]()

    def is_broken(self, units: Sequence[int], rows: np.ndarray) -> np.ndarray:
        """In which of the rows one of the units is gone."""
        gone = np.zeros(len(rows), dtype=bool)
        for unit in units:
            if unit in self._of:
                gone |= self._of[unit][rows]
        return gone

    def take(self, rows: np.ndarray | int, unit: int) -> None:
        """Take the unit out of these rows."""
        self._of.setdefault(unit, np.zeros(self._size, dtype=bool))[rows] = True

    def cells(self) -> Cells:
        """All that was taken."""
        places = [(np.flatnonzero(rows), unit) for unit, rows in self._of.items()]
        rows = np.concatenate([np.zeros(0, np.int64), *(found for found, _ in places)])
        return Cells.of(rows, np.repeat([unit for _, unit in places], [len(found) for found, _ in places]))
