"""The intruder knows the surroundings of its targets, and the release was changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import check_int
from ..structure.profiles import degree_profiles
from .attack import check_applicable, why_not_comparable
from .nearest import NodeFeatures, link_nearest

if TYPE_CHECKING:
    from ...claims.claims import LinkClaims
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph
    from ..knowledge import Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Link each target to the released nodes with the nearest degree and quantiles of degrees around.

    Somebody knows the network around a person, but the release was changed, or the picture is wrong here and there:
    then no colour fits (:class:`.refinement.Refinement`), and what is nearly the same still is near. Nodes are points,
    one coordinate for each number of :func:`tacit.graphs.structure.profiles` up to ``reach`` links away, standardised;
    all nodes at the smallest distance are candidates.

    Time O(m log m) and the search among n points: about O(n log n) when most distances are small, up to O(n²) at worst;
    memory O(n + m).

    >>> import numpy as np
    >>> from tacit.graphs import Graph, Knowledge
    >>> path = Graph(size=5, edges=np.array([[0, 1], [1, 2], [2, 3], [3, 4]]))
    >>> Profile().claims(path, Knowledge(graph=path)).set_sizes().tolist()
    [2, 2, 1, 2, 2]
    """

    reach: int = 2

    def __post_init__(self) -> None:
        check_int("reach", self.reach, least=0)

    def applies(self, released: Graph, knowledge: Knowledge) -> str | None:
        """None when the attack can be made, else why not."""
        return why_not_comparable(released, knowledge)

    def claims(
        self,
        released: Graph,
        knowledge: Knowledge,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released nodes have the nearest profile."""
        check_applicable(self, released, knowledge)
        mine = degree_profiles(knowledge.graph, reach=self.reach)[knowledge.looked_for()]
        return link_nearest(
            NodeFeatures.from_numbers(degree_profiles(released, reach=self.reach), mine), progress=progress
        )
