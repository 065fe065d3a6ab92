"""Differentially private degrees, attributes within structural classes, and what all methods have in common."""

# catalogue: K-01, H-01
from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tacit import Release, TacitError
from tacit.dp.noise import laplace_scale, with_laplace
from tacit.graphs import Graph, ShuffleNodes, graph, reidentify_nodes
from tacit.graphs.attack import Attributes
from tacit.graphs.protect import ALL, AttributesInClasses, DpDegrees, KDegree, SuperNodes
from tacit.graphs.protect.dp_degrees import graphical_near, private_degrees
from tacit.release.trace import Trace

RNG = np.random.default_rng(1)
TOWNS = pl.DataFrame({"age": RNG.integers(18, 80, 34), "town": RNG.choice(["N1", "N2", "W3"], 34)})
PEOPLE = Release(TOWNS, quasi=["age", "town"], kinds={"age": "continuous"})
KARATE = replace(graph(nx.karate_club_graph()), attributes=PEOPLE)


def combinations_of(network):
    """How many nodes have each degree together with each combination of attributes."""
    rows = zip(network.degrees().tolist(), network.attributes.to_native().select("age", "town").rows(), strict=True)
    return Counter(rows)


@given(st.integers(2, 7), st.data())
def test_one_edge_changes_the_sorted_degrees_by_exactly_two(size, data):
    pairs = list(combinations(range(size), 2))
    there = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    flipped = data.draw(st.integers(0, len(pairs) - 1))
    sequences = []
    for flip in (False, True):
        edges = [pair for place, pair in enumerate(pairs) if there[place] != (flip and place == flipped)]
        degrees = np.bincount(np.array(edges, dtype=np.int64).ravel(), minlength=size)
        sequences.append(np.sort(degrees))
    assert np.abs(sequences[0] - sequences[1]).sum() == 2


def test_the_noise_has_the_scale_that_is_told():
    """Chi-square of the absolute noise on 4,000 degrees; error probability 10⁻⁴, and 30 % less is rejected."""
    scale = laplace_scale(2, Fraction(1, 2))
    assert DpDegrees(epsilon=0.5).apply(KARATE, seed=1).trace[0].outcome["scale"].value == scale == 4.0

    def p_value(used):
        noise = np.abs(np.array(with_laplace([0] * 4000, used)))
        counts = np.bincount(np.minimum(noise, 30), minlength=31)
        ratio = np.exp(-1 / scale)
        chance = (1 - ratio) / (1 + ratio) * ratio ** np.arange(31) * np.where(np.arange(31) > 0, 2, 1)
        chance[30] = 1 - chance[:30].sum()
        return stats.chisquare(counts, chance * 4000).pvalue

    assert p_value(scale) > 1e-4 > p_value(0.7 * scale)


def test_order_takes_most_of_the_noise_out_again():
    degrees = np.repeat([2, 5, 9], 300)
    found = private_degrees(degrees, 4.0)
    assert np.abs(found - degrees).mean() < 1.5  # the noise alone is 4 on average
    assert (np.diff(found) >= 0).all()


@given(st.lists(st.integers(0, 30), min_size=2, max_size=20))
def test_the_sequence_that_is_drawn_for_is_that_of_a_graph_and_near(degrees):
    given_ = np.minimum(degrees, len(degrees) - 1)
    found = graphical_near(given_)
    assert nx.is_graphical(found.tolist()) and (found <= given_).all()
    assert not nx.is_graphical(given_.tolist()) or (found == given_).all()


def test_nobody_of_the_original_is_in_the_drawn_graph():
    made = DpDegrees(epsilon=1).apply(KARATE, seed=1)
    assert (made.lineage == -1).all() and made.graph.attributes is None and made.graph.names is None
    assert made.trace[0].outcome["guarantee"].value["epsilon"] == 1


def test_attributes_are_shared_within_every_degree():
    step = AttributesInClasses(k=4, known="degree")
    made = KDegree(k=4).apply(KARATE, seed=1).then(step, seed=1)
    assert min(combinations_of(made.graph).values()) >= 4
    assert made.trace[1].outcome["groups"].value == len(combinations_of(made.graph))
    assert PEOPLE.to_native().equals(TOWNS)


def test_classes_and_attributes_by_themselves_are_not_enough():
    made = KDegree(k=4).apply(KARATE, seed=1).graph
    assert min(combinations_of(made).values()) == 1


def test_attributes_of_a_super_node_are_the_same():
    made = SuperNodes(k=4).apply(KARATE, seed=1)
    for group in range(made.evidence["groups"].max() + 1):
        rows = made.graph.attributes.to_native().filter(made.evidence["groups"] == group)
        assert rows.n_unique() == 1


def test_who_knows_attributes_and_degree_is_left_with_k():
    """The attack of the same kind, by an intruder who knows the true attributes and the released links."""
    made = KDegree(k=4).apply(KARATE, seed=1).then(AttributesInClasses(k=4, known="degree"), seed=2)
    mixed = ShuffleNodes().apply(made.graph, seed=3)
    picture = replace(made.graph, attributes=PEOPLE)
    found = reidentify_nodes(mixed, original=picture, attack=Attributes(rounds=1), seed=3)
    assert found.per_record.values().min() >= 4 and found.value <= 1 / 4
    bare = reidentify_nodes(ShuffleNodes().apply(KARATE, seed=3), original=KARATE, attack="attributes", seed=3)
    assert bare.facts["share unique"] > 0.9


@pytest.mark.parametrize("name", ALL)
def test_every_method_keeps_its_input_its_trace_and_its_word(name):
    entry = ALL[name]
    method = entry.call(**entry.example)
    network = KDegree(k=5).apply(KARATE, seed=1).graph if name == "attributes_in_classes" else KARATE
    before = network.edges.copy()
    first, again = (method.apply(network, seed=5) for _ in range(2))
    assert (network.edges == before).all()
    assert not entry.repeatable or (first.graph.edges == again.graph.edges).all()
    written = json.loads(json.dumps(first.trace[0].as_json(public=True)))
    assert Trace.from_json(written).method == name
    assert len(first.original_nodes()) == first.graph.size == 34
    assert entry.use and entry.avoid and entry.summary and entry.catalogue == "K-01"


def test_the_last_step_mixes_the_nodes_and_the_lineage_leads_back():
    made = KDegree(k=3).apply(KARATE, seed=1)
    mixed = made.then(ShuffleNodes(), seed=2)
    assert mixed.graph.names is None
    assert (mixed.graph.degrees() == made.graph.degrees()[mixed.lineage]).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: DpDegrees(epsilon=0), "epsilon=0"),
        (lambda: DpDegrees(epsilon="x"), "epsilon='x'"),
        (lambda: DpDegrees(epsilon=1).apply(Graph(size=1, edges=np.zeros((0, 2))), seed=1), "one node"),
        (
            lambda: DpDegrees(epsilon=1).apply(Graph(size=3, edges=np.array([[0, 1]]), directed=True), seed=1),
            "directed",
        ),
        (lambda: AttributesInClasses(k=1, known="degree"), "k=1"),
        (lambda: AttributesInClasses(k=2, known="x"), "known='x'"),
        (lambda: AttributesInClasses(k=2, known="degree").apply(KARATE, seed=1), "6 nodes look like fewer than 2"),
        (
            lambda: AttributesInClasses(k=2, known="degree").apply(Graph(size=3, edges=np.zeros((0, 2))), seed=1),
            "quasi-identifier",
        ),
    ],
)
def test_what_cannot_be_done_says_why(call, said):
    with pytest.raises(TacitError, match=said):
        call()
