"""What must be hidden, how well, from whom, and at what cost: the problem that every method solves and the audit checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from .table import Table

TOLERANCE = 1e-6
"""The share of a level that may be lost to arithmetic."""


class Status(IntEnum):
    """What may be done with a cell before anything is protected."""

    SAFE = 0
    """May be published, may be suppressed to protect others."""
    UNSAFE = 1
    """Discloses by a rule, a request or a mark: a primary suppression, with levels."""
    HIDDEN = 2
    """Is not published, without levels of its own: frozen from an earlier release, or asked for."""
    PUBLISHED = 3
    """Must be published: forced, or known to everybody."""
    EMPTY = 4
    """A zero that everybody knows to be one: published, and of no use for hiding others."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Problem:
    r"""A table with statuses, protection levels, the bounds that the attacker knows, and costs.

    A suppressed cell of value a whose feasibility interval is [l, h] is protected when

    .. math:: a - l \ge lower, \qquad h - a \ge upper, \qquad h - l \ge sliding.

    ``low`` and ``high`` are what an outsider knows of each cell before any figure is published (0 and a large number, say).
    ``cost`` is what it costs not to publish a cell. ``why`` says, for the cells that are unsafe, by which rules.
    """

    table: Table
    status: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    sliding: np.ndarray
    low: np.ndarray
    high: np.ndarray
    cost: np.ndarray
    why: Mapping[int, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.table.size

    @property
    def primaries(self) -> np.ndarray:
        """The numbers of the unsafe cells."""
        return np.flatnonzero(self.status == Status.UNSAFE)

    @property
    def must_suppress(self) -> np.ndarray:
        """Which cells are suppressed in every pattern."""
        found: np.ndarray = (self.status == Status.UNSAFE) | (self.status == Status.HIDDEN)
        return found

    @property
    def may_suppress(self) -> np.ndarray:
        """Which further cells may be suppressed."""
        found: np.ndarray = self.status == Status.SAFE
        return found

    def total_cost(self, hidden: np.ndarray) -> float:
        """What a pattern costs: the sum over all suppressed cells, those that must be included."""
        return float(self.cost[hidden].sum())


def is_level_reached(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Whether room reaches a level, to within the tolerance; a level of 0 asks for nothing.

    The tolerance is a share of the level, so that the unit of the figures (euros, or thousands of millions) does not matter.

    >>> is_level_reached(np.array([10.0, 4.0]), np.array([9.0, 5.0])).tolist()
    [True, False]
    """
    met: np.ndarray = (wanted <= 0) | (found >= wanted * (1 - TOLERANCE))
    return met
