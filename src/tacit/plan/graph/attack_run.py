"""The declared intruder faces a released network."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...attack.runner import AttackResult
from ...errors import TacitError
from ...graphs.attack.attack import GraphAttack
from ...graphs.attack.reidentify import attacked_nodes, worst_runs
from ...graphs.attack.scenario import KnownLinks, is_drawn, knowledge_of, pairs_of
from ...graphs.graph import Graph
from ...graphs.knowledge import Knowledge
from ...graphs.masked import MaskedGraph
from ...progress import Progress, sub_progress
from ...seed import child_seed
from ..parse import error_key
from .loaded_plan import LoadedGraphPlan
from .people import numbers_of, placed_attack

RUNS = 3
"""So often is drawn whom the intruder knows and which of its edges are wrong; the worst draw counts."""


def attacked_graph(
    loaded: LoadedGraphPlan,
    original: Graph,
    released: MaskedGraph,
    key: int | bytes,
    progress: Progress | None = None,
    *,
    attacks: Mapping[str, GraphAttack] | None = None,
) -> tuple[AttackResult, ...]:
    """Each of ``attacks``, all that the intruder can make when absent, made on the release and judged.

    Where people whom the intruder knows, or wrong edges, are drawn, it is done for several draws, and the worst counts.
    """
    whole = loaded.attacks if attacks is None else attacks
    intruder = loaded.plan.intruder
    runs = RUNS if is_drawn(intruder.seeds, intruder.wrong) else 1
    done: list[AttackResult] = []
    for place, (name, attack) in enumerate(whole.items()):
        made, targets = placed_attack(loaded, name, attack, original)
        same = []
        for run in range(runs):
            knowledge = _intruder_knowledge(loaded, original, released, child_seed(key, "intruder", run), targets)
            at = (place + run / runs) / len(whole)
            share = sub_progress(progress, at, at + 1 / runs / len(whole))
            seed = child_seed(key, "attacks", run)
            same.append(
                attacked_nodes(
                    released.graph, knowledge, released.original_nodes(), {name: made}, seed=seed, progress=share
                )
            )
        done += worst_runs(same)
    return tuple(done)


def _intruder_knowledge(
    loaded: LoadedGraphPlan, original: Graph, released: MaskedGraph, key: bytes, targets: np.ndarray | None
) -> Knowledge:
    """What the intruder of a plan knows and whom it looks for; an error points at the key under [intruder]."""
    intruder = loaded.plan.intruder
    try:
        return knowledge_of(
            original,
            released.original_nodes(),
            targets=targets,
            knows=intruder.knows,
            wrong=intruder.wrong,
            seeds=_known_links(loaded, original, released),
            seed=key,
        )
    except TacitError as problem:
        raise loaded.locate_error(
            problem, "intruder", *error_key(problem, {"knows": 0, "wrong": 0, "seeds": 0})
        ) from None


def _known_links(loaded: LoadedGraphPlan, original: Graph, released: MaskedGraph) -> KnownLinks:
    """The known links of a plan, people who are named by their labels as pairs."""
    seeds = loaded.plan.intruder.seeds
    return (
        pairs_of(numbers_of(seeds, original, "seeds"), released.original_nodes()) if isinstance(seeds, list) else seeds
    )
