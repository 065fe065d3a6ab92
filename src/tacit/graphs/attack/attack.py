"""What every attack on a network is: parameters, a reason when it cannot be made, and claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...errors import TacitError
from ...seed import make_generator, seed_or_default

if TYPE_CHECKING:
    from ...claims.claims import LinkClaims
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph
    from ..knowledge import Knowledge


class GraphAttack(Protocol):
    """A frozen dataclass of parameters; it reads the released graph and the knowledge, and never the truth.

    There is one claim for each node that the intruder looks for, ``knowledge.looked_for()``, in that order. The class of
    an attack that widens its candidates where the picture may be wrong has ``tolerant = True``.
    """

    def applies(self, released: Graph, knowledge: Knowledge) -> str | None:
        """None when the attack can be made, else why not."""

    def claims(
        self, released: Graph, knowledge: Knowledge, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> LinkClaims:
        """Which released nodes may be which of those that are looked for."""


def why_not_comparable(released: Graph, knowledge: Knowledge) -> str | None:
    """Why the picture cannot be compared with the release at all; None when it can."""
    if released.size == 0 or knowledge.graph.size == 0:
        return "one of the graphs has no nodes"
    if released.directed != knowledge.graph.directed:
        return "one of the graphs is directed and the other is not"
    return "nobody is looked for" if len(knowledge.looked_for()) == 0 else None


def check_applicable(attack: GraphAttack, released: Graph, knowledge: Knowledge) -> None:
    """Refuse an attack that cannot be made."""
    why_not = attack.applies(released, knowledge)
    if why_not:
        name = type(attack).__name__
        raise TacitError(
            f"{name} cannot be made: {why_not}",
            code="cannot_write",
            fix="see what the attack needs to know, or take another",
        )


def shuffle_release(released: Graph, seed: Seed | None) -> tuple[Graph, np.ndarray]:
    """The release with its nodes in random order, and which they were.

    A search that stops early, or decides ties by number, must not find people because a file kept their order.
    """
    order = make_generator(seed_or_default(seed)).permutation(released.size)
    return released.relabel(order), order
