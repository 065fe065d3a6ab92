"""From a publication to the system of all tables that agree with it; figures that contradict one another are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ...errors import TacitError
from ..published import Published
from .integer_bounds import round_inwards
from .system import Contradiction, System


def consistent_system(published: Published, *, tolerance: float = 0.0, whole: bool = False) -> System:
    """The system of a publication whose known figures lie within ``tolerance`` of the true ones.

    ``whole``: unknown cells are whole numbers, so bounds between two of them move inwards.
    """
    if not tolerance >= 0:
        raise TacitError(
            f"tolerance={tolerance} is no size",
            code="wrong_type",
            parameter="tolerance",
            fix="give a number from 0 on, e.g. 0.5 for whole figures",
        )
    if np.isnan(published.low).any() or np.isnan(published.high).any():
        where = int(np.flatnonzero(np.isnan(published.low) | np.isnan(published.high))[0])
        raise TacitError(
            f"the cell {' × '.join(published.labels.row(where))} has no figure",
            code="invalid_table",
            fix="give one, or suppress the cell",
        )
    empty = np.flatnonzero(published.low > published.high)
    if len(empty):
        raise TacitError(
            f"the lower bound of the cell {' × '.join(published.labels.row(int(empty[0])))} is above its upper one",
            code="out_of_range",
            fix="exchange them, or correct what is known of the cell",
        )
    known = published.low == published.high
    low, high = published.low, published.high
    if tolerance:
        low, high = np.where(known, low - tolerance, low), np.where(known, high + tolerance, high)
        known = np.zeros(len(low), dtype=bool)
    system = System.of(replace(published, low=low, high=high))
    if whole:
        inner = round_inwards(system.low, system.high, system.per)
        system = replace(
            system,
            low=np.where(known, system.low, inner[0]),
            high=np.where(known, system.high, inner[1]),
        )
    return system


@contextmanager
def explain_contradictions(published: Published, tolerance: float) -> Iterator[None]:
    """Turns a contradiction found in the block into an error that names the equation."""
    try:
        yield
    except Contradiction as found:
        equation = published.equations.format_equation(found.row, published.labels)
        raise TacitError(
            f"the figures contradict one another: {equation} misses by {found.miss:.4g} (the tolerance is {tolerance:g})",
            code="conflicting_parameters",
            fix=f"correct them, or, if they were rounded, give a tolerance of at least {_closing_tolerance(published, found):.4g}",
        ) from None


def _closing_tolerance(published: Published, found: Contradiction) -> float:
    """A tolerance that closes this one equation."""
    entries = published.equations.matrix[found.row]
    known = (published.low == published.high)[entries.indices]
    return found.miss / max(1.0, float(np.abs(entries.data[known]).sum()))
