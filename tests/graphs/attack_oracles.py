"""Slow ways to the same answers: plain Python over all candidates and all placements."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import strategies as st

from tacit.graphs import Graph


@st.composite
def small_graphs(draw, least=2, most=7, directed=None):
    """Any simple graph of a few nodes."""
    size = draw(st.integers(least, most))
    way = draw(st.booleans()) if directed is None else directed
    pairs = [(i, j) for i in range(size) for j in range(size) if (i != j if way else i < j)]
    kept = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(size=size, edges=np.array(kept, dtype=np.int64).reshape(-1, 2), directed=way)


@st.composite
def relabelled(draw, **options):
    """A graph, the same with its nodes in another order, and that order."""
    graph = draw(small_graphs(**options))
    order = np.array(draw(st.permutations(range(graph.size))))
    return graph, graph.relabel(order), order


def links(graph):
    """Every ordered pair that is linked."""
    found = {(int(i), int(j)) for i, j in graph.edges}
    return found if graph.directed else found | {(j, i) for i, j in found}


def ways(graph):
    """How many links each node has, of a directed graph out and in."""
    out, into = ([sum(pair[way] == node for pair in links(graph)) for node in range(graph.size)] for way in (0, 1))
    return np.array([out, into] if graph.directed else [out]).T


def seen(graph, node, rounds):
    """What refinement shows of a node, written out as nested tuples."""
    if rounds == 0:
        return ()
    pairs = links(graph)
    out = sorted(seen(graph, other, rounds - 1) for other in range(graph.size) if (node, other) in pairs)
    into = sorted(seen(graph, other, rounds - 1) for other in range(graph.size) if (other, node) in pairs)
    return (seen(graph, node, rounds - 1), tuple(out), tuple(into))


def group_chances(released, picture, members, *, wrong=0):
    """For each member the share of all placements at each node, by trying every one."""
    theirs, mine = links(released), links(picture)
    pairs = [
        (i, j) for i in range(len(members)) for j in range(len(members)) if (i != j if picture.directed else i < j)
    ]
    fitting = [
        at
        for at in permutations(range(released.size), len(members))
        if sum(((members[i], members[j]) in mine) != ((at[i], at[j]) in theirs) for i, j in pairs) <= wrong
    ]
    found = np.zeros((len(members), released.size))
    for at in fitting:
        found[np.arange(len(members)), list(at)] += 1
    return found / max(len(fitting), 1)


def coalition_chances(released, picture, members, wrong):
    """For every node of the picture its chances by all placements of the coalition, and of those linked alike with it."""
    theirs, mine = links(released), links(picture)
    near, own = ways(released), ways(picture)
    pairs = [(i, j) for i in range(len(members)) for j in range(len(members)) if i != j]
    inside = sum((members[i], members[j]) in mine for i, j in pairs) / (1 if picture.directed else 2)
    spare = np.ceil(wrong * inside - 1e-9) * (1 if picture.directed else 2)
    reach = np.ceil(wrong * own - 1e-9)
    found, total = np.zeros((picture.size, released.size)), 0
    for at in permutations(range(released.size), len(members)):
        off = sum(((members[i], members[j]) in mine) != ((at[i], at[j]) in theirs) for i, j in pairs)
        close = all((abs(near[node] - own[one]) <= reach[one]).all() for one, node in zip(members, at, strict=True))
        if off > spare or not close:
            continue
        total += 1
        seen_by = {node: _links_with(theirs, node, at) for node in range(released.size) if node not in at}
        for target in range(picture.size):
            if target in members:
                found[target, at[members.index(target)]] += 1
                continue
            wanted = _links_with(mine, target, members)
            most = np.ceil(wrong * sum(wanted) / (1 if picture.directed else 2) - 1e-9)
            apart = {node: sum(a != b for a, b in zip(wanted, one, strict=True)) for node, one in seen_by.items()}
            scale = 1 if picture.directed else 2
            fits = [node for node, one in seen_by.items() if any(one) and any(wanted) and apart[node] <= most * scale]
            for node in fits:
                found[target, node] += 1 / len(fits)
    return found / max(total, 1)


def _links_with(pairs, node, members):
    """Whether a node is linked with each of the members, from it and to it."""
    return [(node, one) in pairs for one in members] + [(one, node) in pairs for one in members]


def around(graph, node):
    """The neighbours of a node, how each is linked with it (out, in), and the links among them."""
    pairs = links(graph)
    near = [other for other in range(graph.size) if (node, other) in pairs or (other, node) in pairs]
    ways = [((node, other) in pairs, (other, node) in pairs) for other in near]
    inside = {(i, j) for i, one in enumerate(near) for j, other in enumerate(near) if (one, other) in pairs}
    return ways, inside


def isomorphic(one, other):
    """Whether two neighbourhoods are the same but for the order of their nodes, by all orders."""
    (mine, linked), (theirs, wanted) = one, other
    return len(mine) == len(theirs) and any(
        all(mine[i] == theirs[at[i]] for i in range(len(mine))) and {(at[i], at[j]) for i, j in linked} == wanted
        for at in permutations(range(len(mine)))
    )


def chances(claims):
    """The chance of every released node for every target, as a table."""
    found = np.zeros((claims.intruder_size, claims.release_size))
    for target, claim in enumerate(claims.claim_of):
        named = range(claims.start[claim], claims.start[claim + 1])
        for place in named:
            found[target, claims.group_of == claims.candidates[place]] += claims.chances()[place]
    return found


def alike(matrix_of_truths):
    """Equal chances over the nodes that fit, none where nobody does."""
    fits = np.asarray(matrix_of_truths, dtype=float)
    return fits / np.maximum(fits.sum(axis=1, keepdims=True), 1)
