"""Taxonomies (E-16): reading edges, the two distances of meaning, and the semantic centroid."""

from __future__ import annotations

from itertools import product
from math import log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import Generalise
from tacit.protect.mask_terms import group_centroids
from tacit.release.hierarchy import hierarchy
from tacit.release.hierarchy.build import from_edges
from tacit.release.hierarchy.taxonomy import build_taxonomy

JOBS = {
    "surgeon": "physician",
    "physician": "health",
    "nurse": "health",
    "health": "work",
    "clerk": "office",
    "office": "work",
}


@st.composite
def trees(draw, most=12):
    """A random tree as child → parent; node 0 is the root."""
    count = draw(st.integers(2, most))
    return {f"n{child}": f"n{draw(st.integers(0, child - 1))}" for child in range(1, count)}


def ancestors(edges: dict[str, str], node: str) -> set[str]:
    """The oracle: follow the parents."""
    return {node} | (ancestors(edges, edges[node]) if node in edges else set())


def known(edges, **options):
    made = from_edges(edges, **options)
    values = pl.Series([row[0] for row in made.rows])
    return values.to_list(), build_taxonomy(made, "x", values)


def test_distances_by_hand():  # catalogue: E-16
    values, found = known(JOBS, inner=True)
    at = {value: place for place, value in enumerate(values)}
    sure = {
        # A(surgeon) = {surgeon, physician, health, work}; A(nurse) = {nurse, health, work}: 2 in common, 5 in all
        ("surgeon", "nurse"): (log2(1 + 3 / 5), 1 - 4 / 7),
        # A(clerk) = {clerk, office, work}: 1 in common with surgeon, 6 in all
        ("surgeon", "clerk"): (log2(1 + 5 / 6), 1 - 2 / 7),
        ("surgeon", "physician"): (log2(1 + 1 / 4), 1 - 6 / 7),
        ("nurse", "nurse"): (0.0, 0.0),
    }
    for (one, other), (by_ancestors, wu_palmer) in sure.items():
        assert found.distances()[at[one], at[other]] == pytest.approx(by_ancestors)
        assert found.distances("wu_palmer")[at[one], at[other]] == pytest.approx(wu_palmer)


@given(trees(), st.booleans())
def test_distances_are_those_of_the_ancestors_and_metrics(edges, inner):
    values, found = known(edges, inner=inner)
    jaccard, dice = found.distances(), found.distances("wu_palmer")
    sets = [ancestors(edges, value) for value in values]
    for (i, a), (j, b) in product(enumerate(sets), repeat=2):
        assert jaccard[i, j] == pytest.approx(log2(1 + len(a ^ b) / len(a | b)))
        assert dice[i, j] == pytest.approx(1 - 2 * len(a & b) / (len(a) + len(b)))
    for apart in (jaccard, dice):
        assert (apart == apart.T).all()
        assert ((apart == 0) == np.eye(len(values), dtype=bool)).all()
        assert ((apart >= 0) & (apart < 1)).all()
        assert (apart[:, None, :] <= apart[:, :, None] + apart[None, :, :] + 1e-12).all()


def test_dice_is_no_metric_of_sets_in_general():
    """Why the docstring says "on a tree": two sets of one element and their union break the triangle."""

    def dice(a, b):
        return 1 - 2 * len(a & b) / (len(a) + len(b))

    assert dice({1}, {2}) > dice({1}, {1, 2}) + dice({1, 2}, {2})


@given(trees(20))
def test_a_walk_keeps_branches_together(edges):
    values, found = known(edges)
    walked = [values[place] for place in np.argsort(found.depth_first_order())]
    for node in {*edges.values()}:
        inside = [node in ancestors(edges, value) for value in walked]
        assert "".join("01"[one] for one in inside).strip("0").count("0") == 0


def test_a_label_that_is_used_at_two_levels_is_not_one_concept():
    made = hierarchy({"table": {"a": ["other", "p", "*"], "b": ["x", "other", "*"], "c": ["other", "p", "*"]}})
    found = build_taxonomy(made, "x", pl.Series(["a", "b", "c"]))
    assert found.distances("wu_palmer")[0].tolist() == [0, 0.75, 0.25]


@given(trees(), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 99)), min_size=1, max_size=40), st.booleans())
def test_centroids_have_the_least_summed_distance(edges, members, inner):
    values, found = known(edges, inner=inner)
    group = np.unique([group for group, _ in members], return_inverse=True)[1]
    value = np.array([value % len(values) for _, value in members])
    for by in ("ancestors", "wu_palmer"):
        apart = found.distances(by)
        chosen = group_centroids(found, value, group, by)
        assert len(chosen) == group.max() + 1
        for place, centre in enumerate(chosen):
            there = value[group == place]
            assert centre in there
            sums = {candidate: apart[candidate, there].sum() for candidate in there}
            assert sums[centre] == pytest.approx(min(sums.values()))


def test_centroids_do_not_follow_the_file_order():
    rng = np.random.default_rng(1)
    _, found = known(JOBS, inner=True)
    value, group = rng.integers(0, 6, 300), rng.integers(0, 40, 300)
    group = np.unique(group, return_inverse=True)[1]
    order = rng.permutation(300)
    assert (group_centroids(found, value, group) == group_centroids(found, value[order], group[order])).all()


def test_short_branches_repeat_their_leaf_below():
    assert from_edges(JOBS).rows == (
        ("surgeon", "physician", "health", "*"),
        ("nurse", "nurse", "health", "*"),
        ("clerk", "clerk", "office", "*"),
    )


@given(trees())
def test_edges_make_a_tree_whose_levels_are_depths(edges):
    made = from_edges(edges, inner=True)
    assert {row[0] for row in made.rows} == set(edges)
    depth = {node: len(ancestors(edges, node)) - 1 for node in edges}
    for row in made.rows:
        assert made.height == max(depth.values())
        for level, label in enumerate(row[:-1]):
            assert label in ancestors(edges, row[0])
            assert label == row[0] or depth[label] == made.height - level


@pytest.mark.parametrize("text", ["child,parent\nflu,ill\ncold,ill\nill,all\n", "flu;ill\ncold;ill\nill;all\nall;\n"])
def test_edges_are_read_from_a_file(tmp_path, text):
    file = tmp_path / "terms.csv"
    file.write_text(text, encoding="utf-8")
    made = hierarchy({"edges": "terms.csv"}, folder=tmp_path)
    assert made.rows == (("flu", "ill", "*"), ("cold", "ill", "*"))
    assert hierarchy(made.spec()) == made
    release = Release(pl.DataFrame({"term": ["flu", None]}), hierarchies={"term": {"edges": str(file)}})
    assert release.protect(Generalise(levels={"term": 1})).release.series("term").to_list() == ["ill", None]


def test_the_parent_nearest_to_the_root_is_chosen_when_asked_for():
    edges = {"dog": ["pet", "canine"], "canine": "carnivore", "carnivore": "animal", "pet": "animal"}
    assert from_edges(edges, parents="shortest").rows[0] == ("dog", "pet", "*")
    with pytest.raises(TacitError, match="'dog', under 'pet' and 'canine'"):
        from_edges(edges)


@pytest.mark.parametrize(
    ("edges", "text"),
    [
        ({}, "no edge"),
        ({"a": "b", "b": "a"}, "no node is without a parent"),
        ({"a": "b", "b": "a", "c": "root"}, "its own ancestor"),
        ({"a": ["root", "b"], "b": "a"}, "its own ancestor"),
        ({"a": "a"}, "parent of itself"),
        ({"a": "one", "b": "two"}, "2 nodes have no parent, among them 'one' and 'two'"),
        ({"a": "one", "b": "two", "one": None}, "'two' is a parent and has no line of its own"),
        ([("a", "b", "c")], "not a pair"),
        ({"": "b"}, "no child"),
    ],
)
def test_broken_edges_are_answered(edges, text):
    with pytest.raises(TacitError, match=text) as caught:
        from_edges(edges)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("given_hierarchy", "text"),
    [
        ({"edges": "none.csv"}, "not there"),
        ({"edges": "odd.csv"}, "odd.csv: line 2 has 3 cells"),
        ({"edges": {"a": "b"}, "parents": "two"}, "'shortest' chooses"),
        ({"edges": {"a": "b"}, "inner": "yes"}, "neither true nor false"),
        ({"prefix": [2], "inner": True}, "belongs to 'edges'"),
        ({"edges": 3}, "not of the form"),
    ],
)
def test_mistakes_in_a_plan_are_answered(tmp_path, given_hierarchy, text):
    (tmp_path / "odd.csv").write_text("a,b\nc,d,e\n", encoding="utf-8")
    with pytest.raises(TacitError, match=text):
        hierarchy(given_hierarchy, folder=tmp_path)


def test_a_lifted_value_stands_where_its_ancestor_does():
    jobs = from_edges({"surgeon": "health", "nurse": "health", "health": "work", "clerk": "work"})
    known = build_taxonomy(jobs, "job", pl.Series(["surgeon", "nurse", "clerk"]))
    both = known.lift_to_levels(np.array([0, 2]), np.array([1, 0]), pl.Series(["health", "clerk"]))
    # by hand: {health, work} and {clerk, work} share one of three
    assert both.depth.tolist() == [2, 2]
    assert both.distances()[0].tolist() == pytest.approx([0.0, np.log2(1 + 2 / 3)])
