"""A study of a network: the same map, by the attacks and losses of networks. catalogue: F-06, K-02, K-04"""

from __future__ import annotations

import networkx as nx
import numpy as np
import polars as pl
import pytest

from tacit import TacitError, graphs
from tacit.graphs.registry import METHODS
from tacit.plan.graph import graph_plan, protect_graph
from tacit.study import Strategy, explore
from tacit.study.data_kinds import read_plan
from tacit.study.evaluate import evaluate_candidate
from tacit.study.explore import resolve_plan
from tacit.study.graph import GRAPH

PLAN = """\
title = "The club"               # a comment that stays

[data]
noun = "graph"

[graph]
edges = "edges.csv"
nodes = "people.csv"

[roles]
quasi = ["age"]

[require]
k_degree = 2
reidentification = 0.6

[intruder]
structure = "neighbours"
knows = []

[study]
search = "grid"
candidates = 5
loss = { edge_overlap = 2, degrees = 1, paths = 1, communities = 1 }

[[study.strategy]]
name = "alike"
steps = [{ method = "k_degree", k = { from = 2, to = 10 } }]

[[study.strategy]]
name = "switches"
steps = [{ method = "switch_edges", share = { any_of = [0.1, 0.4] } }]
"""
ALIKE = {"name": "alike", "steps": [{"method": "k_degree", "k": {"from": 2, "to": 8}}]}


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    place, club = tmp_path_factory.mktemp("club"), nx.karate_club_graph()
    ends = [(f"p{a}", f"p{b}") for a, b in club.edges]
    pl.DataFrame(ends, schema=["source", "target"], orient="row").write_csv(place / "edges.csv")
    rows = [(f"p{a}", 20 + a % 4) for a in club]
    pl.DataFrame(rows, schema=["name", "age"], orient="row").write_csv(place / "people.csv")
    (place / "plan.toml").write_text(PLAN, encoding="utf-8")
    return place / "plan.toml"


@pytest.fixture(scope="module")
def club():
    return graphs.graph(nx.karate_club_graph())


@pytest.fixture(scope="module")
def found(plan):
    return explore(plan, seed=3, workers=1)


def test_every_point_is_what_a_release_of_its_plan_gives(plan, found):
    """The job on the written plan, with the seed of the study, finds the same verdicts, risks and losses."""
    assert {point.strategy for point in found.points} == {"as it is", "alike", "switches"}
    for point in found.points[1:]:
        loaded = graph_plan(found.plan(point.number), folder=plan.parent)
        outcome = protect_graph(loaded, seed=3)
        by_attack = {one.name: one.result.value for one in outcome.attacks if one.result is not None}
        assert point.evaluation.attacks == pytest.approx(by_attack, abs=1e-9)
        assert point.risk == pytest.approx(max(by_attack.values()), abs=1e-9)
        assert point.holds == outcome.holds
        (lost,) = [part.value for part in outcome.losses if part.name == "edge overlap"]
        assert point.evaluation.losses["edge_overlap"] == pytest.approx(lost, abs=1e-9)
        parts = point.evaluation.losses
        others = parts["degrees"] + parts["paths"] + parts["communities"]
        assert point.loss == pytest.approx((2 * parts["edge_overlap"] + others) / 5)


def test_the_choice_loses_least_of_those_that_hold(found):
    holding = [point for point in found.points if point.holds]
    assert holding and any(not point.holds for point in found.points)
    assert found.best.loss == min(point.loss for point in holding)
    assert 'title = "The club"               # a comment that stays' in found.plan()


def test_the_network_as_it_is_is_found_as_an_audit_finds_it(found, plan):
    first = found.points[0]
    original = graphs.read_graph(plan.parent / "edges.csv", nodes=plan.parent / "people.csv")
    bare = graphs.ShuffleNodes().apply(original, seed=9)
    assert first.loss == 0
    assert first.evaluation.attacks["degree"] == pytest.approx(
        graphs.reidentify_nodes(bare, original=original, attack="degree").value
    )


def test_a_graph_in_memory_needs_no_plan(club):
    found = explore(
        club,
        strategy=[Strategy.of("alike", ALIKE["steps"], methods=METHODS)],
        search="grid",
        candidates=3,
        workers=1,
        require={"k_degree": 5},
        intruder={"structure": "degree"},
        risk={"reidentification": 1, "unique_nodes": 1},
    )
    assert [point.candidate.values["k"] for point in found.points[1:]] and found.best.candidate.values["k"] >= 5
    parts = found.best.evaluation.risks
    assert found.best.risk == pytest.approx((parts["reidentification"] + parts["unique_nodes"]) / 2)
    assert 'structure = "degree"' in found.plan()
    assert not any("only; " in note for note in found.notes), "all attacks of this intruder were made"


def test_the_usual_strategies_can_all_be_made():
    people = pl.DataFrame({"name": range(34), "age": [20 + a % 3 for a in range(34)]})
    with_people = graphs.graph(nx.karate_club_graph(), nodes=people, label="name")
    with_people = graphs.with_roles(with_people, quasi="age", kinds={"age": "ordinal"})
    found = explore(with_people, search="grid", candidates=14, workers=1, loss={"edge_overlap": 1})
    assert [point.evaluation.why for point in found.points if point.evaluation.state == "failed"] == []
    assert {"k-automorphism", "super-nodes", "deletions", "k-degree + attributes, k 5"} <= {
        point.strategy for point in found.points
    }
    one_way = graphs.graph(nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 1), (4, 0), (1, 4)]))
    names = {one.name for one in GRAPH.default_strategies(None, one_way)}
    assert names == {"switches", "edges drawn"}


def test_what_cannot_be_compared_any_more_is_lost(club):
    """Of private degrees every node is invented: who was linked with whom is gone as a whole."""
    plan, original = resolve_plan(club, said={"loss": {"edge_overlap": 1, "degrees": 1}, "risk": {"unique_nodes": 1}})
    found = evaluate_candidate(GRAPH.make_task(plan, original, seed=1), [{"method": "dp_degrees", "epsilon": 1.0}])
    assert found.losses["edge_overlap"] == 1.0
    assert 0 <= found.losses["degrees"] <= 1


def test_it_goes_on_where_it_was(plan, tmp_path, monkeypatch):
    store = tmp_path / "study.sqlite"
    first = explore(plan, seed=3, workers=1, store=store)
    monkeypatch.setattr("tacit.study.pool.evaluate_candidate", lambda *_, **__: pytest.fail("computed again"))
    again = explore(plan, seed=3, workers=1, store=store, prefer={"risk": 1})
    assert [point.risk for point in again.points] == [point.risk for point in first.points]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('structure = "neighbours"', 'structure = "degree"'),
        ("knows = []", 'knows = ["age"]'),
        ("knows = []", "knows = []\nwrong = 0.1"),
        ("k_degree = 2", "k_degree = 3"),
        ("degrees = 1,", ""),
        ('quasi = ["age"]', ""),
        ("[study]", '[[attack]]\nmethod = "profile"\nreach = 2\n[study]'),
    ],
)
def test_what_may_change_an_outcome_finds_nothing_old(plan, old, new):
    def content(text):
        loaded, original = resolve_plan(graph_plan(text, folder=plan.parent), said={})
        return GRAPH.make_task(loaded, original, seed=1).content_digest

    assert old in PLAN
    changed = (
        PLAN.replace(old, new)
        .replace("[roles]\n\n", "")
        .replace("knows = []\n", "" if "quasi" in old else "knows = []\n")
    )
    assert content(changed) != content(PLAN)
    assert content(PLAN.replace("edge_overlap = 2", "edge_overlap = 3")) == content(PLAN)


def test_other_edges_are_other_data(club):
    def content(graph, seed=1):
        loaded, original = resolve_plan(graph, said={})
        return GRAPH.make_task(loaded, original, seed=seed).content_digest

    assert content(club) == content(graphs.graph(nx.karate_club_graph()))
    assert content(club) != content(club.with_edges(club.edges[1:]))
    assert content(club) != content(club, seed=2)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"attacks": ["distance"]}, "the attack 'distance' is unknown, or needs more than this intruder knows"),
        ({"attacks": ["alignment"], "intruder": {"structure": "degree"}}, "needs more than this intruder knows"),
        ({"loss": {"moments": 1}}, "the loss 'moments' is unknown"),
        ({"risk": {"interval_disclosure": 1}}, "the risk 'interval_disclosure' is unknown"),
        ({"strategy": [{"name": "x", "steps": [{"method": "mdav", "columns": ["a"], "k": 3}]}]}, "method 'mdav'"),
        ({"strategy": [{"name": "x", "steps": [{"method": "k_degree", "j": 3}]}]}, "has no parameter 'j'"),
        ({"require": {"k_anonymity": 3}}, "the requirement 'k_anonymity' is unknown"),
        ({"intruder": {"structure": "nothing"}}, "reidentification cannot be judged: no attack applies"),
        ({"intruder": {"sees": 1}}, "the key 'sees' is unknown"),
    ],
)
def test_mistakes_are_said_before_the_work_begins(club, said, what):
    with pytest.raises(TacitError, match=what):
        explore(club, workers=1, candidates=2, **said)


def test_what_no_study_is_about(tmp_path):
    (tmp_path / "plan.toml").write_text('[data]\nnoun = "table"\npath = "x.csv"\n', encoding="utf-8")
    with pytest.raises(
        TacitError, match=r"a plan about table, and a study is about microdata or graph\n.*tacit table protect"
    ):
        read_plan(tmp_path / "plan.toml")
    with pytest.raises(TacitError, match="cannot be explored"):
        explore(np.arange(3))


def test_a_requirement_that_cannot_be_judged_is_shown_at_its_line(plan):
    text = PLAN.replace("k_degree = 2", "k_neighbourhood = 2\nattribute_k = { threshold = 2, rounds = 1 }")
    lone = text.replace('nodes = "people.csv"\n', "").replace('[roles]\nquasi = ["age"]\n', "")
    with pytest.raises(TacitError, match=r"line \d+, require.attribute_k"):
        explore(graph_plan(lone, folder=plan.parent), workers=1)
