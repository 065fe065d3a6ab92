"""Who attacks a released network, and who is who: the worst case unless something else is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...claims.truth import Truth
from ...errors import TacitError, check_columns, check_int, format_value
from ...release.masked import checked_lineage
from ...seed import child_seed, make_generator
from ..graph import Graph
from ..knowledge import Knowledge
from ..masked import MaskedGraph

if TYPE_CHECKING:
    from ...seed import Seed


KnownLinks: TypeAlias = float | np.ndarray | Mapping[str, int]
"""People whom the intruder has identified by other means: pairs (original node, released node), a share of the released
people, or how many and of which kind, ``{"hubs": 6}`` (those with most links) or ``{"random": 6}``."""

KINDS = ("hubs", "random")

TRIES = 100


def people_of(masked: MaskedGraph | Graph, original: Graph | Knowledge, lineage: np.ndarray | None) -> np.ndarray:
    """The node of the original (or of the picture) of each released node, −1 for an invented one."""
    size = original.graph.size if isinstance(original, Knowledge) else original.size
    if lineage is None and not isinstance(masked, MaskedGraph):
        raise TacitError(
            "nobody said which released node is which original one",
            code="missing_parameter",
            fix="give the MaskedGraph itself, or lineage=numpy.arange(original.size) when the nodes stand as they stood",
        )
    found = masked.original_nodes() if lineage is None and isinstance(masked, MaskedGraph) else np.asarray(lineage)
    released = masked.graph.size if isinstance(masked, MaskedGraph) else masked.size
    return checked_lineage(found, masked=released, original=size)


def knowledge_of(
    original: Graph,
    people: np.ndarray,
    *,
    targets: np.ndarray | None = None,
    knows: str | Iterable[str] | None = None,
    wrong: float = 0.0,
    seeds: KnownLinks = 0.0,
    seed: int | bytes | None = None,
) -> Knowledge:
    """The worst-case intruder: the whole original is its picture, with all quasi-identifiers of the nodes.

    With ``wrong`` this share of the edges of the picture is replaced by false ones. ``seeds`` are known links: pairs
    (original node, released node), a share of the released people, or ``{"hubs": 6}`` or ``{"random": 6}``, as many people
    with most links or drawn at random; those are not looked for again.
    """
    picture, attributes = original, original.attributes
    if isinstance(wrong, bool) or not isinstance(wrong, int | float) or not 0 <= wrong < 1:
        raise TacitError(
            f"wrong={format_value(wrong)} is no share below 1",
            code="out_of_range",
            parameter="wrong",
            fix="e.g. wrong=0.05 for 5 % wrong edges",
        )
    if wrong:
        picture = imperfect_picture(
            original, dropped=wrong, added=wrong, seed=child_seed(_require_seed(seed), "picture")
        )
    pairs = _known_links(original, people, seeds, seed)
    sought = np.arange(original.size) if targets is None else np.asarray(targets, dtype=np.int64)
    if len(sought) and not 0 <= sought.min() <= sought.max() < original.size:
        raise TacitError(
            "a target is no node of the original", code="wrong_type", fix=f"give numbers from 0 to {original.size - 1}"
        )
    if pairs is not None:
        sought = sought[~np.isin(sought, pairs[:, 0])]
    whole = targets is None and pairs is None
    known = attributes.quasi if knows is None and attributes is not None else check_columns(knows)
    return Knowledge(
        graph=picture,
        targets=None if whole else sought,
        knows=known,
        seeds=pairs,
        wrong=wrong,
    )


def truth_about(knowledge: Knowledge, people: np.ndarray) -> Truth:
    """The truth about the nodes that are looked for."""
    return Truth(released=people, intruder=knowledge.looked_for())


def check_seeds(seeds: object) -> None:
    """Refuse what are no known links; pairs are checked by the attacks."""
    if isinstance(seeds, np.ndarray | list):
        return
    fix = "e.g. seeds = 0.05 for a share, { hubs = 6 } or { random = 6 } for so many people"
    if isinstance(seeds, Mapping):
        if len(seeds) != 1 or next(iter(seeds)) not in KINDS:
            raise TacitError(
                f"seeds={format_value(dict(seeds))} names no kind of people", code="seed", parameter="seeds", fix=fix
            )
        check_int("seeds", next(iter(seeds.values())), least=1)
    elif isinstance(seeds, bool) or not isinstance(seeds, int | float) or not 0 <= seeds < 1:
        raise TacitError(
            f"seeds={format_value(seeds)} is neither pairs nor a share below 1", code="seed", parameter="seeds", fix=fix
        )


def is_drawn(seeds: object, wrong: float = 0.0) -> bool:
    """Whether what the intruder knows is drawn at random, so that another draw may find more."""
    return bool(wrong) or (isinstance(seeds, Mapping) and "random" in seeds) or (isinstance(seeds, float) and seeds > 0)


def pairs_of(nodes: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Nodes of the original, each with its released node; those that are not in the release are left out.

    >>> pairs_of(np.array([0, 1, 2]), np.array([2, 1, 0])).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    there = np.flatnonzero(people >= 0)
    place = dict(zip(people[there].tolist(), there.tolist(), strict=True))
    found = [(node, place[node]) for node in nodes.tolist() if node in place]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _known_links(original: Graph, people: np.ndarray, seeds: KnownLinks, seed: int | bytes | None) -> np.ndarray | None:
    check_seeds(seeds)
    if isinstance(seeds, np.ndarray | list):
        return np.asarray(seeds, dtype=np.int64)
    if not seeds:
        return None
    there = np.flatnonzero(people >= 0)
    if isinstance(seeds, Mapping):
        kind, wanted = next(iter(seeds.items()))
        count = min(len(there), wanted)
    else:
        kind, count = "random", min(len(there), max(1, round(seeds * len(there))))
    if not count:
        return None
    if kind == "hubs":
        # Of equal degrees the first by number: which of them stands first in the file says nothing to the attack.
        chosen = there[np.argsort(-original.degrees()[people[there]], kind="stable")[:count]]
    else:
        chosen = make_generator(child_seed(_require_seed(seed), "seeds")).permutation(there)[:count]
    chosen = np.sort(chosen)
    return np.column_stack([people[chosen], chosen])


def _require_seed(seed: int | bytes | None) -> int | bytes:
    if seed is None:
        raise TacitError("seeds and wrong edges are drawn, and no seed is given", code="seed", fix="e.g. seed=7")
    return seed


def imperfect_picture(graph: Graph, *, dropped: float, added: float, seed: Seed) -> Graph:
    """The graph with a share of its edges unknown and another share of false ones, for studies of imperfect intruders.

    ``dropped`` and ``added`` are shares of the number of edges; the edges left out and the false ones are drawn
    uniformly. Nodes, names and attributes stay. With ``dropped = added = wrong`` it is the picture that ``Knowledge(…,
    wrong=wrong)`` describes. O(m log m).

    >>> ring = Graph(size=10, edges=np.column_stack([np.arange(10), (np.arange(10) + 1) % 10]))
    >>> other = imperfect_picture(ring, dropped=0.2, added=0.1, seed=7)
    >>> other.links, len(set(map(tuple, other.edges.tolist())) & set(map(tuple, ring.edges.tolist())))
    (9, 8)
    """
    for name, share in (("dropped", dropped), ("added", added)):
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise TacitError(
                f"{name}={format_value(share)} is not a share in [0, 1]",
                code="out_of_range",
                parameter=name,
                fix=f"e.g. {name}=0.05",
            )
    rng = make_generator(seed)
    kept = np.sort(rng.permutation(graph.links)[: graph.links - round(dropped * graph.links)])
    false = _sample_non_edges(graph, round(added * graph.links), rng)
    return graph.with_edges(np.concatenate([graph.edges[kept], false]))


def _sample_non_edges(graph: Graph, count: int, rng: np.random.Generator) -> np.ndarray:
    """So many different pairs without an edge, drawn uniformly."""
    pairs = graph.size * (graph.size - 1) // (1 if graph.directed else 2)
    if count > pairs - graph.links:
        raise TacitError(
            "there are not so many pairs without an edge", code="missing_parameter", fix="add fewer false edges"
        )
    taken = graph.edges @ [graph.size, 1]
    found = np.empty(0, dtype=np.int64)
    for _ in range(TRIES):
        if len(found) >= count:
            break
        ends = rng.integers(0, graph.size, (2 * count + 16, 2))
        ends = ends[ends[:, 0] != ends[:, 1]]
        ends = ends if graph.directed else np.sort(ends, axis=1)
        fresh = np.append(found, ends @ [graph.size, 1])
        found = fresh[np.sort(np.unique(fresh, return_index=True)[1])]
        found = found[~np.isin(found, taken)]
    if len(found) < count:  # nearly complete graphs: list what is left
        every = np.setdiff1d(_all_pairs(graph) @ [graph.size, 1], np.append(taken, found))
        found = np.append(found, rng.permutation(every))
    return np.column_stack(np.divmod(found[:count], graph.size))


def _all_pairs(graph: Graph) -> np.ndarray:
    first, second = np.triu_indices(graph.size, 1)
    every = np.column_stack([first, second])
    return np.concatenate([every, every[:, ::-1]]) if graph.directed else every
