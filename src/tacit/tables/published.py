"""What everybody can read: the published figures as bounds on every cell. Attacks see this and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from .equations import Equations
from .problem import Problem, Status
from .table import Table


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Published:
    """Labels, equations, and for every cell the interval that the publication alone gives: a point where the figure stands.

    A suppressed cell has the bounds that everybody knows; a rounded one the values that round to it. The true values are not
    in here, so an attack cannot cheat. ``whole`` says that cells are known to be whole numbers.
    """

    labels: pl.DataFrame
    equations: Equations
    low: np.ndarray
    high: np.ndarray
    whole: bool = False

    @classmethod
    def from_suppression(cls, problem: Problem, hidden: np.ndarray) -> Published:
        """A table with some cells left out; a cell that everybody knows to be empty is known, whether it is left out or not."""
        values, unknown = problem.table.values, hidden & (problem.status != Status.EMPTY)
        return cls(
            labels=problem.table.labels,
            equations=problem.table.equations,
            low=np.where(unknown, problem.low, values),
            high=np.where(unknown, problem.high, values),
            whole=problem.table.is_frequency,
        )

    @classmethod
    def from_perturbation(cls, table: Table, values: np.ndarray, *, below: np.ndarray, above: np.ndarray) -> Published:
        """A perturbed table: each true figure lies from ``values − below`` to ``values + above``, and not under 0 where none does."""
        low = values - below
        if (table.values >= 0).all():
            low = np.maximum(low, 0.0)
        return cls(
            labels=table.labels, equations=table.equations, low=low, high=values + above, whole=table.is_frequency
        )

    def with_known_bounds(self, cells: np.ndarray, low: np.ndarray, high: np.ndarray) -> Published:
        """The same publication for somebody who knows more of some cells: a respondent, a coalition."""
        lows, highs = self.low.copy(), self.high.copy()
        lows[cells] = np.maximum(lows[cells], low)
        highs[cells] = np.minimum(highs[cells], high)
        return replace(self, low=lows, high=highs)
