"""Measures of a network by itself, against networkx and plain enumeration. catalogue: K-02"""

from collections import Counter

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from tacit import Release, TacitError
from tacit.graphs import Graph, graph
from tacit.graphs.risk import ALL, attribute_k, k_degree, k_neighbourhood, unique_nodes

from .attack_oracles import around, isomorphic, seen, small_graphs

KARATE, VALJEAN = nx.karate_club_graph(), nx.les_miserables_graph()


@pytest.mark.parametrize("source", [KARATE, VALJEAN], ids=["karate", "les miserables"])
def test_k_degree_and_unique_nodes_are_those_counted_with_networkx(source):
    degrees = dict(source.degree())
    by_degree = Counter(degrees.values())
    around = {node: tuple(sorted(degrees[other] for other in source[node])) for node in source}
    by_neighbours = Counter(around.values())
    found = graph(source)
    assert k_degree(found).value == min(by_degree.values())
    assert k_degree(found).per_record.values().tolist() == [by_degree[degrees[node]] for node in source]
    assert unique_nodes(found, rounds=1).facts["unique nodes"] == sum(one == 1 for one in by_degree.values())
    assert unique_nodes(found, rounds=2).facts["unique nodes"] == sum(one == 1 for one in by_neighbours.values())


def test_the_unique_nodes_of_the_karate_club_are_those_counted_by_hand():
    """Degrees 17, 16, 12, 10, 9 and 1 stand once (nodes 34, 1, 33, 3, 2, 12 of Zachary's list); 11 degrees in all."""
    found = k_degree(graph(KARATE))
    assert found.facts["unique nodes"] == 6 and found.facts["classes"] == 11
    assert np.flatnonzero(found.per_record.values() == 1).tolist() == [0, 1, 2, 11, 32, 33]


@given(small_graphs())
def test_refinement_tells_apart_exactly_what_is_seen_to_differ(graph):
    for rounds in range(4):
        views = [seen(graph, node, rounds) for node in range(graph.size)]
        sizes = unique_nodes(graph, rounds=rounds).per_record.values()
        assert sizes.tolist() == [views.count(one) for one in views]


@given(small_graphs(least=1, most=6))
def test_k_neighbourhood_is_that_of_comparing_all_pairs(graph):
    """Also of directed graphs: links out of a node, into it and both ways are told apart."""
    parts = [around(graph, node) for node in range(graph.size)]
    wanted = [sum(isomorphic(one, other) for other in parts) for one in parts]
    assert k_neighbourhood(graph).per_record.values().tolist() == wanted


def test_neighbourhoods_that_refinement_cannot_tell_apart_are_compared():
    """A hub on a hexagon and a hub on two triangles: every neighbour looks the same, the neighbourhoods do not."""
    hexagon = [(i, (i + 1) % 6) for i in range(6)] + [(6, i) for i in range(6)]
    triangles = [(7, 8), (8, 9), (7, 9), (10, 11), (11, 12), (10, 12)] + [(13, i) for i in range(7, 13)]
    both = Graph(size=14, edges=np.array(hexagon + triangles))
    compared, coloured = k_neighbourhood(both), k_neighbourhood(both, exact_upto=0)
    assert compared.per_record.values()[[6, 13]].tolist() == [1, 1]
    assert coloured.per_record.values()[[6, 13]].tolist() == [2, 2] and not coloured.facts["compared exactly"]


def test_directed_neighbourhoods_that_refinement_cannot_tell_apart_are_compared():
    """A ring of six in one direction and two of three: every neighbour has one link in and one out inside."""
    ring = [(i, (i + 1) % 6) for i in range(6)] + [(6, i) for i in range(6)]
    two = [(7, 8), (8, 9), (9, 7), (10, 11), (11, 12), (12, 10)] + [(13, i) for i in range(7, 13)]
    found = k_neighbourhood(Graph(size=14, edges=np.array(ring + two), directed=True))
    assert found.per_record.values()[[6, 13]].tolist() == [1, 1]
    turned = [(i, j) if i == 6 else (j, i) for i, j in ring]
    moved = [(a + 7, b + 7) for a, b in turned]
    found = k_neighbourhood(Graph(size=14, edges=np.array(ring + moved), directed=True))
    assert found.per_record.values()[[6, 13]].tolist() == [2, 2], "a ring turned round is the same ring"


def test_links_out_and_links_in_are_told_apart():
    chain = Graph(size=3, edges=np.array([[0, 1], [1, 2]]), directed=True)
    assert k_degree(chain).per_record.values().tolist() == [1, 1, 1]
    assert k_degree(Graph(size=3, edges=chain.edges)).per_record.values().tolist() == [2, 1, 2]


def test_attributes_and_links_together_single_out_more_than_either():
    people = Release(pl.DataFrame({"sex": ["f", "m", "m", "m", "f", "f"]}), quasi="sex")
    path = Graph(size=6, edges=np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]), attributes=people)
    found = attribute_k(path, rounds=1)
    assert (found.value, found.facts["by attributes alone"], found.facts["by structure alone"]) == (1, 3, 2)
    assert found.per_record.values().tolist() == [2, 3, 3, 3, 1, 2]
    assert attribute_k(path, rounds=0).value == 3


@given(small_graphs(least=2))
@settings(max_examples=20)
def test_every_measure_gives_a_number_whatever_the_graph_and_the_order_of_nodes(graph):
    people = Release(pl.DataFrame({"sex": ["f", "m", "m"] * 3}).head(graph.size), quasi="sex")
    named = Graph(size=graph.size, edges=graph.edges, directed=graph.directed, attributes=people)
    turned = named.relabel(np.arange(graph.size)[::-1])
    for entry in ALL.values():
        one, other = entry.call(named, **entry.example), entry.call(turned, **entry.example)
        assert one.value == other.value
        assert one.per_record.values().tolist() == other.per_record.values()[::-1].tolist()


@pytest.mark.parametrize("call", [k_degree, k_neighbourhood, unique_nodes, lambda g: attribute_k(g, rounds=1)])
def test_an_empty_graph_and_what_is_no_graph_are_refused(call):
    for wrong in (Graph(size=0, edges=np.empty((0, 2), dtype=np.int64)), "karate"):
        with pytest.raises(TacitError, match="fix:"):
            call(wrong)


def test_attributes_that_nobody_gave_or_named_are_asked_for():
    path = Graph(size=2, edges=np.array([[0, 1]]))
    with pytest.raises(TacitError, match="no node attributes"):
        attribute_k(path, rounds=1)
    people = Release(pl.DataFrame({"sex": ["f", "m"]}))
    with pytest.raises(TacitError, match="which attributes"):
        attribute_k(Graph(size=2, edges=path.edges, attributes=people), rounds=1)
