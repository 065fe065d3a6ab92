"""The declared intruder faces a released network."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...attack.attacked import Attacked
from ...errors import TacitError
from ...graphs.attack.attack import GraphAttack
from ...graphs.attack.reidentify import attacked_nodes
from ...graphs.attack.setting import knowledge_of
from ...graphs.graph import Graph
from ...graphs.knowledge import Knowledge
from ...graphs.masked import MaskedGraph
from ...progress import Progress, part
from ...seed import child
from ..parse import blamed
from .loaded import LoadedGraphPlan
from .people import placed_attack

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
    whole = loaded.attacks if attacks is None else attacks
    done: list[Attacked] = []
    for place, (name, attack) in enumerate(whole.items()):
        made, targets = placed_attack(loaded, name, attack, original)
        share = part(progress, place / len(whole), (place + 1) / len(whole))
        knowledge = _known(loaded, original, released, key, targets)
        seed = child(key, "attacks")
        done += attacked_nodes(released.graph, knowledge, released.nodes(), {name: made}, seed=seed, progress=share)
    return tuple(done)


def _known(
    loaded: LoadedGraphPlan, original: Graph, released: MaskedGraph, key: int | bytes, targets: np.ndarray | None
) -> Knowledge:
    """What the intruder of a plan knows and whom it looks for; an error points at the key under [intruder]."""
    intruder = loaded.plan.intruder
    try:
        return knowledge_of(
            original,
            released.nodes(),
            targets=targets,
            knows=intruder.knows,
            wrong=intruder.wrong,
            seeds=intruder.seeds,
            seed=child(key, "intruder"),
        )
    except TacitError as problem:
        raise loaded.at(problem, "intruder", *blamed(problem, {"knows": 0, "wrong": 0, "seeds": 0})) from None
