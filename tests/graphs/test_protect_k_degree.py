"""k-degree anonymity: the optimal sequence, the edges that realise it, and what it costs."""

# catalogue: K-01
from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.graphs import Graph, graph
from tacit.graphs.protect import KDegree
from tacit.graphs.protect.k_degree import anonymous_degrees, wanted_degrees


@st.composite
def small_graphs(draw, least=2, most=11):
    size = draw(st.integers(least, most))
    pairs = list(combinations(range(size), 2))
    chosen = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    edges = [pair for pair, there in zip(pairs, chosen, strict=True) if there]
    return Graph(size=size, edges=np.array(edges, dtype=np.int64).reshape(-1, 2))


def fewest_alike(released):
    """The size of the smallest class of equal degrees, counted by networkx."""
    degrees = [degree for _, degree in nx.Graph([*released.edges.tolist()]).degree()]
    degrees += [0] * (released.size - len(degrees))
    return min(degrees.count(one) for one in degrees)


def nearest_by_trying_all(degrees, k, both):
    """The least distance over every way to cut the sorted degrees into classes of k or more."""
    down = sorted(degrees, reverse=True)
    if not down:
        return 0
    best = float("inf")
    for size in range(k, len(down) + 1):
        part, rest = down[:size], down[size:]
        if rest and len(rest) < k:
            continue
        values = part if both else part[:1]
        cost = min(sum(abs(value - one) for one in part) for value in values)
        best = min(best, cost + nearest_by_trying_all(rest, k, both))
    return best


@pytest.mark.parametrize(
    ("name", "k", "added", "both"),
    [
        ("karate_club", 2, 7, 5),
        ("karate_club", 3, 15, 11),
        ("karate_club", 4, 25, 17),
        ("karate_club", 5, 25, 17),
        ("les_miserables", 2, 19, 18),
        ("les_miserables", 5, 86, 37),
        ("les_miserables", 10, 225, 64),
    ],
)
def test_the_optimal_distance_of_known_graphs(name, k, added, both):
    degrees = np.array([degree for _, degree in getattr(nx, f"{name}_graph")().degree()])
    assert anonymous_degrees(degrees, k, both=False)[1] == added
    assert anonymous_degrees(degrees, k, both=True)[1] == both


@given(st.lists(st.integers(0, 9), min_size=2, max_size=9), st.data(), st.booleans())
def test_the_sequence_is_the_nearest_one(degrees, data, both):
    k = data.draw(st.integers(2, len(degrees)))
    found, cost = anonymous_degrees(np.array(degrees), k, both=both)
    assert cost == np.abs(found - degrees).sum() == nearest_by_trying_all(degrees, k, both)
    assert min(np.unique(found, return_counts=True)[1]) >= k
    assert both or (found >= degrees).all()


@given(small_graphs(), st.data())
def test_wanted_degrees_are_those_of_a_graph(network, data):
    k = data.draw(st.integers(2, network.size))
    wanted = wanted_degrees(network.degrees(), k)
    assert nx.is_graphical(wanted.tolist())
    assert min(np.unique(wanted, return_counts=True)[1]) >= k


@given(small_graphs(), st.data(), st.sampled_from(["both", "add"]))
def test_every_degree_is_shared_whatever_the_graph(network, data, changes):
    k = data.draw(st.integers(2, network.size))
    before = network.edges.copy()
    made = KDegree(k=k, changes=changes).apply(network, seed=7)
    assert fewest_alike(made.graph) >= k
    assert (network.edges == before).all()
    old, new = ({tuple(edge) for edge in one.edges.tolist()} for one in (network, made.graph))
    outcome = {name: one.value for name, one in made.trace[0].outcome.items()}
    assert (outcome["added"], outcome["removed"]) == (len(new - old), len(old - new))
    assert outcome["bound"] <= outcome["changed"] == len(new ^ old)
    assert changes == "both" or old <= new


@pytest.mark.parametrize("k", [2, 5, 10])
def test_les_miserables_stays_near_the_bound_and_keeps_its_triangles(k):
    characters = nx.les_miserables_graph()
    made = KDegree(k=k).apply(graph(characters), seed=1)
    assert made.trace[0].outcome["ratio"].value <= 2
    after = nx.Graph(made.graph.edges.tolist())
    assert nx.transitivity(after) == pytest.approx(nx.transitivity(characters), rel=0.1)


def test_a_scale_free_graph_needs_half_the_changes_of_the_public_tool():
    hubs = nx.barabasi_albert_graph(1000, 3, seed=1)
    made = KDegree(k=5).apply(graph(hubs), seed=1)
    assert fewest_alike(made.graph) >= 5
    assert made.trace[0].outcome["changed"].value <= 197 / 2
    assert made.trace[0].outcome["bound"].value == 44


def test_the_same_seed_gives_the_same_graph_and_the_parameters_are_told():
    karate = graph(nx.karate_club_graph())
    first, again = (KDegree(k=4).apply(karate, seed=3) for _ in range(2))
    assert (first.graph.edges == again.graph.edges).all()
    assert first.trace[0].as_json(public=True)["parameters"] == {"k": 4, "changes": "both"}


@pytest.mark.parametrize("degrees", [(2, 1, 1, 0), (3, 2, 2, 1), (4, 1, 1, 1, 1), (4, 3, 3, 3, 1, 0)])
def test_a_nearest_sequence_that_no_graph_has_is_mended(degrees):
    """The nearest 2-anonymous sequences of these, with an even sum, break Erdős and Gallai's condition."""
    found = wanted_degrees(np.array(degrees), 2)
    assert nx.is_graphical(found.tolist())
    assert np.unique(found, return_counts=True)[1].min() >= 2


def test_isolated_nodes_and_graphs_without_edges_are_anonymous_already():
    made = KDegree(k=3).apply(Graph(size=5, edges=np.zeros((0, 2))), seed=1)
    assert made.graph.links == 0 and made.trace[0].outcome["ratio"].value == 1


@pytest.mark.parametrize("k", [0, 1, -3, 2.5, "3", True, None])
def test_a_k_that_hides_nobody_is_refused(k):
    with pytest.raises(TacitError, match="k="):
        KDegree(k=k)


def test_what_cannot_be_done_says_why():
    with pytest.raises(TacitError, match="3 nodes cannot be made alike 4"):
        KDegree(k=4).apply(Graph(size=3, edges=np.array([[0, 1]])), seed=1)
    with pytest.raises(TacitError, match="directed"):
        KDegree(k=2).apply(Graph(size=3, edges=np.array([[0, 1]]), directed=True), seed=1)
    with pytest.raises(TacitError, match="changes"):
        KDegree(k=2, changes="delete")
    with pytest.raises(TacitError, match="nodes"):
        KDegree(k=2).apply(Graph(size=0, edges=np.zeros((0, 2))), seed=1)


def test_both_kinds_of_change_take_no_more_edges_than_additions_alone():
    six = Graph(size=6, edges=np.array([[0, 3], [0, 4], [1, 2], [1, 4], [1, 5], [3, 4]]))
    rng, graphs = np.random.default_rng(5), [six]
    for size in range(6, 26):
        edges = np.argwhere(np.triu(rng.random((size, size)) < 0.1 + 0.4 * rng.random(), 1))
        graphs += [Graph(size=size, edges=edges)]
    for seed, network in enumerate(graphs):
        both, add = (
            KDegree(k=3, changes=changes).apply(network, seed=seed).trace[0].outcome["changed"].value
            for changes in ("both", "add")
        )
        assert both <= add
        assert network is not six or both == 3
