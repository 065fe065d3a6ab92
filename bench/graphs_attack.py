"""Attacks on networks: refinement of a million edges in time, and what each attack finds of the same people."""

from __future__ import annotations

import numpy as np
import rustworkx as rx
from bars import Bars, spent

from tacit.graphs import Graph, Knowledge
from tacit.graphs.attack import Coalition, Profile, Propagation, Refinement, imperfect_picture, plant, reidentify_nodes

NODES, EACH = 200_000, 5
SMALL = 20_000


def grown(nodes: int, each: int) -> Graph:
    """A network in which the linked get more links (Barabási and Albert)."""
    made = rx.barabasi_albert_graph(nodes, each, seed=1)
    return Graph(size=nodes, edges=np.array(made.edge_list(), dtype=np.int64))


def bars(bars: Bars) -> None:
    """The bars of this part."""
    small = grown(100, 3)
    Refinement().claims(small, Knowledge(graph=small))  # compiled before it is timed
    large = grown(NODES, EACH)
    order = np.random.default_rng(1).permutation(NODES)
    released = large.relabel(order)
    seconds, claims = spent(lambda: Refinement().claims(released, Knowledge(graph=large)))
    facts = {"edges": large.links, "rounds": claims.facts["rounds"], "unique": float((claims.set_sizes() == 1).mean())}
    bars.at_most("refinement attack on 10⁶ edges: CPU s", seconds, 5, at_scale=True, **facts)
    changed(bars)
    planted(bars)


def changed(bars: Bars) -> None:
    """A picture with 5 % of its edges wrong: lost to colours, near by profile, found from 1 % seeds."""
    original = grown(SMALL, EACH)
    order = np.random.default_rng(2).permutation(SMALL)
    released = original.relabel(order)
    picture = imperfect_picture(original, dropped=0.05, added=0.05, seed=1)
    known = np.column_stack([order[: SMALL // 100], np.arange(SMALL // 100)])
    knowledge = Knowledge(graph=picture, seeds=known, targets=np.setdiff1d(np.arange(SMALL), known[:, 0]))
    for attack in (Refinement(otherwise="nobody"), Profile(), Propagation()):
        seconds, found = spent(
            lambda attack=attack: reidentify_nodes(released, original=knowledge, lineage=order, attack=attack)
        )
        name = f"5 % wrong edges, {type(attack).__name__}: share found"
        if isinstance(attack, Propagation):
            bars.at_least(name, found.value, 0.9, cpu=seconds, mapped=found.facts["mapped"])
        else:
            bars.stated(name, found.value, cpu=seconds)


def planted(bars: Bars) -> None:
    """Accounts planted before the release find themselves and their targets."""
    made = plant(grown(SMALL, EACH), targets=np.arange(100, 200), seed=5)
    order = np.random.default_rng(3).permutation(made.graph.size)
    released = made.graph.relabel(order)
    attack = Coalition(members=tuple(made.members.tolist()))
    seconds, found = spent(
        lambda: reidentify_nodes(
            released, original=made.graph, lineage=order, targets=made.targets, attack=attack, seed=1
        )
    )
    bars.at_least(
        "planted accounts: share of 100 targets found", found.value, 0.99, cpu=seconds, steps=found.facts["steps"]
    )
