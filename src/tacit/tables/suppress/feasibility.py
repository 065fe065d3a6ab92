"""Why a table cannot be protected by suppression: what is missing, and what no pattern can do."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError
from ..problem import Problem, Status
from ..type_checks import require_type
from .deviations import deviation_bounds
from .limits import CannotProtect

WAYS = {1: "upwards", -1: "downwards"}


def check_usable(problem: Problem) -> None:
    """Refuse what is no problem, and one with a figure or a cost that is missing, or with a cost below 0. O(cells)."""
    require_type(Problem, problem)
    blank = np.flatnonzero(~np.isfinite(problem.table.values))
    if len(blank):
        raise TacitError(
            f"the cell {problem.table.name(int(blank[0]))} has no figure",
            code="invalid_table",
            fix="give the figures of all cells, also of those to be hidden; a table of somebody else can only be audited",
        )
    cheap = np.flatnonzero(problem.may_suppress & ~(problem.cost >= 0))
    if len(cheap):
        raise TacitError(
            f"the cost of the cell {problem.table.name(int(cheap[0]))} is below 0 or missing",
            code="out_of_range",
            fix="give costs from 0 on",
        )


def check_left(problem: Problem, hidden: np.ndarray) -> None:
    """Refuse a pattern that leaves no figure to publish; a cell that everybody knows to be empty is none. O(cells)."""
    figures = problem.status != Status.EMPTY
    if not hidden.any() or (figures & ~hidden).any():
        return
    must, cells = np.flatnonzero(problem.must_suppress & figures), int(figures.sum())
    first = problem.table.name(int(must[0] if len(must) else np.flatnonzero(hidden)[0]))
    why = f"every cell must be hidden, first {first}"
    if len(must) < cells:
        why = f"{len(must)} of {cells} cells must be hidden, first {first}, and each of the others would help to compute one"
    raise CannotProtect(
        f"the table cannot be protected, because nothing of it would be left to publish: {why}",
        fix="use coarser codes or fewer dimensions, so that more respondents stand behind each cell, or milder rules",
    )


def why_not(problem: Problem, cell: int, sign: int) -> CannotProtect:
    """The verdict on an unsafe cell that falls short even when every cell that may be hidden is; names cell and equation."""
    table = problem.table
    name, way = table.name(cell), WAYS[sign]
    what = f"the table cannot be protected, because the unsafe cell {name}"
    low, high = deviation_bounds(problem)
    own = high[cell] if sign > 0 else -low[cell]
    wanted = problem.upper[cell] if sign > 0 else problem.lower[cell]
    if own < wanted:
        return CannotProtect(
            f"{what} lies too near the bound that everybody knows: it cannot be {way} uncertain by its level",
            fix="widen the known bounds of the cell, or ask for a smaller level",
        )
    moves = (problem.must_suppress | problem.may_suppress) & (high > low)
    matrix = table.equations.matrix
    rows = matrix[:, [cell]].nonzero()[0]
    alone = next((int(row) for row in rows if moves[matrix[row].indices].sum() <= 1), None)
    if alone is not None:
        return CannotProtect(
            f"{what} is the only cell of its equation that may be hidden: {table.equations.format_equation(alone, table.labels)}",
            fix="allow a further cell of that equation to be suppressed, or combine its codes with others",
        )
    if not bool(np.any(problem.may_suppress)):
        return CannotProtect(
            f"{what} falls short {way} of its level though no cell is left to hide",
            fix="combine codes of a dimension, or ask for smaller levels",
        )
    row = int(rows[0]) if len(rows) else None
    where = f", e.g. in {table.equations.format_equation(row, table.labels)}" if row is not None else ""
    return CannotProtect(
        f"{what} falls short {way} of its level even when every cell that may be is hidden{where}",
        fix="allow more cells to be suppressed (zeros, forced ones), combine codes, or ask for a smaller level",
    )
