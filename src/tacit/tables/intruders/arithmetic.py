"""The arithmetic attacker: adds and subtracts what is published until nothing more can be learnt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..audit.intervals import Whole, intervals
from ..audit.outsider import Outsider
from ..published import Published
from .claims import CELL, CellClaims
from .knowledge import Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """Anybody with the published table and a linear-programming solver.

    The intruder has the table as published, its sums, and the bounds that everybody knows (figures are not negative, say). It
    wants the suppressed cells, and computes for each the smallest and the largest value that agrees with all the rest: no
    interval can be narrower without further knowledge. Published cells are not claimed; there is nothing to learn.
    ``knows`` gives what it knows of some cells besides, by cell number; ``whole`` and ``tolerance`` as for :class:`Outsider`.

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> seen = Published(
    ...     labels=pl.DataFrame({"sex": ["f", "m", "all"]}),
    ...     equations=Equations.of([[1, 1, -1]]),
    ...     low=np.array([0.0, 0.0, 12.0]),
    ...     high=np.array([50.0, 50.0, 12.0]),
    ... )
    >>> found = Arithmetic().claims(seen)
    >>> found.cells.tolist(), found.low.tolist(), found.high.tolist()
    ([0, 1], [0.0, 0.0], [12.0, 12.0])
    >>> Arithmetic(knows={0: (5, 6)}).claims(seen).low.tolist()
    [5.0, 6.0]
    """

    knows: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    whole: Whole = False
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "knows", self._as_outsider().knows)

    def claims(self, published: Published, knowledge: Knowledge | None = None) -> CellClaims:  # noqa: ARG002
        """The interval of every cell that is not published as a figure; an outsider uses no ``knowledge`` of respondents.

        Time and memory as :func:`intervals`.
        """
        cells = np.flatnonzero(published.low < published.high)
        seen = self._as_outsider().with_knowledge(published)
        found = intervals(seen, cells, tolerance=self.tolerance, whole=self.whole)
        return CellClaims(cells=cells, owners=np.full(len(cells), CELL), low=found.low, high=found.high)

    def _as_outsider(self) -> Outsider:
        return Outsider(knows=self.knows, whole=self.whole, tolerance=self.tolerance)
