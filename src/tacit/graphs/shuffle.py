"""Random node numbers, so that neither a name nor a place in the file tells who a node is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..release.trace import Trace
from ..seed import make_generator
from .graph import Graph
from .masked import MaskedGraph

if TYPE_CHECKING:
    from ..progress import Progress
    from ..seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleNodes:
    """Take the names of the nodes away and number them in random order; the lineage remembers it, for internal eyes.

    The naive protection that every other one needs as its last step: alone it does not stop anybody who knows a little
    about the links of a person (Backstrom, Dwork and Kleinberg 2007). O(n + m log m).

    >>> import numpy as np
    >>> made = ShuffleNodes().apply(Graph(size=3, edges=np.array([[0, 1]]), names=["ann", "bob", "cem"]), seed=7)
    >>> made.graph.names, made.graph.shuffled, sorted(made.lineage.tolist())
    (None, True, [0, 1, 2])
    """

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:  # noqa: ARG002
        """The graph under new numbers."""
        order = make_generator(seed).permutation(graph.size)
        return MaskedGraph(graph.relabel(order), (Trace.of(self),), lineage=order)
