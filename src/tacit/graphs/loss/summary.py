"""All losses of a network at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import Cancelled, TacitError
from ...result import Result, Results
from ...seed import DEFAULT_SEED
from .graph_pair import pair_graphs
from .registry import ALL

if TYPE_CHECKING:
    import numpy as np

    from ..graph import Graph
    from ..masked import MaskedGraph


def summary(
    masked: Graph | MaskedGraph, *, original: Graph, lineage: np.ndarray | None = None, seed: int | bytes = DEFAULT_SEED
) -> Results:
    """Every loss of :data:`tacit.graphs.loss.ALL` that applies; of a synthetic network those that need no lineage.

    >>> import numpy as np
    >>> from tacit.graphs import Graph
    >>> square = Graph(size=4, edges=np.array([[0, 1], [1, 2], [2, 3], [0, 3]]))
    >>> round(summary(square.with_edges(square.edges[:3]), original=square)["edge overlap"].value, 2)
    0.25
    """
    pair_graphs(masked, original, lineage)
    parts: list[Result] = []
    for entry in ALL.values():
        drawn = {"seed": seed} if "seed" in entry.parameters else {}
        try:
            found: Result | Results = entry.call(masked, original=original, lineage=lineage, **drawn)
        except Cancelled:
            raise
        except TacitError:
            continue
        parts.extend(found if isinstance(found, Results) else (found,))
    return Results(tuple(parts))
