"""Numbers on a grid: whole multiples of a stated step, so that models which are equal are equal to the last bit."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...errors import TacitError, format_value
from ...frozen import FrozenDict

Grid = Mapping[str, float]
"""Column → its step; a number in days for dates."""
EDGE = 1e-9
"""In steps: so far below an edge of the grid a number counts as on it."""


def on_grid(values: np.ndarray, step: float) -> tuple[int, ...]:
    r"""Each number as the nearest whole multiple of the step, :math:`\lfloor v / s + \tfrac12 \rfloor`: halves go up.

    What lies less than a billionth of a step below a half is one: an average of decimals is not exact, and the model must
    not depend on the order in which they were added.

    >>> on_grid(np.array([0.24, 0.25, -0.25, 7.0]), 0.5)
    (0, 1, 0, 14)
    """
    return tuple(math.floor(value / step + 0.5 + EDGE) for value in values.tolist())


def grid_cells(numbers: np.ndarray, step: float) -> np.ndarray:
    """The cell of the grid in which each number lies: cell c goes from ``c · step`` to below ``(c+1) · step``.

    >>> grid_cells(np.array([0.0, 0.29, 0.3, -0.1]), 0.1).tolist()
    [0.0, 2.0, 3.0, -1.0]
    """
    found: np.ndarray = np.floor(numbers / step + EDGE)  # 0.3 / 0.1 is a little below 3
    return found


def usual_step(numbers: np.ndarray) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is at most half a standard deviation; 1 for a constant.

    >>> usual_step(np.array([20.0, 35.0, 50.0, 65.0])), usual_step(np.array([3.0, 3.0]))
    (5.0, 1.0)
    """
    half = float(np.sort(numbers).std()) / 2
    if half == 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(half))
    return power * next(times for times in (5, 2, 1, 0.5) if power * times <= half)


def checked_grid(given: object) -> FrozenDict[str, float]:
    """The steps by column."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"grid={format_value(given)} does not say steps by column",
            code="invalid_parameter",
            parameter="grid",
            fix="e.g. grid={'age': 5, 'pay': 1000}",
        )
    for column, step in given.items():
        checked_step(f"the step of {column!r}", step)
    return FrozenDict({str(column): float(step) for column, step in given.items()})


def checked_step(what: str, step: object) -> None:
    """Refuse what is no number above 0."""
    if isinstance(step, bool) or not isinstance(step, int | float) or not 0 < step < math.inf:
        raise TacitError(
            f"{what} is {format_value(step)}, not a number above 0",
            code="out_of_range",
            fix="e.g. 5 for years of age, 0.1 for slopes",
        )
