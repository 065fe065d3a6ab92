"""Which degrees make a simple graph, and one that has them: all graphs of few nodes, and networkx, as oracles."""

# catalogue: K-01

from __future__ import annotations

from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.graphs.synth import DegreeSequence, check_graphical, is_graphical
from tacit.graphs.synth.graphical import some_graph


def degrees_of_all_graphs(nodes: int) -> set[tuple[int, ...]]:
    """The degrees of every labelled simple graph."""
    pairs = list(combinations(range(nodes), 2))
    drawn = np.array(list(product((0, 1), repeat=len(pairs))))
    ends = np.zeros((len(pairs), nodes), dtype=np.int64)
    for place, pair in enumerate(pairs):
        ends[place, list(pair)] = 1
    return set(map(tuple, (drawn @ ends).tolist()))


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5])
def test_the_inequalities_hold_for_the_degrees_of_graphs_and_for_no_others(nodes):
    known = degrees_of_all_graphs(nodes)
    for degrees in product(range(nodes + 1), repeat=nodes):
        assert is_graphical(np.array(degrees)) == (degrees in known)


@given(st.lists(st.integers(0, 12), max_size=25))
def test_the_answer_is_that_of_networkx_and_the_start_has_the_degrees(degrees):
    given = np.array(degrees, dtype=np.int64)
    assert is_graphical(given) == nx.is_graphical(degrees)
    if is_graphical(given):
        edges = np.sort(some_graph(given), axis=1)
        assert np.bincount(edges.ravel(), minlength=len(given)).tolist() == degrees
        assert (edges[:, 0] < edges[:, 1]).all() and len(np.unique(edges, axis=0)) == len(edges)


def test_an_error_says_which_inequality_fails_and_by_how_much():
    # 3 + 3 ends are asked for; two nodes have 2 ends between them and the other two take min(1, 2) each: 4
    with pytest.raises(TacitError, match=r"the 2 largest ask for 6 ends, and there is room for 4 .*k=2"):
        check_graphical(np.array([3, 3, 1, 1]))


@pytest.mark.parametrize(
    ("degrees", "said"),
    [
        ([1, 1, 1], "sum to 3, which is odd"),
        ([4, 1, 1], "above 2, which is all that 3 nodes allow"),
        ([-1, 1], "negative"),
        ([1.5, 1.5], "whole numbers"),
        ([[1, 1]], "whole numbers"),
        (["a", "b"], "whole numbers"),
    ],
)
def test_degrees_that_make_no_graph_are_refused_with_the_reason(degrees, said):
    with pytest.raises(TacitError, match=said):
        check_graphical(np.array(degrees))


def test_no_nodes_and_nodes_without_edges_are_graphs():
    assert some_graph(np.array([], dtype=np.int64)).shape == (0, 2)
    assert some_graph(np.zeros(3, dtype=np.int64)).shape == (0, 2)


def test_no_degrees_at_all_are_refused():
    with pytest.raises(TacitError, match="empty"):
        DegreeSequence(degrees=())
