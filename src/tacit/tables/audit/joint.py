"""Respondents with several suppressed cells whose sum is known better than the cells are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problem import Problem, enough
from .levels import exactly
from .owners import sole_owners
from .sums import Sums

__all__ = ["Joint", "joint_disclosures"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Joint:
    """The sum of one respondent's suppressed cells lies from low to high: exactly known, or short of the sum of their levels."""

    owner: int
    cells: np.ndarray
    low: float
    high: float
    exact: bool
    missing: float


def joint_disclosures(problem: Problem, hidden: np.ndarray, sums: Sums, *, short: np.ndarray) -> tuple[Joint, ...]:
    r"""Sole contributors to two or more suppressed cells whose sum is known too well (G-04).

    Each cell may be protected while their sum is not: a row of three cells with one published gives away the sum of the
    other two. The sum :math:`s = \sum a_i` asks for the sums of the levels, :math:`s - l \ge \sum lower_i` and
    :math:`h - s \ge \sum upper_i`: what the p % rule asks of a figure of size s. Respondents
    with a cell that is ``short`` by itself are left out, and so are totals of which a part is the same respondent's, so
    that nothing is counted twice. Two linear programs per respondent.
    """
    found = []
    for owner in sole_owners(problem, hidden):
        if owner.number < 0 or len(owner.cells) < 2 or np.isin(owner.cells, short).any():
            continue
        cells = _finest(problem, owner.cells)
        if len(cells) < 2:
            continue
        low, high = sums.interval(cells)
        value = float(problem.table.values[cells].sum())
        lower, upper = float(problem.lower[cells].sum()), float(problem.upper[cells].sum())
        lacks = max(lower - (value - low), upper - (high - value), 0.0)
        known = bool(exactly(np.array([low]), np.array([high]))[0])
        if known or not enough(np.array([value - low, high - value]), np.array([lower, upper])).all():
            found.append(Joint(owner=owner.number, cells=cells, low=low, high=high, exact=known, missing=lacks))
    return tuple(found)


def _finest(problem: Problem, cells: np.ndarray) -> np.ndarray:
    """The cells without those that are totals of others among them."""
    matrix = problem.table.equations.matrix[:, cells].tocsr()
    both = np.flatnonzero(np.diff(matrix.indptr) > 1)
    totals = np.zeros(len(cells), dtype=bool)
    for row in both:
        start, end = matrix.indptr[row : row + 2]
        totals[matrix.indices[start:end][matrix.data[start:end] < 0]] = True
    return np.asarray(cells[~totals])
