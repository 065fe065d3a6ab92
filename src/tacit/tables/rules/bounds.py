"""What everybody knows of each cell before anything is published."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ...errors import TacitError, format_value
from ..table import Table

Bounds: TypeAlias = float | tuple[float | np.ndarray, float | np.ndarray]
"""A percentage around each figure, or the least and the largest that it can be."""


def no_negatives(table: Table) -> bool:
    """Whether nothing in the table is negative, so that everybody knows each figure to be 0 or more."""
    figures = bool((table.values >= 0).all())
    return figures and (table.shadow is None or bool(np.allclose(table.shadow, table.values, rtol=1e-9)))


def known_bounds(table: Table, bounds: Bounds | None, *, room: float) -> tuple[np.ndarray, np.ndarray]:
    """The least and largest value of each cell in everybody's eyes.

    None: 0 and a large number where nothing is negative; else a large number both ways, which is what it means to shift a
    table with negative figures. "Large" is the figure plus twice the largest figure and the largest ``room`` that a level
    asks for: it stops nobody. A percentage: each figure is known to within it. A pair: the least and the largest, one
    number for all cells or one for each. O(cells).
    """
    far = 2 * (float(np.abs(table.values).max(initial=0.0)) + room + 1)
    least = 0.0 if no_negatives(table) else -np.inf
    if bounds is None:
        return np.maximum(table.values - far, least), table.values + far
    if isinstance(bounds, tuple):
        low, high = (np.broadcast_to(np.asarray(side, dtype=np.float64), table.size).copy() for side in bounds)
    elif isinstance(bounds, int | float) and not isinstance(bounds, bool) and bounds > 0:
        around = bounds / 100 * np.abs(table.values)
        low, high = np.maximum(table.values - around, least), table.values + around
    else:
        raise TacitError(
            f"bounds={format_value(bounds)} is no percentage above 0 and no pair (least, largest)",
            code="out_of_range",
            parameter="bounds",
            fix="e.g. bounds=50 for ±50 %, or bounds=(0, 1_000_000)",
        )
    check_bounds(table, low, high)
    return low, high


def check_bounds(table: Table, low: np.ndarray, high: np.ndarray) -> None:
    """Refuse bounds that do not hold the figure: an audit with them would speak of tables that cannot be."""
    outside = np.flatnonzero(~((low <= table.values) & (table.values <= high)))
    if len(outside):
        raise TacitError(
            f"the bounds leave out the figure of {len(outside)} cells, first {table.name(outside[0])}",
            code="out_of_range",
            fix="what everybody knows must be true: give wider bounds",
        )
