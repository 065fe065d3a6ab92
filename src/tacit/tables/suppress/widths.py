"""How wide the interval of each unsafe cell must be, also of those that no rule gave a level."""

from __future__ import annotations

import numpy as np

from ..problem import Problem

HAIR = 1e-4
"""The share of its figure by which an unsafe cell without levels is to move."""


def interval_widths(problem: Problem) -> np.ndarray:
    """The sliding level of each cell; of an unsafe one without any level a hair, for it must not be known exactly.

    A figure of 0 has no share: there a hair of 1 counts, or of the largest figure where all are smaller. O(cells).

    >>> from tacit.tables.build.cross import cross_dimensions
    >>> from tacit.tables.dimension import Dimension
    >>> from tacit.tables.problem import Status
    >>> from tacit.tables.table import Table
    >>> labels, sums = cross_dimensions([Dimension.flat("size", "ab")])
    >>> table = Table(labels=labels, values=np.array([30.0, 10.0, 20.0]), equations=sums)
    >>> none = np.zeros(3)
    >>> problem = Problem(
    ...     table=table,
    ...     status=np.array([0, Status.UNSAFE, Status.UNSAFE]),
    ...     lower=none,
    ...     upper=np.array([0, 5.0, 0]),
    ...     sliding=none,
    ...     low=none,
    ...     high=none + 90,
    ...     cost=table.values,
    ... )
    >>> interval_widths(problem).tolist()
    [0.0, 0.0, 0.002]
    """
    found = problem.sliding.astype(np.float64)
    cells = problem.primaries
    bare = cells[(problem.upper[cells] <= 0) & (problem.lower[cells] <= 0) & (found[cells] <= 0)]
    sizes = np.abs(problem.table.values)
    found[bare] = HAIR * np.maximum(sizes[bare], min(1.0, float(sizes.max(initial=0.0))))
    return found
