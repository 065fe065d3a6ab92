"""Networks in files: round trips over all formats, and the guards of a release. catalogue: K-01"""

from __future__ import annotations

import networkx as nx
import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.graphs import Graph, ShuffleNodes, graph, read_graph, write_graph
from tacit.graphs.files import read_lineage, write_lineage
from tacit.graphs.forms.frames import ENDS


def _club(*, directed: bool = False) -> Graph:
    """Names, attributes of three types with a missing one, weights, and a node without an edge."""
    nodes = pl.DataFrame(
        {
            "who": ["ann", "bob", "cem", "öz,e"],
            "age": [30, None, 50, 7],
            "town": ["x", "y", "x", "z"],
            "pay": [1.5, 2, 3, 4],
        }
    )
    edges = pl.DataFrame({"a": ["bob", "cem"], "b": ["ann", "ann"], "w": [0.5, 2.0]})
    return graph(edges, nodes=nodes, ends=("a", "b"), weight="w", directed=directed)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "graphml"])
def test_what_is_written_comes_back(tmp_path, suffix, directed):
    made, whole = _club(directed=directed), suffix == "graphml"
    nodes = None if whole else tmp_path / f"nodes.{suffix}"
    write_graph(made, tmp_path / f"edges.{suffix}", nodes=nodes, order="kept")
    found = read_graph(tmp_path / f"edges.{suffix}", nodes=nodes, weight="weight", directed=None if whole else directed)
    assert (found.size, found.directed, list(found.names)) == (made.size, directed, list(made.names))
    assert found.edges.tolist() == made.edges.tolist() and found.weights.tolist() == made.weights.tolist()
    for name in made.attributes.columns:
        assert found.attributes.series(name).to_list() == made.attributes.series(name).to_list()
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


def test_an_edge_list_alone_is_enough_where_every_node_has_an_edge(tmp_path):
    made = ShuffleNodes().apply(graph(nx.les_miserables_graph()), seed=1)
    write_graph(made, tmp_path / "edges.csv")
    found = read_graph(tmp_path / "edges.csv")
    assert found.edges.tolist() == made.graph.edges.tolist() and found.names is None
    assert pl.read_csv(tmp_path / "edges.csv").columns == list(ENDS)


def test_a_release_has_numbers_in_random_order_and_no_names(tmp_path):
    made = ShuffleNodes().apply(_club(), seed=3)
    write_graph(made, tmp_path / "e.csv", nodes=tmp_path / "n.csv")
    said = (tmp_path / "e.csv").read_text() + (tmp_path / "n.csv").read_text()
    assert not any(name in said for name in ("ann", "bob", "cem"))
    places = np.array([ShuffleNodes().apply(_club(), seed=seed).lineage for seed in range(400)])
    # Each node comes to each place about 100 times of 400: 6 standard deviations, error below 1e-7 for 16 counts.
    counts = np.array([(places[:, place] == node).sum() for place in range(4) for node in range(4)])
    assert np.abs(counts - 100).max() < 6 * np.sqrt(400 * 0.25 * 0.75)


def test_the_lineage_comes_back_and_fits(tmp_path):
    made = ShuffleNodes().apply(_club(), seed=3)
    write_lineage(made.lineage, tmp_path / "lineage.parquet")
    assert read_lineage(tmp_path / "lineage.parquet", released=4, original=4).tolist() == made.lineage.tolist()
    with pytest.raises(TacitError, match="does not lead"):
        read_lineage(tmp_path / "lineage.parquet", released=5, original=4)


def test_the_guards_of_the_writer(tmp_path):
    with pytest.raises(TacitError, match="still have their names"):
        write_graph(_club(), tmp_path / "e.csv", nodes=tmp_path / "n.csv")
    with pytest.raises(TacitError, match="old order"):
        write_graph(graph(nx.karate_club_graph()), tmp_path / "e.graphml")
    with pytest.raises(TacitError, match="no place for the attributes"):
        write_graph(_club(), tmp_path / "e.csv", order="kept")
    with pytest.raises(TacitError, match="holds the nodes too"):
        write_graph(_club(), tmp_path / "e.graphml", nodes=tmp_path / "n.csv", order="kept")
    named = graph(
        pl.DataFrame({"a": ["x"], "b": ["y"]}),
        nodes=Release(pl.DataFrame({"k": ["x", "y"], "mail": ["p", "q"]}), identifier="mail"), label="k",
    )  # fmt: skip
    with pytest.raises(TacitError, match="is an identifier"):
        write_graph(named, tmp_path / "e.csv", nodes=tmp_path / "n.csv", order="kept")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_is_never_overwritten(tmp_path):
    (tmp_path / "e.csv").write_text("source,target\na,b\n")
    with pytest.raises(TacitError, match="exists already"):
        write_graph(_club(), tmp_path / "e.csv", nodes=tmp_path / "n.csv", order="kept")
    assert (tmp_path / "e.csv").read_text() == "source,target\na,b\n" and not (tmp_path / "n.csv").exists()


def test_damaged_graphml_is_told_without_its_content(tmp_path):
    (tmp_path / "x.graphml").write_text("<graphml><node id='Zaphod'")
    with pytest.raises(TacitError, match="cannot be read as GraphML") as told:
        read_graph(tmp_path / "x.graphml")
    assert "Zaphod" not in str(told.value)


def test_errors_name_the_file(tmp_path):
    (tmp_path / "e.csv").write_text("source,target\na,b\n")
    (tmp_path / "n.csv").write_text("who,age\na,3\n")
    with pytest.raises(TacitError, match=r"e\.csv: 1 nodes of the edges are missing in the node file"):
        read_graph(tmp_path / "e.csv", nodes=tmp_path / "n.csv")
    with pytest.raises(TacitError, match="no such file"):
        read_graph(tmp_path / "f.csv")


def test_labels_of_a_graphml_file_can_be_an_attribute(tmp_path):
    known = nx.Graph([(0, 1)])
    known.nodes[0]["name"], known.nodes[1]["name"] = "ann", "bob"
    nx.write_graphml(known, tmp_path / "x.graphml")
    found = read_graph(tmp_path / "x.graphml", label="name")
    assert found.names == ["ann", "bob"] and found.attributes is None
