"""Parameters of a published step, as methods write them or as JSON gives them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...release.trace import Trace


LARGEST = 1e150
"""Larger numbers have no square."""


def step_parameter(step: Trace, name: str, default: Any = None) -> Any:
    """A parameter of the step; the default where it was not told, or told as none."""
    found = step.parameters.get(name)
    return default if found is None else found


def masked_columns(step: Trace, columns: tuple[str, ...], name: str = "columns") -> tuple[str, ...]:
    """Those of the columns that the step masked itself: a total that was computed anew follows another law."""
    given = step_parameter(step, name, ())
    listed = (given,) if isinstance(given, str) else tuple(given)
    return tuple(column for column in columns if column in listed)


def number_for(value: Any, column: str) -> float | None:
    """A number for all columns or by column: that of the column, None where there is none that is finite.

    >>> number_for({"pay": 0.1}, "pay"), number_for(2, "pay"), number_for("fewer than 10", "pay")
    (0.1, 2.0, None)
    """
    found = value.get(column) if isinstance(value, Mapping) else value
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if abs(found) < LARGEST else None
