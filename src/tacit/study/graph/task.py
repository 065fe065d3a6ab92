"""What every candidate of a study of a network is put through."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from ...entry import Entry
from ...errors import TacitError, instead
from ...graphs.attack.attack import GraphAttack
from ...graphs.graph import Graph
from ...graphs.loss import ALL as LOSSES
from ...graphs.masked import MaskedGraph
from ...graphs.risk import ALL as RISKS
from ...loss.score import Weighed
from ...plan.graph import LoadedGraphPlan
from ...plan.graph.require import REIDENTIFICATION
from ..content import digest
from ..measures import applies, declared
from ..noun import Noun

SLOW = ("alignment",)
"""Attacks that cost more than all else about a candidate; a release is attacked by all."""
KINDS: Mapping[str, Entry | None] = {
    REIDENTIFICATION: None,
    **{name: entry for name, entry in RISKS.items() if entry.tags.kind == "measure"},
}
"""What a risk may be made of: what attacks find, and the measures of a network that are shares."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphTask:
    """The network, the attacks on it, what is weighed, and the seed of every draw."""

    noun: Noun
    plan: LoadedGraphPlan
    original: Graph
    chosen: Mapping[str, GraphAttack]
    risk: tuple[Weighed, ...]
    loss: tuple[Weighed, ...]
    seed: int | bytes

    @staticmethod
    def of(noun: Noun, plan: LoadedGraphPlan, original: Graph, *, seed: int | bytes) -> GraphTask:
        """What a plan says; an error points at its key."""
        return GraphTask(
            noun=noun,
            plan=plan,
            original=original,
            chosen=_chosen(plan),
            risk=declared(plan, "risk", KINDS, usual=lambda: {REIDENTIFICATION: 1}),
            loss=_losses(plan, original),
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
    def partly(self) -> bool:
        """Whether a release is attacked by more than these."""
        return len(self.chosen) < len(self.plan.attacks)

    @property
    def required(self) -> dict[str, float]:
        """Kind of risk → the most that is allowed, as it stands on the map."""
        most = self.plan.requirements.reidentification
        return {} if most is None else {REIDENTIFICATION: most}

    def thorough(self) -> GraphTask | None:
        """The same with all attacks that the intruder can make; None where these are made already.

        That is so when the attacks are named, and when nothing is required of re-identification.
        """
        if self.plan.plan.study.attacks or not self.required or not self.partly:
            return None
        return replace(self, chosen=self.plan.attacks)

    @property
    def content(self) -> str:
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


def _losses(plan: LoadedGraphPlan, original: Graph) -> tuple[Weighed, ...]:
    """What is weighed; a loss that has no meaning for the network is an error where it was named."""
    same = MaskedGraph(original, ())
    found = declared(
        plan, "loss", LOSSES, usual=lambda: {name: 1 for name in LOSSES if applies(LOSSES[name], same, original)}
    )
    for one in found:
        try:
            LOSSES[one.name].call(same, original=original, **one.options)
        except TacitError as problem:
            raise plan.at(problem, "study", "loss") from None
    return found


def _chosen(plan: LoadedGraphPlan) -> dict[str, GraphAttack]:
    """The attacks named in the study, else all that the intruder can make and that take little time."""
    named = plan.plan.study.attacks
    wrong = next((name for name in named if name not in plan.attacks), None)
    if wrong is not None:
        problem = TacitError(
            f"the attack {wrong!r} is unknown, or needs more than this intruder knows",
            fix=instead(wrong, list(plan.attacks)),
        )
        raise plan.at(problem, "study", "attacks")
    return {name: one for name, one in plan.attacks.items() if (name in named if named else name not in SLOW)}
