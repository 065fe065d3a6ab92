"""The declared intruder faces a released network."""

from __future__ import annotations

from collections.abc import Mapping

from ...attack.attacked import Attacked
from ...errors import TacitError
from ...graphs.attack.attack import GraphAttack
from ...graphs.attack.reidentify import attacked_nodes
from ...graphs.attack.setting import knowledge_of
from ...graphs.graph import Graph
from ...graphs.knowledge import Knowledge
from ...graphs.masked import MaskedGraph
from ...progress import Progress
from ...seed import child
from ..parse import blamed
from .loaded import LoadedGraphPlan

__all__ = ["attacked_graph"]


def attacked_graph(
    loaded: LoadedGraphPlan,
    original: Graph,
    released: MaskedGraph,
    key: int | bytes,
    progress: Progress | None = None,
    *,
    attacks: Mapping[str, GraphAttack] | None = None,
) -> tuple[Attacked, ...]:
    """Each of ``attacks``, all that the intruder can make when absent, made on the release and judged."""
    knowledge = _known(loaded, original, released, key)
    made = loaded.attacks if attacks is None else attacks
    seed = child(key, "attacks")
    return attacked_nodes(released.graph, knowledge, released.nodes(), made, seed=seed, progress=progress)


def _known(loaded: LoadedGraphPlan, original: Graph, released: MaskedGraph, key: int | bytes) -> Knowledge:
    """What the intruder of a plan knows; an error points at the key under [intruder]."""
    intruder = loaded.plan.intruder
    try:
        return knowledge_of(
            original,
            released.nodes(),
            knows=intruder.knows,
            wrong=intruder.wrong,
            seeds=intruder.seeds,
            seed=child(key, "intruder"),
        )
    except TacitError as problem:
        raise loaded.at(problem, "intruder", *blamed(problem, {"knows": 0, "wrong": 0, "seeds": 0})) from None
