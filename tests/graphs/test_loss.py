"""What a network loses, against networkx, SciPy and scikit-learn. catalogue: K-04"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from sklearn.metrics import normalized_mutual_info_score

from tacit import TacitError
from tacit.graphs import Graph, ShuffleNodes, graph, loss
from tacit.graphs.loss.assortativity import degree_correlation
from tacit.graphs.loss.communities import shared_information
from tacit.graphs.loss.degrees import largest_gap
from tacit.graphs.loss.paths import distance_counts
from tacit.graphs.loss.spectrum import adjacency_values, laplacian_values
from tacit.graphs.loss.triangles import local_clustering, transitivity, triangles_per_node

KNOWN = {
    "karate": nx.karate_club_graph(),
    "miserables": nx.convert_node_labels_to_integers(nx.les_miserables_graph()),
    "random": nx.gnp_random_graph(120, 0.06, seed=1),
    "scale-free": nx.barabasi_albert_graph(150, 3, seed=2),
    "directed": nx.gnp_random_graph(80, 0.05, seed=3, directed=True),
    "parts": nx.disjoint_union(nx.complete_graph(6), nx.path_graph(9)),
    "star": nx.star_graph(12),
}
WORLDS = pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)


@WORLDS
def test_triangles_and_clustering_are_those_of_networkx(known):
    flat = known.to_undirected()
    found = graph(known)
    assert triangles_per_node(found).tolist() == list(nx.triangles(flat).values())
    assert transitivity(found) == pytest.approx(nx.transitivity(flat))
    assert local_clustering(found).mean() == pytest.approx(nx.average_clustering(flat))


def test_triangles_are_the_same_in_small_portions(monkeypatch):
    known = graph(KNOWN["miserables"])
    whole = triangles_per_node(known)
    monkeypatch.setattr("tacit.graphs.loss.triangles.AT_ONCE", 7)
    assert triangles_per_node(known).tolist() == whole.tolist()


@WORLDS
def test_distances_are_those_of_networkx(known):
    found = distance_counts(graph(known), np.arange(len(known)))
    for node, row in enumerate(found):
        lengths = [
            length for other, length in nx.single_source_shortest_path_length(known, node).items() if other != node
        ]
        assert row.tolist() == np.bincount(lengths, minlength=len(row))[: len(row)].tolist()


@WORLDS
def test_assortativity_is_that_of_networkx(known):
    expected = nx.degree_assortativity_coefficient(known)
    assert degree_correlation(graph(known)) == pytest.approx(0.0 if np.isnan(expected) else expected)


@WORLDS
def test_the_largest_eigenvalues_are_those_of_the_dense_matrix(known):
    flat = known.to_undirected()
    for mine, matrix in (
        (adjacency_values, nx.to_numpy_array(flat, weight=None)),
        (laplacian_values, nx.laplacian_matrix(flat, weight=None).toarray()),
    ):
        exact = np.sort(np.linalg.eigvalsh(matrix))[::-1]
        found = mine(graph(known), 1)
        assert found == pytest.approx(exact[:1], abs=1e-5)
    if len(known) > 30:
        exact = np.sort(np.linalg.eigvalsh(nx.to_numpy_array(flat, weight=None)))[::-1]
        assert adjacency_values(graph(known), 10) == pytest.approx(exact[:10], abs=1e-5)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_the_largest_gap_is_the_two_sample_statistic(first, second):
    exact = ks_2samp(first, second, method="exact").statistic
    assert largest_gap(np.array(first), np.array(second)) == pytest.approx(exact)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=40))
def test_shared_information_is_that_of_scikit_learn(pairs):
    first, second = np.array(pairs).T
    first, second = (np.unique(one, return_inverse=True)[1] for one in (first, second))
    expected = normalized_mutual_info_score(first, second)
    assert shared_information(first, second) == pytest.approx(expected, abs=1e-9)


@WORLDS
def test_new_numbers_alone_lose_nothing(known):
    original = graph(known)
    made = ShuffleNodes().apply(original, seed=5)
    for part in loss.summary(made, original=original):
        assert part.value == pytest.approx(0, abs=1e-12), part.name


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.floats(0, 1), st.floats(0, 1))
def test_every_loss_lies_between_nothing_and_all(seed, first, second):
    before, after = (
        graph(nx.gnp_random_graph(25, share, seed=seed + place)) for place, share in enumerate((first, second))
    )
    for part in loss.summary(after, original=before):
        assert 0 <= part.value <= 1, part.name


@pytest.mark.parametrize("seed", range(5))
def test_clustering_of_the_same_network_is_the_same_to_the_last_digit(seed):
    known = graph(nx.les_miserables_graph())
    assert [part.value for part in loss.clustering(ShuffleNodes().apply(known, seed=seed), original=known)] == [0, 0]


def test_edges_are_compared_between_the_same_people():
    # karate without the two edges of node 11 and with one new: 78 − 1, node 11 has one edge only (to node 0)
    original = graph(nx.karate_club_graph())
    edges = original.edges[~(original.edges == 11).any(axis=1)]
    made = ShuffleNodes().apply(original.with_edges(np.vstack([edges, [[11, 12]]])), seed=9)
    found = loss.edge_overlap(made, original=original)
    assert dict(found.facts) == {"kept": 77, "added": 1, "removed": 1} and found.value == pytest.approx(2 / 79)
    again = loss.edge_overlap(made.graph, original=original, lineage=made.lineage)
    assert again.value == found.value


def test_degrees_by_hand():
    # 0–1–2 becomes 0–1 and 2 alone: degrees 1 2 1 → 1 1 0
    before, after = (Graph(size=3, edges=np.array(edges)) for edges in ([[0, 1], [1, 2]], [[0, 1]]))
    spread, each = loss.degrees(after, original=before)
    assert spread.value == pytest.approx(1 / 3) and each.value == pytest.approx(2 / 6)
    assert each.facts["mean change"] == pytest.approx(2 / 3)


def test_path_lengths_by_hand():
    # a cycle of four has 8 ordered pairs at 1 and 4 at 2; the path has 6, 4, 2 at 1, 2, 3
    cycle = graph(nx.cycle_graph(4))
    found = loss.paths(cycle.with_edges(np.array([[0, 1], [1, 2], [2, 3]])), original=cycle)
    assert found.value == pytest.approx(2 / 12) and found.facts["mean length after"] == pytest.approx(20 / 12)
    cut = loss.paths(cycle.with_edges(np.array([[0, 1], [2, 3]])), original=cycle)
    assert cut.value == pytest.approx(8 / 12) and cut.facts["without a path after"] == pytest.approx(8 / 12)


def test_sampled_paths_come_near_the_exact_ones():
    before, after = (graph(nx.watts_strogatz_graph(1500, 6, share, seed=4)) for share in (0.02, 0.3))
    exact = loss.paths(after, original=before, sources=1500)
    near = [loss.paths(after, original=before, sources=64, seed=seed).value for seed in range(5)]
    # distances from 64 sources: each mean within a tenth of the exact figure
    assert np.abs(np.array(near) - exact.value).max() < 0.1 * exact.value


def test_communities_are_found_again_and_lost_in_a_random_network():
    parts = nx.planted_partition_graph(4, 30, 0.5, 0.01, seed=1)
    original = graph(parts)
    found = loss.communities(original.with_edges(original.edges[::1]), original=original)
    assert found.value == 0 and found.facts["communities before"] == 4
    other = graph(nx.gnm_random_graph(120, parts.number_of_edges(), seed=2))
    assert loss.communities(other, original=original).value > 0.7


def test_of_a_large_network_a_part_is_looked_at_and_told():
    original = graph(nx.disjoint_union(nx.watts_strogatz_graph(300, 6, 0.1, seed=1), nx.cycle_graph(20)))
    found = loss.communities(original, original=original, upto=100)
    assert found.facts["nodes"] == 100 and found.value == 0
    assert loss.communities(original, original=original, upto=310).facts["nodes"] == 310


def test_a_synthetic_network_is_measured_without_a_lineage():
    original = graph(KNOWN["karate"])
    made = graph(nx.gnm_random_graph(40, 78, seed=1))
    names = {part.name for part in loss.summary(made, original=original)}
    assert {"degree distribution", "transitivity", "path lengths", "adjacency spectrum"} <= names
    assert not names & {"edge overlap", "communities", "degree of a node"}
    with pytest.raises(TacitError, match="no released node"):
        loss.edge_overlap(made, original=original)


def test_networks_that_cannot_be_compared_are_refused():
    with pytest.raises(TacitError, match="directed"):
        loss.degrees(graph(KNOWN["directed"]), original=graph(KNOWN["karate"]))
    with pytest.raises(TacitError, match="does not lead"):
        loss.degrees(graph(KNOWN["karate"]), original=graph(KNOWN["karate"]), lineage=np.arange(3))


def test_networks_without_edges_lose_nothing_and_break_nothing():
    bare = Graph(size=3, edges=np.empty((0, 2), dtype=np.int64))
    assert all(part.value == 0 for part in loss.summary(bare, original=bare))


def test_the_loss_of_assortativity_is_half_the_change():
    # catalogue: K-04
    star, path = nx.star_graph(5), nx.path_graph(6)
    before, after = (nx.degree_assortativity_coefficient(one) for one in (star, path))
    found = loss.assortativity(graph(path), original=graph(star)).value
    assert found == pytest.approx(abs(before - after) / 2)
    assert found > 0.2
