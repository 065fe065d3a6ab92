"""Networks as a study sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...entry import Entry
from ...graphs.all import METHODS
from ...graphs.graph import Graph
from ...graphs.masked import MaskedGraph
from ...plan.graph import LoadedGraphPlan, graph_plan
from ...plan.graph.original import original_of
from ...plan.graph.require import GraphRequirements
from ..noun import NOTHING_REQUIRED
from ..space import Strategy
from ..written import as_toml
from .task import GraphTask
from .trial import GraphTrial
from .usual import usual

__all__ = ["GRAPH", "Network"]


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

    def planned(self, what: object) -> bool:
        """Whether this is a plan about a network."""
        return isinstance(what, LoadedGraphPlan)

    def data_of(self, what: object) -> Graph | None:
        """The graph in this; None when it is none."""
        return what.graph if isinstance(what, MaskedGraph) else what if isinstance(what, Graph) else None

    def described(self, data: Graph, require: Mapping[str, Any] | None, intruder: Mapping[str, Any]) -> LoadedGraphPlan:
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

    def original(self, plan: LoadedGraphPlan) -> Graph:
        """The network that a plan names."""
        return original_of(plan)

    def task(self, plan: LoadedGraphPlan, original: Graph, *, seed: int | bytes) -> GraphTask:
        """What a plan asks of every candidate."""
        return GraphTask.of(self, plan, original, seed=seed)

    def usual(self, plan: LoadedGraphPlan, original: Graph) -> list[Strategy]:  # noqa: ARG002 - all are for any plan
        """The usual protections for such a network."""
        return usual(original)

    def trial(self, task: GraphTask, steps: Sequence[Mapping[str, Any]]) -> GraphTrial:
        """The network protected by these steps."""
        return GraphTrial(task, steps)


GRAPH = Network()
