"""Where each member of a pattern stands, over all placements; part by part when there are too many."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..graph import Graph
from ..structure.pattern import Pattern
from ..structure.search import Search


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """The chance of each node for each member, the numbers of placements and steps, and what a reader must know."""

    chances: list[dict[int, float]]
    placements: int
    steps: int
    notes: tuple[str, ...] = ()


def find_placements(pattern: Pattern, graph: Graph, *, limit: int) -> Placements:
    """All placements of the pattern, each as likely as any other.

    A search that is cut off has seen many placements of those placed last and one of those placed first, which is no
    knowledge. So after ``limit`` steps the parts that hang together by links are placed each by itself: links and
    non-links within a part still count, the non-links between parts do not. A part that cannot be searched within
    ``limit`` steps either may stand wherever its degrees allow. What is left out can only widen the sets.
    """
    whole = _search_placements(pattern, graph, limit)
    if whole is not None:
        return whole
    chances: list[dict[int, float]] = [{} for _ in range(pattern.size)]
    steps, open_ones = limit, 0
    for part in pattern.connected_parts():
        found = _search_placements(pattern.restrict_to(part), graph, limit)
        steps += limit if found is None else found.steps
        open_ones += len(part) if found is None else 0
        for place, member in enumerate(part):
            nodes = pattern.possible[member].tolist()
            chances[member] = dict.fromkeys(nodes, 1.0 / max(len(nodes), 1)) if found is None else found.chances[place]
    notes = [f"more than {limit:,} steps: the linked parts of the group were placed one by one"]
    notes += [f"{open_ones} members were placed by their degrees alone: give a higher limit"] if open_ones else []
    return Placements(chances, 0, steps, tuple(notes))


def _search_placements(pattern: Pattern, graph: Graph, limit: int) -> Placements | None:
    """The tally of a search; None when it was cut off."""
    search = Search(pattern, graph, limit)
    tallies: list[Counter[int]] = [Counter() for _ in range(pattern.size)]
    total = 0
    for placement in search:
        total += 1
        for tally, node in zip(tallies, placement, strict=True):
            tally[node] += 1
    if not search.complete:
        return None
    return Placements(
        [{node: count / total for node, count in tally.items()} for tally in tallies], total, search.steps
    )


def cutoff_note(search: Search) -> tuple[str, ...]:
    """The note of a search that was not finished."""
    if search.complete:
        return ()
    return (f"the search stopped after {search.steps:,} steps: there may be more placements, give a higher limit",)
