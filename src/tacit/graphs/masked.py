"""A protected network: the graph, what was done to it, and, for internal eyes only, which node was which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..release.masked import compose_lineages
from ..release.trace import Trace
from ..seed import child_seed
from .graph import Graph

if TYPE_CHECKING:
    from ..progress import Progress
    from ..seed import Seed


class GraphMethod(Protocol):
    """A frozen dataclass of its parameters that turns a graph into a graph and says what it did."""

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The protected graph."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class MaskedGraph:
    """``graph`` and ``trace`` may be published; ``lineage`` and ``evidence`` never.

    ``lineage[i]`` is the node of the original that node i was made from, −1 for an invented one; None: none moved.
    """

    graph: Graph
    trace: tuple[Trace, ...]
    lineage: np.ndarray | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def then(self, method: GraphMethod, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The next step on the protected graph; traces add up, lineages compose."""
        own = child_seed(seed, "then", len(self.trace)) if isinstance(seed, int | bytes) else seed
        after = method.apply(self.graph, seed=own, progress=progress)
        return MaskedGraph(
            after.graph,
            self.trace + after.trace,
            compose_lineages(self.lineage, after.lineage),
            {**self.evidence, **after.evidence},
        )

    def original_nodes(self) -> np.ndarray:
        """The original node of each node, or −1."""
        return np.arange(self.graph.size) if self.lineage is None else self.lineage
