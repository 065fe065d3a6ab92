"""What a stronger intruder than the declared one finds: measured in every job, whatever the plan declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...attack.attack import ProgramLimit
from ...attack.runner import AttackResult
from ...graphs.attack.attack import GraphAttack
from ...graphs.attack.reidentify import attacked_nodes, worst_runs
from ...graphs.attack.scenario import knowledge_of
from ...graphs.graph import Graph
from ...graphs.masked import MaskedGraph
from ...progress import Progress, sub_progress
from ...seed import child_seed
from .attack_run import RUNS
from .intruder import attacks_of
from .loaded_plan import LoadedGraphPlan

KNOWN = 6
"""People whom a standard intruder with known links knows, at most a quarter of all."""
LARGEST: Mapping[str, int] = {"alignment": 1_000, "profile": 20_000, "propagation": 20_000, "attributes": 20_000}
"""Attack → nodes up to which it is made in the name of an intruder whom nobody declared."""
QUICK = 500
"""Nodes up to which random people are drawn several times."""
RANKS = ("nothing", "degree", "neighbours", "network")


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardIntruder:
    """An intruder whom every network is measured against: what it knows of links, whom it knows, and its attacks."""

    code: str
    structure: str
    seeds: str | None
    attacks: tuple[str, ...]
    knowledge: str


STANDARD = (
    StandardIntruder(
        code="degree",
        structure="degree",
        seeds=None,
        attacks=("degree", "attributes"),
        knowledge="knows the degree of everybody",
    ),
    StandardIntruder(
        code="neighbours",
        structure="neighbours",
        seeds=None,
        attacks=("degree", "refinement", "profile", "attributes"),
        knowledge="knows the degrees of everybody and of their neighbours",
    ),
    StandardIntruder(
        code="network",
        structure="network",
        seeds=None,
        attacks=("refinement", "profile", "alignment"),
        knowledge="has the whole original network",
    ),
    StandardIntruder(
        code="network_random",
        structure="network",
        seeds="random",
        attacks=("propagation", "alignment"),
        knowledge="has the whole original network and knows {known} random people",
    ),
    StandardIntruder(
        code="network_hubs",
        structure="network",
        seeds="hubs",
        attacks=("propagation", "alignment"),
        knowledge="has the whole original network and knows the {known} people with the most links",
    ),
)
"""The standard intruders, each stronger than those before it, but for the last two, which know different people."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredIntruder:
    """What a standard intruder finds; attacks that the size of the network left out have the reason."""

    code: str
    knowledge: str
    attacks: tuple[AttackResult, ...]

    @property
    def skipped(self) -> tuple[str, ...]:
        """The names of the attacks that the size of the network left out."""
        return tuple(one.name for one in self.attacks if isinstance(one.why_not, ProgramLimit))

    @property
    def worst(self) -> AttackResult | None:
        """The attack with the highest upper end of its interval."""
        made = [one for one in self.attacks if one.result is not None]
        return max(made, key=lambda one: one.result.worst_case, default=None)  # type: ignore[union-attr]

    def as_json(self) -> dict[str, Any]:
        """Plain values, without the attacks."""
        return {"code": self.code, "knowledge": self.knowledge, "skipped": list(self.skipped)}


def stronger_than(structure: str, seeds: object) -> tuple[StandardIntruder, ...]:
    """The standard intruders who know more than one of such ``structure`` and known links, or other people.

    >>> [one.code for one in stronger_than("neighbours", 0.0)]
    ['network', 'network_random', 'network_hubs']
    """
    rank = RANKS.index(structure)
    return tuple(one for one in STANDARD if RANKS.index(one.structure) > rank or _knows_others(one, structure, seeds))


def measure_stronger(
    loaded: LoadedGraphPlan, original: Graph, released: MaskedGraph, key: int | bytes, progress: Progress | None = None
) -> tuple[MeasuredIntruder, ...]:
    """What each stronger intruder finds in the release; random people are drawn several times, and the worst counts."""
    declared = loaded.plan.intruder
    wanted = stronger_than(declared.structure, declared.seeds)
    people = released.original_nodes()
    known = max(1, min(KNOWN, original.size // 4))
    measured = []
    for place, standard in enumerate(wanted):
        share = sub_progress(progress, place / len(wanted), (place + 1) / len(wanted))
        attacks, skipped = _in_time(standard, max(original.size, released.graph.size))
        runs = RUNS if standard.seeds == "random" and original.size <= QUICK else 1
        made = []
        for run in range(runs):
            knowledge = knowledge_of(
                original,
                people,
                knows=declared.knows,
                seeds={standard.seeds: known} if standard.seeds else 0.0,
                seed=child_seed(key, "stronger", run),
            )
            seed = child_seed(key, "stronger attacks", run)
            made.append(attacked_nodes(released.graph, knowledge, people, attacks, seed=seed, progress=share))
        measured.append(
            MeasuredIntruder(
                code=standard.code,
                knowledge=standard.knowledge.format(known=known),
                attacks=(*worst_runs(made), *skipped),
            )
        )
    return tuple(measured)


def _knows_others(one: StandardIntruder, structure: str, seeds: object) -> bool:
    """Whether the intruder knows people whom the declared one, who has the network too, does not know."""
    if structure != "network" or one.seeds is None:
        return False
    declared = "random" if isinstance(seeds, float) and seeds > 0 else seeds
    kinds = {declared: KNOWN} if declared == "random" else declared if isinstance(declared, Mapping) else {}
    return kinds.get(one.seeds, 0) < KNOWN


def _in_time(standard: StandardIntruder, size: int) -> tuple[dict[str, GraphAttack], tuple[AttackResult, ...]]:
    """The attacks that a network of this size allows, and the others with the reason."""
    every = attacks_of(standard.structure, [])
    quick = {name: every[name] for name in standard.attacks if size <= LARGEST.get(name, size)}
    return quick, tuple(
        AttackResult(
            name=name,
            result=None,
            why_not=ProgramLimit(
                f"of intruders who know more than the declared one up to {LARGEST[name]:,} nodes only"
            ),
        )
        for name in standard.attacks
        if name not in quick
    )
