"""The multiples of a base around every figure of a table: what a rounding may choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import TacitError, format_value
from ..table import Table
from ..type_checks import require_type

NEAR = 1e-9
"""A figure so close to a multiple, in steps and relative to their number, is taken for it."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    r"""Figures as :math:`a = base \cdot (floor + part)` with :math:`0 \le part < 1`; part = 0 for a multiple."""

    table: Table
    base: float
    floor: np.ndarray
    part: np.ndarray

    @classmethod
    def of(cls, table: Table, base: float) -> Grid:
        """The grid of a table whose figures and base make sense together."""
        _check_base(require_type(Table, table), base)
        check_figures(table)
        steps = table.values / base
        whole = np.round(steps)
        at = np.abs(steps - whole) <= NEAR * np.maximum(1.0, np.abs(steps))
        floor = np.where(at, whole, np.floor(steps))
        return cls(table, float(base), floor, np.where(at, 0.0, steps - floor))

    @property
    def is_between(self) -> np.ndarray:
        """Which figures lie between two multiples."""
        found: np.ndarray = self.part > 0
        return found

    @property
    def matrix(self) -> Any:
        """The equations over the cells."""
        return self.table.equations.matrix

    @property
    def right_hand_side(self) -> np.ndarray:
        """What the steps above the floors must add up to in each equation, so that the rounded table is additive."""
        found: np.ndarray = self.table.equations.constants / self.base - self.matrix @ self.floor
        return found

    def figures(self, steps: np.ndarray) -> np.ndarray:
        """The table that lies so many steps above the floors."""
        found: np.ndarray = self.base * (self.floor + np.round(steps))
        return found


def _check_base(table: Table, base: float) -> None:
    number = isinstance(base, int | float) and not isinstance(base, bool)
    if not number or not 0 < base < float("inf"):
        raise TacitError(
            f"base={format_value(base)} is not a positive number",
            code="wrong_type",
            parameter="base",
            fix="e.g. base=5 (figures become 0, 5, 10, …)",
        )
    if table.is_frequency and not float(base).is_integer():
        raise TacitError(
            f"counts cannot be rounded to multiples of base={format_value(base)}",
            code="invalid_table",
            fix="give a whole number",
        )


def check_figures(table: Table) -> None:
    """Refuse figures that are missing, counts below zero, and tables that do not add up; the message names the place."""
    lost = np.flatnonzero(~np.isfinite(table.values))
    if len(lost):
        raise TacitError(
            f"the cell {table.name(lost[0])} has no figure",
            code="invalid_table",
            fix="fill the table before it is perturbed",
        )
    below = np.flatnonzero((table.values < 0) & table.is_frequency)
    if len(below):
        raise TacitError(
            f"the cell {table.name(below[0])} is a count below zero",
            code="invalid_table",
            fix="name the response it sums",
        )
    off = np.abs(table.equations.residuals(table.values))
    worst = int(off.argmax()) if len(off) else 0
    if len(off) and off[worst] > 1e-6 * max(1.0, float(np.abs(table.values).max())):
        raise TacitError(
            f"the table does not add up: {table.equations.format_equation(worst, table.labels)} fails",
            code="invalid_table",
            fix="mend the figures, or build the totals from the inner cells",
        )
