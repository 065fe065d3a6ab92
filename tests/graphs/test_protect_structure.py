"""Protections of structure: automorphisms, deletion within a budget, super-nodes."""

# catalogue: K-01
from __future__ import annotations

from itertools import combinations
from math import comb, log10

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx.algorithms.isomorphism import GraphMatcher
from scipy import stats

from tacit import TacitError
from tacit.graphs import Graph, ShuffleNodes, graph, reidentify_nodes
from tacit.graphs.attack import Degree, Refinement
from tacit.graphs.protect import ChangeEdges, DeleteEdges, KAutomorphism, KDegree, SuperGraph, SuperNodes
from tacit.graphs.protect.super_nodes import super_graph

KARATE = graph(nx.karate_club_graph())
DIRECTED = Graph(size=4, edges=np.array([[0, 1], [1, 2]]), directed=True)


def drawn(size, share, seed):
    return graph(nx.gnp_random_graph(size, share, seed=seed))


def plain(network):
    made = nx.empty_graph(network.size)
    made.add_edges_from(network.edges.tolist())
    return made


def fewest_in_an_orbit(network):
    """The size of the smallest orbit of nodes, over all automorphisms that networkx finds."""
    whole = plain(network)
    images = {node: {node} for node in whole}
    for mapping in GraphMatcher(whole, whole).isomorphisms_iter():
        for node, image in mapping.items():
            images[node].add(image)
    return min(map(len, images.values()))


def fewest_neighbourhoods(network):
    """The size of the smallest class of nodes with isomorphic neighbourhoods."""
    whole = plain(network)
    around = [nx.ego_graph(whole, node, center=False) for node in whole]
    return min(sum(nx.is_isomorphic(one, other) for other in around) for one in around)


@given(st.integers(2, 7), st.floats(0.1, 0.9), st.integers(0, 99), st.data(), st.sampled_from(["both", "add"]))
def test_every_node_has_k_images_under_automorphisms(size, share, seed, data, changes):
    k = data.draw(st.integers(2, size))
    network = drawn(size, share, seed)
    made = KAutomorphism(k=k, changes=changes).apply(network, seed=seed)
    assert fewest_in_an_orbit(made.graph) >= k


@pytest.mark.parametrize(("k", "most"), [(2, 0.35), (5, 1.0)])
def test_the_karate_club_gets_equal_neighbourhoods_at_a_stated_price(k, most):
    made = KAutomorphism(k=k).apply(KARATE, seed=1)
    assert fewest_neighbourhoods(made.graph) >= k > fewest_neighbourhoods(KARATE)
    outcome = {name: one.value for name, one in made.trace[0].outcome.items()}
    assert outcome["added"] + outcome["removed"] <= most * KARATE.links


def test_with_additions_alone_no_edge_is_lost_but_those_of_nodes_that_are_over():
    made = KAutomorphism(k=2, changes="add").apply(KARATE, seed=1)
    assert made.trace[0].outcome["removed"].value == 0
    assert made.graph.links <= 2 * KARATE.links


@pytest.mark.parametrize("known", ["degree", "neighbourhood"])
@pytest.mark.parametrize("budget", [0.1, 0.3])
def test_deletion_near_those_who_stand_out_beats_random_deletion(known, budget):
    def anonymous(network):
        whole = plain(network)
        looks = [(whole.degree(node), nx.triangles(whole, node) if known == "neighbourhood" else 0) for node in whole]
        return sum(looks.count(look) >= 2 for look in looks)

    made = DeleteEdges(k=2, budget=budget, known=known).apply(KARATE, seed=1)
    found = {name: one.value for name, one in made.trace[0].outcome.items()}
    assert found["anonymous"] == anonymous(made.graph) and found["anonymous_before"] == anonymous(KARATE)
    assert found["added"] == 0 and found["removed"] <= found["budget"] == int(budget * KARATE.links)
    lots = [anonymous(ChangeEdges(delete=budget, add=0).apply(KARATE, seed=seed).graph) for seed in range(10)]
    assert found["anonymous"] > max(lots)


@given(st.integers(3, 12), st.floats(0.1, 0.9), st.integers(0, 99))
def test_deletion_never_leaves_fewer_anonymous_nodes(size, share, seed):
    network = drawn(size, share, seed)
    if not network.links:
        return
    made = DeleteEdges(k=2, budget=0.5, known="neighbourhood").apply(network, seed=seed)
    assert made.trace[0].outcome["anonymous"].value >= made.trace[0].outcome["anonymous_before"].value


@given(st.integers(2, 30), st.floats(0, 1), st.integers(0, 99), st.data())
def test_a_graph_from_super_nodes_has_their_numbers(size, share, seed, data):
    k = data.draw(st.integers(2, size))
    network = drawn(size, share, seed)
    made = SuperNodes(k=k).apply(network, seed=seed)
    group = made.evidence["groups"]
    assert np.bincount(group).min() >= k and np.bincount(group).max() <= 2 * k - 1
    told = made.trace[0].outcome["super_graph"].value
    assert super_graph(network, group).as_json() == super_graph(made.graph, group).as_json() == told
    again = SuperGraph.from_json(told).sample(seed=seed)
    assert super_graph(again, np.repeat(np.arange(len(told["sizes"])), told["sizes"])).as_json() == told


def test_large_graphs_are_grouped_block_by_block():
    hubs = graph(nx.barabasi_albert_graph(3000, 3, seed=1))
    made = SuperNodes(k=10).apply(hubs, seed=1)
    assert np.bincount(made.evidence["groups"]).min() >= 10
    assert made.graph.links == hubs.links


def test_graphs_are_drawn_from_super_nodes_equally_often():
    """Chi-square over all graphs with these numbers: error probability 10⁻⁴; a draw that favours some is rejected."""
    told = SuperGraph(np.array([3, 2]), np.array([[0, 0], [0, 1]]), np.array([2, 1]))
    every = {
        (*inside, one)
        for inside in combinations(combinations(range(3), 2), 2)
        for one in [(a, b) for a in range(3) for b in (3, 4)]
    }
    assert told.log10_graph_count() == pytest.approx(log10(len(every))) and len(every) == comb(3, 2) * 6
    tally = dict.fromkeys((tuple(sorted(edges)) for edges in every), 0)
    for seed in range(1800):
        tally[tuple(map(tuple, told.sample(seed=seed).edges.tolist()))] += 1
    assert stats.chisquare(list(tally.values())).pvalue > 1e-4
    favoured = [count * (1.3 if place % 2 else 0.7) for place, count in enumerate(tally.values())]
    favoured = np.array(favoured) * 1800 / sum(favoured)
    assert stats.chisquare(favoured).pvalue < 1e-4


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: KAutomorphism(k=1), "k=1"),
        (lambda: KAutomorphism(k=2, changes="less"), "changes='less'"),
        (lambda: KAutomorphism(k=5).apply(DIRECTED, seed=1), "directed"),
        (lambda: KAutomorphism(k=35).apply(KARATE, seed=1), "34 nodes"),
        (lambda: DeleteEdges(k=2, budget=0, known="degree"), "budget=0"),
        (lambda: DeleteEdges(k=2, budget=0.1, known="all"), "known='all'"),
        (lambda: DeleteEdges(k=2, budget=0.1, known="degree").apply(DIRECTED, seed=1), "directed"),
        (lambda: DeleteEdges(k=2, budget=0.1, known="degree").apply(drawn(5, 0, 1), seed=1), "no edges"),
        (lambda: SuperNodes(k="2"), "k='2'"),
        (lambda: SuperNodes(k=2).apply(DIRECTED, seed=1), "directed"),
        (lambda: SuperNodes(k=2).apply(Graph(size=0, edges=np.zeros((0, 2))), seed=1), "0 nodes"),
    ],
)
def test_what_cannot_be_done_says_why(call, said):
    with pytest.raises(TacitError, match=said):
        call()


@pytest.mark.parametrize(
    ("method", "against"),
    [(KDegree(k=4), Degree()), (KAutomorphism(k=4), Degree()), (KAutomorphism(k=4), Refinement())],
)
def test_the_attack_of_the_same_kind_names_nobody_for_sure(method, against):
    """The intruder has the released graph itself as its picture: nobody's candidates are fewer than k."""
    made = method.apply(KARATE, seed=1)
    mixed = ShuffleNodes().apply(made.graph, seed=2)
    found = reidentify_nodes(mixed, original=made.graph, attack=against, seed=3)
    assert found.value <= 1 / 4 and found.facts["share unique"] == 0
