"""Whether a table adds up, and if its figures were rounded, the nearest one that does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsqr

from ...errors import TacitError
from ..table import Table

DUST = 1e-9
"""What arithmetic itself may lose, as a share of the largest figure or sum of absolute contributions."""
LAST_BITS = 1e-13
"""What it loses in any case: a few hundred times the rounding of one floating-point sum."""
MOST_DECIMALS = 9
PINNINGS = 50
"""So often cells that would fall below 0 are set to 0 before the figures are given up."""


def decimal_places(values: np.ndarray) -> int:
    """How many digits behind the point the figures have, at most 9.

    >>> decimal_places(np.array([1.0, 2.5, 3.125])), decimal_places(np.array([10.0, 200.0]))
    (3, 0)
    """
    near = 1e-12 * np.maximum(1.0, np.abs(values))
    return next(
        (d for d in range(MOST_DECIMALS) if (np.abs(np.round(values, d) - values) <= near).all()), MOST_DECIMALS
    )


def summand_magnitude(table: Table) -> float:
    """The size of the numbers that were added up, at least 1: where signs differ it is more than the figures show."""
    parts = [table.values] if table.shadow is None else [table.values, table.shadow]
    return max(1.0, *(float(np.abs(part).max(initial=0.0)) for part in parts))


def allowed_residuals(table: Table, tolerance: float | None) -> np.ndarray:
    r"""By how much the two sides of each equation may differ.

    A stated tolerance holds for each equation. Without one: m figures that were each rounded to d digits behind the point
    miss their sum by at most :math:`m \cdot \tfrac12 10^{-d}`; whole figures (d = 0) must add up exactly, because a count
    that is off by one is a mistake more often than a rounding. What arithmetic loses is less than a quarter of the last
    digit, however large the figures are (up to 10¹², where the last bits of floating-point numbers weigh as much).
    """
    digits = decimal_places(table.values)
    dust = DUST * summand_magnitude(table)
    if digits < MOST_DECIMALS:
        dust = max(LAST_BITS * summand_magnitude(table), min(dust, 0.25 * 10.0**-digits))
    if tolerance is not None:
        if not tolerance >= 0:
            raise TacitError(
                "the tolerance is not 0 or more",
                code="out_of_range",
                fix="e.g. tolerance=0.5, in the units of the figures",
            )
        return np.full(len(table.equations), tolerance + dust)
    lengths = np.diff(table.equations.matrix.indptr)
    rounding = 0.5 * 10.0**-digits if digits else 0.0
    return np.asarray(lengths * rounding + dust)


def check_additive(table: Table, tolerance: float | None = None) -> None:
    """Refuse a table that does not add up, with the equation that fails worst. O(cells of the equations).

    The tolerance is that of :func:`allowed_residuals`; the message tells the codes, not the figures.
    """
    room = allowed_residuals(table, tolerance)
    off = np.abs(table.equations.residuals(table.values))
    failing = np.flatnonzero(~(off <= room))
    if not len(failing):
        return
    worst = int(failing[np.argmax(off[failing] - room[failing])])
    said = f"tolerance {tolerance:g}" if tolerance is not None else "rounding of the figures allows"
    raise TacitError(
        f"the table does not add up in {len(failing)} of {len(off)} equations; the worst is {table.equations.format_equation(worst, table.labels)}: "
        f"parts and total differ by more than the {said}",
        code="out_of_range",
        fix="correct the figures or the hierarchy; if the figures were rounded, state by how much: tolerance=…",
    )


def nearest_additive(table: Table) -> Table:
    r"""The nearest table that adds up: rounded figures are moved as little as can be, zeros only if they must.

    .. math:: \min \sum_j d_j^2 \quad \text{with} \quad A (x + d) = b, \qquad d_j = 0 \text{ where } x_j = 0

    (without the last condition where it leaves no solution). Where no figure is negative none becomes so: cells that would
    are set to 0, and the others are moved again; else everybody would seem not to know that figures are 0 or more.

    An audit needs figures that add up exactly: of others it would say that no table can have them. Time O(cells of the
    equations × iterations of LSQR); a table that adds up already is returned as it is.

    References
    ----------
    Paige and Saunders (1982), LSQR: an algorithm for sparse linear equations and sparse least squares, ACM TOMS 8(1), 43–71.
    """
    if (np.abs(table.equations.residuals(table.values)) <= 1e-12 * summand_magnitude(table)).all():
        return table
    digits = decimal_places(table.values)
    if table.is_frequency and not digits:
        raise TacitError(
            "these counts do not add up, and whole numbers cannot be moved by parts of one",
            code="not_whole_number",
            fix="correct the tables so that counts of the same records agree",
        )
    for free in (table.values != 0, np.ones(table.size, dtype=bool)):
        # Zeros move only where the others alone cannot make up for the rounding.
        values = _nearest_figures(table, free)
        if values is not None:
            return replace(table, values=values, unit=table.unit or 10.0**-digits)
    raise TacitError(
        "no table near these figures adds up: the equations contradict one another",
        code="conflicting_parameters",
        fix="check the constants of the equations",
    )


def _nearest_figures(table: Table, free: np.ndarray) -> np.ndarray | None:
    """The nearest figures that add up when only ``free`` cells move; None where there are none."""
    start, free, scale = table.values.copy(), free.copy(), summand_magnitude(table)
    signed = bool((start < 0).any())
    for _ in range(PINNINGS):
        moving = sp.diags_array(free.astype(float))
        off = table.equations.residuals(start)
        found = start + moving @ lsqr(table.equations.matrix @ moving, -off, atol=1e-14, btol=1e-14, iter_lim=20_000)[0]
        if not (np.abs(table.equations.residuals(found)) <= DUST * scale).all():
            return None
        below = found < 0
        if signed or not below.any():
            return np.asarray(found)
        start[below], free = 0.0, free & ~below
    return None
