"""The intruder knows attributes of its targets and something of their links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...attack._columns import why_incomparable
from ...errors import check_int
from ..structure.colours import refine_colours
from .attack import check_applicable, why_not_comparable
from .nearest import NodeFeatures, link_nearest

if TYPE_CHECKING:
    from ...claims.claims import LinkClaims
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph
    from ..knowledge import Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributes:
    """Link each target to the released nodes nearest in attributes and structure together.

    Somebody knows the age and town of people (the columns ``knowledge.knows``) and how many links they have. Attributes
    are compared as those of records are (:class:`tacit.attack.Distance`), and the colours of each of ``rounds`` rounds
    of refinement are further columns, equal or not: 0 rounds are attributes alone, 1 the degree too, 2 the neighbours'
    degrees, None as far as it leads. Where attributes and links are exact, the candidates are the nodes of equal
    attributes inside the structural class; where they were changed, those that agree in most.

    Time O(m log m) a round and the search among n points, see :class:`.profile.Profile`.
    """

    rounds: int | None = 1

    def __post_init__(self) -> None:
        if self.rounds is not None:
            check_int("rounds", self.rounds, least=0)

    def applies(self, released: Graph, knowledge: Knowledge) -> str | None:
        """None when the attack can be made, else why not."""
        if not knowledge.knows or knowledge.graph.attributes is None:
            return "no attribute is known of the targets"
        if released.attributes is None:
            return "the release has no attributes"
        return why_not_comparable(released, knowledge) or why_incomparable(
            released.attributes, knowledge.graph.attributes.select(knowledge.knows)
        )

    def claims(
        self,
        released: Graph,
        knowledge: Knowledge,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released nodes are nearest to each target."""
        from ...attack._distance_encoding import encode_for_distance

        check_applicable(self, released, knowledge)
        assert released.attributes is not None and knowledge.graph.attributes is not None
        targets = knowledge.looked_for()
        own = knowledge.graph.attributes.select(knowledge.knows).take(targets)
        attributes = encode_for_distance(released.attributes, own)
        colours = refine_colours([released, knowledge.graph], rounds=self.rounds)
        points, queries = (np.column_stack([parts[side] for parts in colours.after]) for side in (0, 1))
        sides = NodeFeatures.of(attributes).append(NodeFeatures.from_codes(points, queries[targets]))
        return link_nearest(sides, progress=progress, notes=attributes.notes)
