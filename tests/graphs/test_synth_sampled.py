"""The sampler of graphs with given degrees: its chain exactly, its draws by chi-square, and a chain that is biased."""

# catalogue: K-01

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.stats import chisquare

from tacit import TacitError
from tacit.graphs.graph import Graph
from tacit.graphs.synth import DegreeSequence, Poisson, PowerLaw, randomise_edges, sample_edges, with_degrees_of
from tacit.graphs.synth.graphical import some_graph
from tacit.graphs.synth.random_graph import LEAST_STEPS
from tacit.kernels.edge_set import edge_set
from tacit.kernels.switches import switch_edges
from tacit.seed import make_generator

SEQUENCES = ((3, 3, 2, 2, 2, 2), (4, 3, 2, 2, 2, 1))
DRAWS = 10_000
ALPHA = 1e-4
"""The chance that a right sampler fails one of the chi-square tests."""


def written(edges: np.ndarray) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(map(tuple, np.sort(edges, axis=1).tolist())))


@cache
def graphs_of(degrees: tuple[int, ...]) -> dict[tuple[tuple[int, int], ...], int]:
    """All simple graphs with these degrees, numbered."""
    pairs = combinations(range(len(degrees)), 2)
    every = combinations(pairs, sum(degrees) // 2)
    found = [one for one in every if np.bincount(np.ravel(one), minlength=len(degrees)).tolist() == list(degrees)]
    return {one: number for number, one in enumerate(found)}


@cache
def steps_of(degrees: tuple[int, ...]) -> np.ndarray:
    """The chance of going from each graph to each other in one step: every pair of stubs tried on every graph."""
    numbered, size = graphs_of(degrees), len(degrees)
    stubs = np.array(list(product(range(sum(degrees)), repeat=2)))
    chances = np.zeros((len(numbered), len(numbered)))
    for graph, number in numbered.items():
        for pair in stubs:
            edges = np.array(graph)
            switch_edges(edges, edge_set(edges, size), size, pair[None])
            chances[number, numbered[written(edges)]] += 1 / len(stubs)
    return chances


def p_uniform(numbers: np.ndarray, count: int) -> float:
    return float(chisquare(np.bincount(numbers, minlength=count)).pvalue)


@pytest.mark.parametrize(("degrees", "count"), [(SEQUENCES[0], 54), (SEQUENCES[1], 13)])
def test_the_law_at_rest_is_uniform_over_all_graphs_and_reached_in_the_steps_taken(degrees, count):
    chances = steps_of(degrees)
    assert chances.shape == (count, count)
    np.testing.assert_allclose(chances, chances.T, atol=1e-12)  # symmetric, so uniform is at rest
    assert connected_components(chances > 0)[0] == 1
    assert (np.diag(chances) > 0).all()  # no period
    first = np.zeros(count)
    first[graphs_of(degrees)[written(some_graph(np.array(degrees)))]] = 1
    after = first @ np.linalg.matrix_power(chances, LEAST_STEPS)
    assert np.abs(after - 1 / count).sum() / 2 < 1e-10


@pytest.mark.parametrize("degrees", SEQUENCES)
def test_every_graph_with_the_degrees_is_drawn_equally_often(degrees):
    rng, numbered = make_generator(7), graphs_of(degrees)
    drawn = [numbered[written(sample_edges(np.array(degrees), seed=rng))] for _ in range(DRAWS)]
    assert p_uniform(np.array(drawn), len(numbered)) > ALPHA


@pytest.mark.parametrize("degrees", SEQUENCES)
def test_a_chain_that_draws_again_instead_of_standing_still_is_rejected(degrees):
    """It favours graphs with many legal switches; 10,000 chains of 200 steps each, by the kernel's own moves."""
    moves = steps_of(degrees).copy()
    np.fill_diagonal(moves, 0)
    upto = np.cumsum(moves / moves.sum(axis=1, keepdims=True), axis=1)
    upto[:, -1] = 1.0
    rng, at = make_generator(7), np.zeros(DRAWS, dtype=np.int64)
    for _ in range(200):
        at = (upto[at] < rng.random(DRAWS)[:, None]).sum(axis=1)
    assert p_uniform(at, len(moves)) < 1e-6


def test_switches_keep_degrees_and_leave_the_input_as_it_was():
    graph = nx.barabasi_albert_graph(2_000, 3, seed=1)
    edges = np.array(graph.edges)
    before = edges.copy()
    mixed, changed = randomise_edges(edges, 2_000, seed=7, steps_per_edge=10)
    again, _ = randomise_edges(edges, 2_000, seed=7, steps_per_edge=10)
    assert (edges == before).all() and (mixed == again).all()
    assert (np.bincount(mixed.ravel()) == np.bincount(edges.ravel())).all()
    assert Graph(size=2_000, edges=mixed).links == len(edges)  # which refuses loops and doubles
    assert 0.8 * 10 * len(edges) < changed <= 10 * len(edges)
    shared = set(map(tuple, np.sort(edges, axis=1).tolist())) & set(map(tuple, mixed.tolist()))
    assert len(shared) < 0.05 * len(edges)


def test_a_network_like_another_has_its_degrees_and_nobody_of_it():
    original = Graph(size=34, edges=np.array(nx.karate_club_graph().edges))
    made = with_degrees_of(original).generate(seed=7)
    assert made.graph.degrees().tolist() == sorted(original.degrees().tolist(), reverse=True)
    assert (made.original_nodes() == -1).all() and made.graph.names is None and made.graph.attributes is None
    step = made.trace[0].as_json(public=True)
    assert step["outcome"]["captured"] == "degrees, exactly" and "clustering" in step["outcome"]["not promised"]
    assert DegreeSequence(**step["parameters"]) == with_degrees_of(original)


@pytest.mark.parametrize("degrees", [Poisson(nodes=500, mean=3.0), PowerLaw(nodes=500, exponent=2.5, least=1, most=60)])
def test_degrees_drawn_from_a_model_make_a_graph(degrees):
    one, same, other = (DegreeSequence(degrees=degrees).generate(seed=seed).graph for seed in (7, 7, 8))
    assert one.size == 500 and (one.edges == same.edges).all() and one.edges.shape != other.edges.shape


def test_what_makes_no_network_is_refused():
    with pytest.raises(TacitError, match="Erdős–Gallai, k=2"):
        DegreeSequence(degrees=(3, 3, 1, 1))
    with pytest.raises(TacitError, match="directed"):
        with_degrees_of(Graph(size=2, edges=np.array([[0, 1]]), directed=True))
    with pytest.raises(TacitError, match="no model 'poison'\n  fix: did you mean 'poisson'"):
        DegreeSequence(degrees={"model": "poison", "nodes": 5, "mean": 1.0})
    with pytest.raises(TacitError, match="steps_per_edge=0"):
        DegreeSequence(degrees=(1, 1), steps_per_edge=0)
    with pytest.raises(TacitError, match="gave none that a simple graph has"):
        DegreeSequence(degrees=PowerLaw(nodes=3, exponent=1.0, least=5, most=6)).generate(seed=7)


def test_a_network_has_at_least_one_node():
    with pytest.raises(TacitError, match="at least one node"):
        DegreeSequence(degrees=())


def test_one_node_and_one_edge_are_networks_too():
    for degrees in ((0,), (1, 1)):
        assert DegreeSequence(degrees=degrees).generate(seed=7).graph.degrees().tolist() == list(degrees)
