"""What an intruder has when a network is released."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import TacitError, check_columns
from ..release.trace import Trace
from .graph import Graph


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Knowledge:
    """The intruder's own picture of the network; an attack reads this and the released graph, and nothing else.

    ``graph`` is the picture: in the worst case the original, or the part of it that the intruder knows. ``targets`` are
    the nodes of the picture that it looks for (None: all). ``knows`` names the node attributes that it can compare. ``seeds``
    are pairs (node of the picture, node of the release) that it has found by other means. ``wrong`` is the share of the edges
    of the picture that may be wrong (0: it is exact). ``told`` is what was published about the protection.
    """

    graph: Graph
    targets: np.ndarray | None = None
    knows: tuple[str, ...] = ()
    seeds: np.ndarray | None = None
    wrong: float = 0.0
    told: tuple[Trace, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.wrong < 1:
            raise TacitError(
                f"wrong={self.wrong!r} is no share",
                code="out_of_range",
                parameter="wrong",
                fix="give the share of wrong edges, e.g. wrong=0.05",
            )
        known = () if self.graph.attributes is None else self.graph.attributes.columns
        object.__setattr__(self, "knows", check_columns(self.knows, known))

    def looked_for(self) -> np.ndarray:
        """The nodes of the picture that are looked for."""
        return np.arange(self.graph.size) if self.targets is None else np.asarray(self.targets, dtype=np.int64)
