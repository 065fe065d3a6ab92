"""The original network and what was released of it, with the nodes that they have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import TacitError
from ...release.masked import checked_lineage
from ...result import Result
from ..graph import Graph
from ..masked import MaskedGraph
from ..simple import simplify_edges


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphPair:
    """``origin[i]`` is the node of ``before`` that node i of ``after`` is, −1 for an invented one."""

    before: Graph
    after: Graph
    origin: np.ndarray

    @property
    def common(self) -> np.ndarray:
        """The nodes of ``after`` that come from the original; an error where there are none."""
        found = np.flatnonzero(self.origin >= 0)
        if not len(found):
            raise TacitError(
                "no released node comes from the original: they cannot be compared one by one",
                code="invalid_graph",
                fix="for synthetic networks take degrees, clustering, assortativity and spectrum",
            )
        return found

    def in_original_numbers(self) -> Graph:
        """The released edges under the numbers of the original; invented nodes come after them. O(m log m)."""
        invented = self.origin < 0
        place = np.where(invented, self.before.size + np.cumsum(invented) - 1, self.origin)
        size = self.before.size + int(invented.sum())
        edges = simplify_edges(place[self.after.edges], None, size=size, directed=self.after.directed).edges
        return Graph(size=size, edges=edges, directed=self.after.directed)


def pair_graphs(masked: Graph | MaskedGraph, original: Graph, lineage: np.ndarray | None = None) -> GraphPair:
    """Both graphs and who is who: by the lineage given, that of the masking, or by the numbers where none moved."""
    after = masked.graph if isinstance(masked, MaskedGraph) else masked
    if after.directed != original.directed:
        one, other = ("directed", "not") if after.directed else ("not directed", "directed")
        raise TacitError(
            f"the released network is {one} and the original is {other}",
            code="invalid_graph",
            fix="read both the same way",
        )
    if lineage is None and isinstance(masked, MaskedGraph):
        lineage = masked.lineage
    if lineage is None:
        lineage = np.arange(after.size) if after.size == original.size else np.full(after.size, -1)
    return GraphPair(
        before=original, after=after, origin=checked_lineage(lineage, masked=after.size, original=original.size)
    )


def loss_result(name: str, value: float, facts: Mapping[str, object], *, column: str | None = None) -> Result:
    """A loss: 0, nothing is lost, to 1."""
    return Result(name=name, column=column, value=float(value), worse="high", about="utility", facts=facts)
