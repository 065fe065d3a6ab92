"""One order of cells and equations for all who ask: the same table in another order gets the same pattern."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..equations import Equations
from ..problem import Problem
from ..table import Contributions, Table

__all__ = ["ordered"]


def ordered(problem: Problem) -> tuple[Problem, np.ndarray]:
    """The problem with cells sorted by their codes and equations by their cells; and where each sorted cell stood (G-04).

    Ties between cells of equal cost are then broken by codes and not by the order of a file. O(n log n).
    """
    labels = problem.table.labels
    order = labels.with_row_index("__row").sort(labels.columns)["__row"].to_numpy().astype(np.int64)
    named = {
        name: getattr(problem, name)[order] for name in ("status", "lower", "upper", "sliding", "low", "high", "cost")
    }
    return replace(problem, table=_sorted(problem.table, order), why={}, **named), order


def _sorted(table: Table, order: np.ndarray) -> Table:
    matrix = table.equations.matrix[:, order].tocsr()
    matrix.sort_indices()
    ends = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    keys = [(matrix.indices[start:end].tobytes(), matrix.data[start:end].tobytes()) for start, end in ends]
    rows = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    behind = table.contributions
    return replace(
        table,
        labels=table.labels[order],
        values=table.values[order],
        equations=Equations.of(matrix[rows], table.equations.constants[rows]),
        contributors=None if table.contributors is None else table.contributors[order],
        contributions=None
        if behind is None
        else Contributions(values=behind.values[order], owners=behind.owners[order], weights=behind.weights[order]),
        shadow=None if table.shadow is None else table.shadow[order],
        more={name: column[order] for name, column in table.more.items()},
        parts={name: place[cells] for name, cells in table.parts.items()},
    )
