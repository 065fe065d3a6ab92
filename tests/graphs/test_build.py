"""From any form of a network to a graph. catalogue: K-01, K-02"""

from __future__ import annotations

import uuid

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import rustworkx as rx
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.graphs import graph, to_networkx, to_rustworkx, to_sparse, with_roles

EDGES = {"source": ["ann", "bob", "cem", "ann"], "target": ["bob", "cem", "ann", "dan"]}


@pytest.mark.parametrize("frame", [pl.DataFrame(EDGES), pd.DataFrame(EDGES), pa.table(EDGES), pl.LazyFrame(EDGES)])
def test_every_kind_of_frame_gives_the_same_graph(frame):
    found = graph(frame)
    assert found.names == ["ann", "bob", "cem", "dan"]
    assert found.edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2]] and found.notes == ()


def test_karate_comes_from_networkx_with_attributes_and_weights():
    karate = nx.karate_club_graph()
    found = graph(karate, weight="weight")
    assert (found.size, found.links, found.names) == (34, 78, None)
    assert found.degrees().tolist() == [degree for _, degree in sorted(karate.degree())]
    assert found.attributes.columns == ("club",) and found.weights.sum() == karate.size("weight")


def test_the_miserables_keep_their_names_and_say_what_was_left_out():
    found = graph(nx.les_miserables_graph())
    assert (found.size, found.links) == (77, 254) and "Valjean" in found.names
    assert found.notes == ("left out: weight",)


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))))
    ),
    st.booleans(),
)
def test_normalising_counts_what_networkx_drops(case, directed):
    size, pairs = case
    nodes = pl.DataFrame({"node": [f"n{i}" for i in range(size)]})
    frame = pl.DataFrame(
        {"a": [f"n{a}" for a, _ in pairs], "b": [f"n{b}" for _, b in pairs]}, schema={"a": pl.String, "b": pl.String}
    )
    found = graph(frame, nodes=nodes, ends=("a", "b"), directed=directed)
    known = nx.DiGraph() if directed else nx.Graph()
    known.add_nodes_from(range(size))
    known.add_edges_from(pairs)
    loops = nx.number_of_selfloops(known)
    known.remove_edges_from(list(nx.selfloop_edges(known)))
    ends = known.edges if directed else (tuple(sorted(edge)) for edge in known.edges)
    assert found.edges.tolist() == sorted([list(edge) for edge in ends])
    said = " ".join(found.notes)
    assert ("loop" in said) == (loops > 0) and ("without an edge" in said) == any(d == 0 for _, d in known.degree)
    repeated = len([1 for a, b in pairs if a != b]) - known.number_of_edges()
    assert ("repeated" in said) == (repeated > 0) and (repeated < 2 or f"{repeated} repeated" in said)


def test_the_largest_weight_of_a_repeated_edge_is_kept_and_told():
    frame = pl.DataFrame({"source": [1, 2, 1], "target": [2, 1, 3], "weight": [1.0, 4.0, 2.0]})
    found = graph(frame, weight="weight")
    assert found.weights.tolist() == [4.0, 2.0]
    assert found.notes == ("1 repeated edge was dropped", "1 repeated edge was of another weight; the largest is kept")


def test_labels_may_be_uuids_and_numbers_are_sorted_as_numbers():
    people = [str(uuid.UUID(int=i)) for i in (3, 1, 2)]
    assert graph(pl.DataFrame({"a": people[:2], "b": people[1:]})).names == sorted(people)
    assert graph(pl.DataFrame({"a": [10, 9], "b": [9, 100]})).names == ["9", "10", "100"]
    keyed = nx.Graph([(uuid.UUID(int=1), uuid.UUID(int=2))])
    assert graph(keyed).names == [str(uuid.UUID(int=1)), str(uuid.UUID(int=2))]


def test_nodes_of_the_node_file_without_an_edge_are_kept_with_their_roles():
    nodes = Release(
        pl.DataFrame({"who": ["x", "ann", "bob", "cem", "dan"], "age": [1, 2, 3, 4, 5]}), identifier="who", quasi="age"
    )
    found = graph(pl.DataFrame(EDGES), nodes=nodes)
    assert found.isolated == 1 and found.notes == ("1 node was without an edge and kept",)
    assert found.attributes.columns == ("age",) and found.attributes.quasi == ("age",)
    assert found.names[0] == "x" and found.attributes.values("age").tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("directed", [False, True])
def test_sparse_networkx_and_rustworkx_round_trip(directed):
    known = nx.gnp_random_graph(30, 0.2, seed=1, directed=directed)
    found = graph(known)
    again = graph(to_networkx(found))
    rust = graph(to_rustworkx(found), weight="weight")
    sparse = graph(found.adjacency(), directed=directed or None)
    for other in (again, rust, sparse):
        assert other.edges.tolist() == found.edges.tolist() and other.directed == directed and other.size == 30
    assert rust.weights.tolist() == [1.0] * found.links


@pytest.mark.parametrize("directed", [False, True])
def test_weights_and_attributes_come_back_from_every_library(directed):
    nodes = pl.DataFrame({"who": ["ann", "bob", "cem", "dan"], "age": [3, 4, None, 6]})
    edges = pl.DataFrame({"a": ["bob", "cem"], "b": ["ann", "bob"], "w": [0.5, 2.0]})
    found = graph(edges, nodes=nodes, ends=("a", "b"), weight="w", directed=directed)
    network = graph(to_networkx(found), weight="weight")
    rust = graph(to_rustworkx(found), label="node", weight="weight")
    sparse = graph(to_sparse(found), weight="w", directed=directed or None)
    for other in (network, rust, sparse):
        assert other.edges.tolist() == found.edges.tolist() and other.weights.tolist() == found.weights.tolist()
        assert other.directed == directed and other.size == 4
    for other in (network, rust):
        assert other.names == found.names and other.attributes.series("age").to_list() == [3, 4, None, 6]
    assert to_sparse(found).toarray()[2, 1] == 2 and (to_sparse(found).toarray()[1, 2] == 2) is not directed


def test_rustworkx_payloads_are_labels_or_attributes():
    made = rx.PyGraph()
    made.add_nodes_from([{"who": "ann", "age": 3}, {"who": "bob", "age": 4}])
    made.add_edge(0, 1, {"times": 2.5})
    found = graph(made, label="who", weight="times")
    assert found.names == ["ann", "bob"] and found.weights.tolist() == [2.5]
    assert found.attributes.values("age").tolist() == [3, 4]


def test_one_triangle_of_a_matrix_is_enough_when_it_is_said():
    upper = sp.csr_array(np.array([[0, 2.0, 0], [0, 0, 3.0], [0, 0, 0]]))
    with pytest.raises(TacitError, match="not symmetric"):
        graph(upper)
    found = graph(upper, directed=False, weight="w")
    assert found.edges.tolist() == [[0, 1], [1, 2]] and found.weights.tolist() == [2.0, 3.0] and found.notes == ()


def test_roles_can_be_given_afterwards():
    found = with_roles(graph(nx.karate_club_graph()), confidential="club")
    assert found.attributes.confidential == ("club",)
    with pytest.raises(TacitError, match="no attributes"):
        with_roles(graph(pl.DataFrame(EDGES)), quasi="age")


SECRET = "Zaphod"


@pytest.mark.parametrize(
    ("frame", "options", "says"),
    [
        ({"source": [], "target": []}, {}, "the graph is empty"),
        ({"source": [SECRET, None], "target": ["b", "c"]}, {}, "no label in 1 rows, the first of them row 2"),
        ({"source": [SECRET], "target": ["b"], "w": [float("nan")]}, {"weight": "w"}, "missing or infinite in 1 rows"),
        ({"source": [SECRET], "target": ["b"], "w": [float("inf")]}, {"weight": "w"}, "missing or infinite in 1 rows"),
        ({"source": [SECRET], "target": ["b"], "w": ["x"]}, {"weight": "w"}, "holds no numbers"),
        ({"source": [SECRET], "target": ["b"]}, {"weight": "wheight"}, "is not in the table"),
        ({"source": [SECRET], "target": ["b"]}, {"ends": ("source", "goal")}, "is not in the table"),
        ({"a": [SECRET], "b": ["b"], "c": ["c"]}, {}, "which of the columns a, b, c are the ends"),
        ({"source": [SECRET], "target": ["b"]}, {"nodes": {"who": ["b"]}}, "1 nodes of the edges are missing"),
        ({"source": [SECRET], "target": ["b"]}, {"nodes": {"who": []}}, "the node file has no row"),
        ({"source": ["a"], "target": ["b"]}, {"nodes": {"who": [SECRET, SECRET]}}, "a second time in 1 rows"),
        ({"source": ["a"], "target": ["b"]}, {"nodes": {"who": [SECRET, None]}}, "has no label in 1 rows"),
        ({"source": ["a"], "target": ["b"]}, {"nodes": {"who": [SECRET]}, "label": "name"}, "is not in the table"),
    ],
)  # fmt: skip
def test_bad_input_is_told_with_counts_and_never_with_a_label(frame, options, says):
    if "nodes" in options:
        options = {**options, "nodes": pl.DataFrame(options["nodes"], schema={"who": pl.String})}
    with pytest.raises(TacitError, match=says) as told:
        graph(pl.DataFrame(frame), **options)
    assert SECRET not in str(told.value) and told.value.fix


@pytest.mark.parametrize("source", [[(1, 2)], np.eye(3), "edges.csv"])
def test_what_is_no_network_is_refused(source):
    with pytest.raises(TacitError, match="cannot be made from"):
        graph(source)


def test_labels_that_read_alike_are_refused():
    with pytest.raises(TacitError, match="read the same"):
        graph(nx.Graph([(1, "1")]))


def test_an_attribute_of_several_types_is_refused():
    known = nx.Graph([(0, 1)])
    known.nodes[0]["age"], known.nodes[1]["age"] = 3, SECRET
    with pytest.raises(TacitError, match="several types") as told:
        graph(known)
    assert SECRET not in str(told.value)
