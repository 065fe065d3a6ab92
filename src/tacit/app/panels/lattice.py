"""The solution space of the search for levels: every generalisation that was looked at, which are safe, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import TacitError
from ...models.k_anonymity import KAnonymity
from ...progress import report_progress, sub_progress
from ...protect import FullDomain
from ...protect.lattice.extent import LatticeSize, lattice_size
from ...protect.lattice.space import Node, Space
from ...release.masked import Masked
from ...report.lattice_chart import has_room_for_labels, lattice_chart
from ...report.svg_links import Link, linked_svg
from ...report.words import count_phrase
from ...result import format_fact
from ..forms import Columns, parse_form
from ..texts import texts

if TYPE_CHECKING:
    from .context import PanelContext


DRAWN = 400
"""Nodes beyond which only the best safe ones are shown: a larger picture tells nothing more."""
WHOLE = 20_000
"""Nodes beyond which those that cannot be the best are passed by: nobody looks at so many."""
SECONDS = 60.0
"""CPU time of a search that cannot go to the end, when nothing else is said."""


def lattice_panel(bench: PanelContext) -> dict[str, Any]:
    """Search, and tell what was found; evaluates every node where that takes no longer than may be taken."""
    report_progress(bench.progress, texts().map.reading, 0.0)
    release, models = bench.original, bench.plan.requirements.of_classes
    if not models:
        raise TacitError(texts().map.no_model, code="bad_request", fix=texts().map.no_model_fix)
    if not release.quasi:
        raise TacitError(texts().map.no_quasi, code="bad_request", fix=texts().map.no_quasi_fix)
    if not str(bench.question.get("suppression", "")).strip():
        raise TacitError(texts().map.ask_suppression, code="bad_request", fix=texts().map.ask_suppression_fix)
    form = {name: [str(text)] for name, text in bench.question.items()}
    asked = parse_form(FullDomain, form, columns=Columns.of(release))
    seconds = float(asked.pop("seconds", SECONDS))
    size = lattice_size(release, lowest=asked.get("lowest"), highest=asked.get("highest"))
    whole = size.nodes <= WHOLE and size.seconds <= seconds / 2
    method = FullDomain(models=models, **asked, exhaustive=whole, seconds=None if whole else seconds)
    masked = method.apply(release, seed=bench.seed, progress=sub_progress(bench.progress, 0.05, 0.9))
    report_progress(bench.progress, texts().map.drawing, 0.95)
    return _lattice_results(bench, method, masked, size) | {"models": [type(model).__name__ for model in models]}


def node_id(levels: Sequence[int]) -> str:
    """A node by its levels, as it stands in an address."""
    return "-".join(map(str, levels))


def _lattice_results(bench: PanelContext, method: FullDomain, masked: Masked, size: LatticeSize) -> dict[str, Any]:
    evidence = masked.evidence
    levels = {column: int(level) for column, level in masked.trace[-1].outcome["levels"].value.items()}
    space: Space | None = evidence.get("space")
    if space is None:  # what is required held before anything was searched
        drawn, looked_at, safe = [Node(levels, 0.0, 0, True)], 1, 1
    else:
        drawn, looked_at = _evaluated_nodes(space, evidence), len(space)
        safe = int(space.admissible.sum()) - evidence["passed_over"]
    best = next((place for place, node in enumerate(drawn) if node.levels == levels), None)
    order = [drawn.index(node) for node in _best_nodes(drawn)[:10]]
    return {
        "columns": list(levels),
        "groups": {column: list(counts) for column, counts in size.groups.items()},
        "climbing": list(size.climbing),
        "nodes": [_node_values(node) for node in drawn],
        "best": best,
        "ranked": order,
        "records": bench.original.size,
        "of": size.nodes,
        "looked_at": looked_at,
        "safe": safe,
        "whole": method.exhaustive,
        "suppression": method.suppression,
        "objective": method.objective,
        "k": next((int(one.k) for one in method.models if isinstance(one, KAnonymity)), None),
        **{name: _finite_or_none(evidence.get(name)) for name in ("score", "bound", "gap", "checked", "passed_over")},
        "proven": bool(evidence["proven"]),
        "labelled": has_room_for_labels(drawn),
        "svg": _lattice_svg(drawn, best, method.objective),
    }


def _evaluated_nodes(space: Space, evidence: Mapping[str, Any]) -> list[Node]:
    """The nodes, or the best safe ones of very many; what is cheaper than the answer was measured again and missed a model."""
    passed, score = evidence["passed_over"], evidence["score"]
    nodes = list(space) if len(space) <= DRAWN else space.best(DRAWN + passed)
    missed = [passed and node.admissible and node.score < score - 1e-12 for node in nodes]
    found = [
        Node(node.levels, node.score, node.suppressed, False) if wrong else node
        for node, wrong in zip(nodes, missed, strict=True)
    ]
    return found if len(space) <= DRAWN else [node for node in found if node.admissible][:DRAWN]


def _best_nodes(nodes: Sequence[Node]) -> list[Node]:
    """The safe nodes, the cheapest first; of equal ones those with lower levels."""
    safe = [node for node in nodes if node.admissible]
    return sorted(safe, key=lambda node: (node.score, *node.levels.values()))


def _node_values(node: Node) -> dict[str, Any]:
    return {
        "id": node_id(list(node.levels.values())),
        "levels": node.levels,
        "score": _finite_or_none(node.score),
        "suppressed": node.suppressed,
        "safe": node.admissible,
    }


def _finite_or_none(value: Any) -> Any:
    return value if value is None or math.isfinite(value) else None


def _lattice_svg(nodes: Sequence[Node], best: int | None, objective: str) -> str:
    say = texts().map
    links = {}
    for place, node in enumerate(nodes):
        levels = ", ".join(f"{column} {level}" for column, level in node.levels.items())
        gone = f"{format_fact(node.suppressed)} {say.left_out}"
        cost = f", {say.objectives.get(objective)} {format_fact(node.score)}" if math.isfinite(node.score) else ""
        mark = say.best if place == best else say.safe if node.admissible else say.unsafe
        address = f"?node={node_id(list(node.levels.values()))}"
        links[place] = Link(address, f"{levels}: {mark}, {gone}{cost}")
    label = f"{say.lattice_title}: {count_phrase(len(nodes), 'node')}"
    return linked_svg(lattice_chart(nodes, best=best), label=label, links=links)


def found_node(found: Mapping[str, Any], wanted: str) -> Mapping[str, Any]:
    """The node of an id among those that were found."""
    node = next((one for one in found["nodes"] if one["id"] == wanted), None)
    if node is None:
        raise TacitError(
            "this generalisation is not among those found", code="wrong_type", fix="choose one from the picture"
        )
    return dict(node)
