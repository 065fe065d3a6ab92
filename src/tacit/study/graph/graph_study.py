"""Networks as a study sees them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from ...attack.runner import AttackResult
from ...errors import Cancelled, TacitError, suggest_alternative
from ...graphs.attack.attack import GraphAttack
from ...graphs.graph import Graph
from ...graphs.loss import ALL as LOSSES
from ...graphs.masked import MaskedGraph
from ...graphs.registry import METHODS
from ...graphs.risk import ALL as RISKS
from ...loss.headline import headline
from ...loss.score import WeightedMeasure
from ...models.verdict import Verdict
from ...plan.graph import LoadedGraphPlan, graph_plan
from ...plan.graph.attack_run import attacked_graph
from ...plan.graph.original import original_of
from ...plan.graph.protection import graph_step, protected_graph
from ...plan.graph.require import REIDENTIFICATION, GraphRequirements
from ...registry import Entry
from ..data_kind import NOTHING_REQUIRED, DataKind
from ..digests import digest
from ..evaluation import Figure
from ..measures import can_measure, weighed_measures
from ..plan_text import as_toml
from ..space import Strategy

Steps: TypeAlias = list[dict[str, Any]]

LARGEST = 50
"""Nodes that are made alike, at most."""

BOTH = (3, 5, 10)
"""Nodes alike in links and attributes: both steps need the same number, so that it is not left open."""

FEWEST = 5
"""Edges that a share of them comes to, at least: a switch needs two."""

SLOW = ("alignment",)
"""Attacks that cost more than all else about a candidate; a release is attacked by all."""

KINDS: Mapping[str, Entry | None] = {
    REIDENTIFICATION: None,
    **{name: entry for name, entry in RISKS.items() if entry.tags.kind == "measure"},
}
"""What a risk may be made of: what attacks find, and the measures of a network that are shares."""


@dataclass(frozen=True, slots=True)
class Network:
    """Graphs, protected, attacked and compared by the rooms of :mod:`tacit.graphs`."""

    command: str = "tacit graph protect"

    @property
    def methods(self) -> Mapping[str, Entry]:
        """The protections of networks."""
        return METHODS

    def load(self, text: str, *, folder: Path, name: str) -> LoadedGraphPlan:
        """The plan in a text."""
        return graph_plan(text, folder=folder, name=name)

    def is_plan(self, what: object) -> bool:
        """Whether this is a plan about a network."""
        return isinstance(what, LoadedGraphPlan)

    def data_of(self, what: object) -> Graph | None:
        """The graph in this; None when it is none."""
        return what.graph if isinstance(what, MaskedGraph) else what if isinstance(what, Graph) else None

    def plan_for_data(
        self, data: Graph, require: Mapping[str, Any] | None, intruder: Mapping[str, Any]
    ) -> LoadedGraphPlan:
        """A plan for a graph that is in memory; the paths of its files are for the user to fill in."""
        held = data.attributes
        roles = (
            {}
            if held is None
            else {
                "quasi": list(held.quasi),
                "confidential": list(held.confidential),
                "unrestricted": list(held.unrestricted),
            }
        )
        sections: dict[str, dict[str, Any]] = {
            "data": {"noun": "graph", "missing": None if held is None else held.missing},
            "graph": {
                "edges": "edges.csv",
                "nodes": None if held is None else "nodes.csv",
                "directed": data.directed or None,
            },
            "roles": {role: columns for role, columns in roles.items() if columns},
            "kinds": {} if held is None else dict(held.declared_kinds),
            "hierarchies": {} if held is None else {name: dict(one.spec()) for name, one in held.hierarchies.items()},
            "require": dict(require or NOTHING_REQUIRED),
            "intruder": dict(intruder),
        }
        text = as_toml({name: section for name, section in sections.items() if section})
        plan = graph_plan(text, name="explore(…)")
        return plan if require else replace(plan, requirements=GraphRequirements(bounds=()))

    def load_original(self, plan: LoadedGraphPlan) -> Graph:
        """The network that a plan names."""
        return original_of(plan)

    def make_task(self, plan: LoadedGraphPlan, original: Graph, *, seed: int | bytes) -> GraphTask:
        """What a plan asks of every candidate."""
        return GraphTask.of(self, plan, original, seed=seed)

    def default_strategies(self, plan: LoadedGraphPlan, original: Graph) -> list[Strategy]:  # noqa: ARG002 - all are for any plan
        """The usual protections for such a network."""
        return graph_strategies(original)

    def make_trial(self, task: GraphTask, steps: Sequence[Mapping[str, Any]]) -> GraphTrial:
        """The network protected by these steps."""
        return GraphTrial(task, steps)


GRAPH = Network()


def graph_strategies(original: Graph) -> list[Strategy]:
    """Strategies for a network: edges drawn and switched, degrees made alike, and, in larger groups, nodes.

    Where nodes have attributes that an intruder may know, these are recoded after the degrees; super-nodes and k-automorphism recode
    them by themselves. Of a directed network only edges are changed: the others are for undirected ones.
    """
    share = {"from": min(0.5, max(0.01, FEWEST / max(original.links, 1))), "to": 0.5, "scale": "log"}
    found: dict[str, Steps] = {
        "switches": [{"method": "switch_edges", "share": share}],
        "edges drawn": [{"method": "change_edges", "delete": share, "add": share}],
    }
    if not original.directed and original.size >= 4:
        found |= _undirected_strategies(original, share)
    return [Strategy.of(name, steps, methods=METHODS) for name, steps in found.items()]


def _undirected_strategies(original: Graph, share: dict[str, Any]) -> dict[str, Steps]:
    group = {"from": 2, "to": max(2, min(LARGEST, original.size // 2)), "scale": "log"}
    known = original.attributes is not None and original.attributes.quasi
    found: dict[str, Steps] = {
        "k-degree": [{"method": "k_degree", "k": group}],
        "deletions": [{"method": "delete_edges", "k": group, "budget": share, "known": "degree"}],
        "super-nodes": [{"method": "super_nodes", "k": group}],
    }
    if original.size <= (METHODS["k_automorphism"].upto or 0):
        found["k-automorphism"] = [{"method": "k_automorphism", "k": group}]
    for k in [k for k in BOTH if known and 2 * k <= original.size]:
        found[f"k-degree + attributes, k {k}"] = [
            {"method": "k_degree", "k": k},
            {"method": "attributes_in_classes", "k": k, "known": "degree"},
        ]
    return found


class GraphTrial:
    """The network protected by some steps, its nodes under new numbers, and what the attacks have found so far."""

    def __init__(self, task: GraphTask, steps: Sequence[Mapping[str, Any]]) -> None:
        self._task, self._masked = task, _mask_data(task, steps)
        self._made: tuple[AttackResult, ...] = ()

    def figures(self) -> Iterator[tuple[Figure, ...]]:
        """The figures of each measure and attack, the cheap ones first."""
        task, masked = self._task, self._masked
        for one in task.loss:
            yield (Figure("loss", one.name, _loss_value(task, masked, one)),)
        for one in task.risk:
            if one.name in RISKS:
                yield (Figure("risk", one.name, _risk_value(masked, one)),)
        for name, attack in task.chosen.items():
            (made,) = attacked_graph(task.plan, task.original, masked, task.seed, attacks={name: attack})
            self._made += (made,)
            if made.result is not None:
                yield (Figure("risk", REIDENTIFICATION, float(made.result.value), name),)

    def verdicts(self) -> tuple[Verdict, ...]:
        """Every requirement judged by what all attacks found."""
        weighed = any(one.name == REIDENTIFICATION for one in self._task.risk)
        if weighed and all(one.result is None for one in self._made):
            why = "; ".join(f"{one.name}: {one.why_not}" for one in self._made)
            raise TacitError(
                f"{REIDENTIFICATION} cannot be judged: no attack applies ({why})",
                code="not_applicable",
                fix="give the intruder something to know: structure or knows under [intruder]",
                where=REIDENTIFICATION,
            )
        return self._task.plan.requirements.judge(self._masked.graph, self._made)


def _mask_data(task: GraphTask, steps: Sequence[Mapping[str, Any]]) -> MaskedGraph:
    methods = tuple(graph_step(step) for step in steps)
    try:
        return protected_graph(replace(task.plan, steps=methods), task.original, task.seed, None)
    except Cancelled:
        raise
    except TacitError as problem:
        # Its place is one under [[protect]], and the steps are not from there.
        raise problem.restate(where=None) from None


def _loss_value(task: GraphTask, masked: MaskedGraph, one: WeightedMeasure) -> float:
    """The loss by one measure; where nodes can no longer be compared, because all are invented, all of it is lost."""
    try:
        return headline(LOSSES[one.name].call(masked, original=task.original, **one.options))
    except Cancelled:
        raise
    except TacitError:
        return 1.0


def _risk_value(masked: MaskedGraph, one: WeightedMeasure) -> float:
    try:
        return float(RISKS[one.name].call(masked.graph, **one.options).value)
    except TacitError as problem:
        raise problem.with_location(one.name) from None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphTask:
    """The network, the attacks on it, what is weighed, and the seed of every draw."""

    noun: DataKind
    plan: LoadedGraphPlan
    original: Graph
    chosen: Mapping[str, GraphAttack]
    risk: tuple[WeightedMeasure, ...]
    loss: tuple[WeightedMeasure, ...]
    seed: int | bytes

    @staticmethod
    def of(noun: DataKind, plan: LoadedGraphPlan, original: Graph, *, seed: int | bytes) -> GraphTask:
        """What a plan says; an error points at its key."""
        return GraphTask(
            noun=noun,
            plan=plan,
            original=original,
            chosen=_select_attacks(plan),
            risk=weighed_measures(plan, "risk", KINDS, usual=lambda: {REIDENTIFICATION: 1}),
            loss=_weighed_losses(plan, original),
            seed=seed,
        )

    @property
    def title(self) -> str:
        """What the map is called."""
        return self.plan.plan.title or f"Network of {self.plan.edges_path.name}"

    @property
    def attacks(self) -> tuple[str, ...]:
        """The attacks on every candidate, by name."""
        return tuple(self.chosen)

    @property
    def is_partial(self) -> bool:
        """Whether a release is attacked by more than these."""
        return len(self.chosen) < len(self.plan.attacks)

    @property
    def risk_limits(self) -> dict[str, float]:
        """Kind of risk → the most that is allowed, as it stands on the map."""
        most = self.plan.requirements.reidentification
        return {} if most is None else {REIDENTIFICATION: most}

    def with_all_attacks(self) -> GraphTask | None:
        """The same with all attacks that the intruder can make; None where these are made already.

        That is so when the attacks are named, and when nothing is required of re-identification.
        """
        if self.plan.plan.study.attacks or not self.risk_limits or not self.is_partial:
            return None
        return replace(self, chosen=self.plan.attacks)

    @property
    def content_digest(self) -> str:
        """A digest of all that the outcome of a candidate depends on beside its steps: Tacit itself is a part of it.

        Weights, preferences and bounds of the study are not: they only weigh what was found. Nor are names of nodes.
        """
        graph = self.original
        said: dict[str, Any] = {
            "version": version("tacit"),
            "require": repr(self.plan.requirements),
            "intruder": self.plan.plan.intruder.model_dump(),
            "attacks": {name: repr(one) for name, one in self.chosen.items()},
            "risk": [(one.name, one.options) for one in self.risk],
            "loss": [(one.name, one.options) for one in self.loss],
            "seed": repr(self.seed),
            "graph": (graph.size, graph.directed, hashlib.blake2b(graph.edges.tobytes()).hexdigest()),
        }
        return digest(said, graph.attributes)


def _weighed_losses(plan: LoadedGraphPlan, original: Graph) -> tuple[WeightedMeasure, ...]:
    """What is weighed; a loss that has no meaning for the network is an error where it was named."""
    same = MaskedGraph(original, ())
    found = weighed_measures(
        plan, "loss", LOSSES, usual=lambda: {name: 1 for name in LOSSES if can_measure(LOSSES[name], same, original)}
    )
    for one in found:
        try:
            LOSSES[one.name].call(same, original=original, **one.options)
        except TacitError as problem:
            raise plan.locate_error(problem, "study", "loss") from None
    return found


def _select_attacks(plan: LoadedGraphPlan) -> dict[str, GraphAttack]:
    """The attacks named in the study, else all that the intruder can make and that take little time."""
    named = plan.plan.study.attacks
    wrong = next((name for name in named if name not in plan.attacks), None)
    if wrong is not None:
        problem = TacitError(
            f"the attack {wrong!r} is unknown, or needs more than this intruder knows",
            code="unknown_name",
            fix=suggest_alternative(wrong, list(plan.attacks)),
        )
        raise plan.locate_error(problem, "study", "attacks")
    return {name: one for name, one in plan.attacks.items() if (name in named if named else name not in SLOW)}
