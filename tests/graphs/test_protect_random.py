"""Random changes of edges: additions, deletions, switches, and switches that keep the spectrum."""

# catalogue: K-01
from __future__ import annotations

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tacit import TacitError
from tacit.graphs import Graph, graph
from tacit.graphs.protect import ChangeEdges, SpectralSwitch, SwitchEdges
from tacit.graphs.protect.spectral_switch import extreme_eigenpair

KARATE = graph(nx.karate_club_graph())
EMPTY = Graph(size=5, edges=np.zeros((0, 2)))


def pairs_of(one):
    return {tuple(edge) for edge in one.edges.tolist()}


def random_graph(size, share, seed, directed=False):
    rng = np.random.default_rng(seed)
    every = list(permutations(range(size), 2) if directed else combinations(range(size), 2))
    edges = [pair for pair in every if rng.random() < share] or every[:1]
    return Graph(size=size, edges=np.array(edges), directed=directed)


@given(st.integers(3, 12), st.floats(0, 1), st.integers(0, 99), st.booleans(), st.floats(0, 1))
def test_as_many_edges_go_and_come_as_was_asked(size, density, seed, directed, delete):
    network = random_graph(size, density, seed, directed)
    free = size * (size - 1) // (1 if directed else 2) - network.links
    add = min(1.0, free / network.links)
    if round(delete * network.links) + round(add * network.links) == 0:
        return
    made = ChangeEdges(delete=delete, add=add).apply(network, seed=seed).graph
    old, new = pairs_of(network), pairs_of(made)
    assert len(old - new) == round(delete * network.links)
    assert len(new - old) == round(add * network.links)


def chances(network, runs, law):
    """p-values of the chi-square test that the pairs, edges and others, change equally often within their kind."""
    every = list(combinations(range(network.size), 2))
    old, tally = pairs_of(network), dict.fromkeys(every, 0)
    for seed in range(runs):
        for pair in pairs_of(law(seed)) ^ old:
            tally[pair] += 1
    gone = [count for pair, count in tally.items() if pair in old]
    came = [count for pair, count in tally.items() if pair not in old]
    return [stats.chisquare(counts).pvalue for counts in (gone, came) if sum(counts)]


@pytest.mark.parametrize("density", [0.3, 0.6])
def test_every_edge_goes_and_every_other_comes_equally_often(density):
    """Error probability 2·10⁻⁴ for a right law; both ways of drawing free pairs, sparse and dense."""
    network = random_graph(7, density, 1)
    made = ChangeEdges(delete=0.3, add=0.2)
    found = chances(network, 600, lambda seed: made.apply(network, seed=seed).graph)
    assert min(found) > 1e-4


def test_a_law_that_favours_some_edges_is_noticed():
    """The test above rejects a variant that takes the first edges 30 % more often."""
    network = random_graph(7, 0.3, 1)

    def favoured(seed):
        rng = np.random.default_rng(seed)
        weight = np.where(np.arange(network.links) < network.links // 2, 1.3, 0.7)
        lost = rng.choice(network.links, 2, replace=False, p=weight / weight.sum())
        return network.with_edges(np.delete(network.edges, lost, axis=0))

    assert chances(network, 1500, favoured)[0] < 1e-4


@given(st.integers(4, 12), st.floats(0.1, 0.7), st.integers(0, 99), st.booleans())
def test_switches_keep_every_degree(size, density, seed, directed):
    network = random_graph(size, density, seed, directed)
    try:
        made = SwitchEdges(share=0.5).apply(network, seed=seed).graph
    except TacitError as error:  # stars and the like have no switch
        assert "switch" in str(error)
        return
    for end in (0, 1) if directed else (slice(None),):
        before, after = (np.bincount(one.edges[:, end].ravel(), minlength=size) for one in (network, made))
        assert (before == after).all()


@pytest.mark.parametrize("keeps", ["adjacency", "laplacian"])
def test_the_spectrum_stays_within_the_band_and_would_not_by_itself(keeps):
    network = graph(nx.barbell_graph(12, 40) if keeps == "adjacency" else nx.connected_caveman_graph(8, 8))
    made = SpectralSwitch(share=0.2, band=0.02, keeps=keeps).apply(network, seed=3)
    assert made.trace[0].outcome["drift"].value <= 0.02
    assert (made.graph.degrees() == network.degrees()).all()

    def value(one):
        plain = nx.Graph(one.edges.tolist())
        return max(nx.adjacency_spectrum(plain).real) if keeps == "adjacency" else nx.laplacian_spectrum(plain)[1]

    free = SwitchEdges(share=0.2).apply(network, seed=3).graph
    assert value(made.graph) == pytest.approx(value(network), rel=0.02)
    assert value(free) != pytest.approx(value(network), rel=0.02)


@pytest.mark.parametrize(
    ("size", "keeps"), [(30, "adjacency"), (30, "laplacian"), (90, "adjacency"), (90, "laplacian")]
)
def test_eigenvalues_are_those_of_networkx(size, keeps):
    plain = nx.barabasi_albert_graph(size, 3, seed=2)
    found, vector = extreme_eigenpair(graph(plain), keeps)
    every = nx.adjacency_spectrum(plain).real if keeps == "adjacency" else nx.laplacian_spectrum(plain)
    assert found == pytest.approx(np.sort(every)[-1 if keeps == "adjacency" else 1])
    assert np.linalg.norm(vector) == pytest.approx(1)


@pytest.mark.parametrize("method", [ChangeEdges(delete=0.2, add=0.1), SwitchEdges(share=0.3)])
def test_the_same_seed_gives_the_same_edges_and_another_seed_others(method):
    first, again, other = (method.apply(KARATE, seed=seed).graph for seed in (1, 1, 2))
    assert pairs_of(first) == pairs_of(again) != pairs_of(other)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ChangeEdges(delete=1.2, add=0), "delete=1.2"),
        (lambda: ChangeEdges(delete=0, add=-0.1), "add=-0.1"),
        (lambda: ChangeEdges(delete=0, add=0), "change nothing"),
        (lambda: ChangeEdges(delete=True, add=0.1), "delete=True"),
        (lambda: SwitchEdges(share=0), "share=0"),
        (lambda: SwitchEdges(share="all"), "share='all'"),
        (lambda: SpectralSwitch(share=0.1, band=0), "band=0"),
        (lambda: SpectralSwitch(share=0.1, band=0.1, keeps="all"), "keeps='all'"),
        (lambda: ChangeEdges(delete=0.1, add=0.1).apply(EMPTY, seed=1), "no edges"),
        (lambda: SwitchEdges(share=0.1).apply(EMPTY, seed=1), "no edges"),
        (lambda: ChangeEdges(delete=0, add=0.9).apply(graph(nx.complete_graph(4)), seed=1), "only 0 pairs"),
        (lambda: SwitchEdges(share=0.9).apply(graph(nx.star_graph(9)), seed=1), "only 0 of 4"),
        (lambda: SwitchEdges(share=0.01).apply(graph(nx.path_graph(5)), seed=1), "less than one switch"),
        (lambda: SpectralSwitch(share=0.1, band=0.1).apply(random_graph(6, 0.5, 1, True), seed=1), "directed"),
        (
            lambda: SpectralSwitch(share=0.5, band=0.1, keeps="laplacian").apply(
                graph(nx.disjoint_union(nx.path_graph(5), nx.path_graph(5))), seed=1
            ),
            "not connected",
        ),
    ],
)
def test_what_cannot_be_done_says_why(call, said):
    with pytest.raises(TacitError, match=said):
        call()


def test_switches_that_leave_the_band_are_not_kept(monkeypatch):
    """The changes to first order only propose: the eigenvalue of what they led to decides, here that of a ring."""
    ring = np.array([(i, (i + 1) % 34) for i in range(34)])
    monkeypatch.setattr(SpectralSwitch, "_switch_within_band", lambda *_: (ring, 1))
    with pytest.raises(TacitError, match="switch"):
        SpectralSwitch(share=0.1, band=0.02).apply(KARATE, seed=1)
