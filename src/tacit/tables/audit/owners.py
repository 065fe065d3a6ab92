"""Who stands alone behind suppressed cells, and so knows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..problem import Problem
from ..table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Owner:
    """A respondent (by number; −1 where respondents are not known) and the suppressed cells that hold it alone."""

    number: int
    cells: np.ndarray


def sole_owners(problem: Problem, hidden: np.ndarray) -> list[Owner]:
    """Every sole contributor to suppressed cells, in the order of the first of them.

    Where the table tells whose each contribution is, the cells of one respondent stand together; else each cell of one
    contributor counts as a respondent of its own, together with totals of one contributor of which it is a part. Empty when contributors are not known at all; cells whose
    figure the auditor does not have are left out.
    """
    table = problem.table
    contributors = table.values if table.is_frequency and table.contributors is None else table.contributors
    if contributors is None:
        return []
    alone = np.flatnonzero(hidden & (contributors == 1) & np.isfinite(table.values))
    known = table.contributions
    told = np.full(len(alone), -1) if known is None or known.owners.shape[1] == 0 else known.owners[alone, 0]
    found: dict[tuple[bool, int], list[int]] = {}
    for cell, owner, group in zip(alone.tolist(), told.tolist(), _group_owners(table, alone), strict=True):
        found.setdefault((owner >= 0, owner if owner >= 0 else group), []).append(cell)
    return [Owner(owner if named else -1, np.array(cells)) for (named, owner), cells in found.items()]


def lower_for(problem: Problem, numbers: Sequence[int], cells: np.ndarray) -> np.ndarray:
    """The levels below that hold against some respondents: none reaches under what they put into a cell themselves."""
    rest = problem.table.values - own_parts(problem, numbers, cells)
    return np.asarray(np.minimum(problem.lower, np.maximum(0.0, rest)))


def own_parts(problem: Problem, numbers: Sequence[int], cells: np.ndarray) -> np.ndarray:
    """What some respondents put into every cell, as far as it is told: their cells, sums over these, and kept contributions.

    A cell that they have a part in cannot be smaller in their eyes than that part, whatever is suppressed: a level below is not
    asked for beyond it. 0 everywhere when cells may be negative. O(entries × levels).
    """
    table = problem.table
    part = np.zeros(table.size)
    if not (problem.low >= 0).all():
        return part
    if table.contributions is not None and max(numbers, default=-1) >= 0:
        theirs = np.isin(table.contributions.owners, [number for number in numbers if number >= 0])
        # A weight stands for others like them, of whose figures they know nothing.
        part = (table.contributions.values * np.minimum(table.contributions.weights, 1.0) * theirs).sum(axis=1)
    part[cells] = table.values[cells]
    matrix = table.equations.matrix
    positive, negative = matrix.maximum(0), (-matrix).maximum(0)
    summed = np.flatnonzero(np.asarray((negative > 0).sum(axis=1)).ravel() == 1)
    totals = negative[summed].indices
    while True:
        risen = part.copy()
        np.maximum.at(risen, totals, positive[summed] @ part)
        if (risen <= part * (1 + 1e-12)).all():
            return np.asarray(np.minimum(risen, table.values))
        part = risen


def _group_owners(table: Table, alone: np.ndarray) -> list[int]:
    """A group number for each cell: a total of one contributor and its part of one contributor hold the same one."""
    matrix = table.equations.matrix[:, alone].tocsr()
    total = np.asarray((matrix < 0).sum(axis=1)).ravel() > 0
    joined = sp.diags(total.astype(float)) @ abs(matrix)
    return sp.csgraph.connected_components(joined.T @ joined, directed=False)[1].tolist()  # type: ignore[no-any-return]
