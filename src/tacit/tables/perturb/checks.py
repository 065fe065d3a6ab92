"""What a perturbed table has and has not, looked at again by code that does not know how it was made."""

from __future__ import annotations

import numpy as np

from ..problem import Problem, is_level_reached
from ..table import Table

CLOSE = 1e-6
"""How much of the largest figure (or, below 1, of a unit) may be lost to arithmetic."""


def perturbation_facts(table: Table, values: np.ndarray) -> dict[str, object]:
    """The facts that hold for every method: additive or not, how far from the truth, zeros and signs kept.

    >>> from tacit.tables.build.cross import cross_dimensions
    >>> from tacit.tables.dimension import Dimension
    >>> labels, equations = cross_dimensions([Dimension.flat("sex", "fm")])
    >>> table = Table(labels=labels, values=np.array([9.0, 2, 7]), equations=equations)
    >>> perturbation_facts(table, np.array([10.0, 0, 5]))
    {'additive': False, 'equations that fail': 1, 'largest change': 2.0, 'cells changed': 3, 'zeros kept': True}
    """
    room = CLOSE * max(1.0, float(np.abs(values).max(initial=0.0)))
    failing = int((np.abs(table.equations.residuals(values)) > room).sum())
    change = np.abs(values - table.values)
    facts: dict[str, object] = {
        "additive": failing == 0,
        "equations that fail": failing,
        "largest change": float(change.max(initial=0.0)),
        "cells changed": int((change > room).sum()),
        "zeros kept": bool((values[table.values == 0] == 0).all()),
    }
    if table.size and (table.values >= 0).all() and (values < 0).any():
        facts["cells below zero"] = int((values < 0).sum())
    return facts


def is_multiple_of_base(values: np.ndarray, base: float) -> bool:
    """Whether every figure is a multiple of the base.

    >>> is_multiple_of_base(np.array([0.0, 5.0, 15.0]), 5), is_multiple_of_base(np.array([5.0, 7.0]), 5)
    (True, False)
    """
    steps = values / base
    return bool((np.abs(steps - np.round(steps)) <= CLOSE).all())


def levels_met(problem: Problem, values: np.ndarray) -> np.ndarray:
    r"""For each unsafe cell whether it moved far enough: up by its upper level or down by its lower one.

    A level of 0 beside a positive one asks for nothing, so that side does not count; half the sliding level is asked
    for on either side. In the order of ``problem.primaries``.
    """
    cells = problem.primaries
    moved = values[cells] - problem.table.values[cells]
    half = problem.sliding[cells] / 2
    upper, lower = np.maximum(problem.upper[cells], half), np.maximum(problem.lower[cells], half)
    free = (upper <= 0) & (lower <= 0)
    met: np.ndarray = (
        free | ((upper > 0) & is_level_reached(moved, upper)) | ((lower > 0) & is_level_reached(-moved, lower))
    )
    return met
