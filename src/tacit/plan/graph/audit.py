"""How much a network tells of its people as it is, before anybody protects it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...graphs.attack.reidentify import attacked_nodes
from ...graphs.attack.scenario import knowledge_of
from ...graphs.shuffle import ShuffleNodes
from ...result import DisplayMixin, format_fact
from ...seed import child_seed
from .intruder import attacks_of
from .measures import measure_graph

if TYPE_CHECKING:
    from ...attack.runner import AttackResult
    from ...graphs.graph import Graph
    from ...progress import Progress
    from ...result import Result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphAudit(DisplayMixin):
    """Measures of a network, and what attacks find in it when only the names are taken away."""

    graph: Graph
    measures: tuple[Result, ...]
    attacks: tuple[AttackResult, ...]

    @property
    def singled_out(self) -> bool:
        """Whether somebody has one candidate only, by any attack."""
        shares = [one.result.facts.get("share unique") for one in self.attacks if one.result is not None]
        return any(isinstance(share, float) and share > 0 for share in shares)

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "nodes", format_fact(self.graph.size)
        yield "edges", format_fact(self.graph.links)
        yield from (("note", note) for note in self.graph.notes)
        for one in self.measures:
            yield from list(one.rows())[:1]
        for attack in self.attacks:
            if attack.result is None:
                yield f"attack {attack.name}", f"not made: {attack.why_not}"
            else:
                unique = attack.result.facts.get("share unique")
                alone = f", {unique:.0%} have one candidate" if isinstance(unique, float) else ""
                yield f"attack {attack.name}", f"finds {attack.result.value:.1%}{alone}"

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        return {
            "nodes": self.graph.size,
            "edges": self.graph.links,
            "directed": self.graph.directed,
            "notes": list(self.graph.notes),
            "measures": [one.as_json() for one in self.measures],
            "attacks": [one.as_json() for one in self.attacks],
        }


def audit_graph(
    graph: Graph, *, structure: str, seed: int | bytes, wrong: float = 0.0, progress: Progress | None = None
) -> GraphAudit:
    """Measure a network, and attack it under new numbers by what an intruder of such ``structure`` can do.

    ``structure`` is nothing, degree, neighbours or network, as under [intruder] in a plan. ``seed`` is for what is drawn.
    """
    attacks = attacks_of(structure, [])
    bare = ShuffleNodes().apply(graph, seed=child_seed(seed, "bare"))
    knowledge = knowledge_of(graph, bare.original_nodes(), wrong=wrong, seed=child_seed(seed, "intruder"))
    found = attacked_nodes(
        bare.graph, knowledge, bare.original_nodes(), attacks, seed=child_seed(seed, "attacks"), progress=progress
    )
    return GraphAudit(graph=graph, measures=measure_graph(graph), attacks=found)
