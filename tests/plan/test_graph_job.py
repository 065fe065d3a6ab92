"""The whole job on a network, and what its gate lets through. catalogue: K-01, K-02, K-04"""

from __future__ import annotations

import networkx as nx
import numpy as np
import polars as pl
import pytest

from tacit import TacitError
from tacit.cli.methods import step_lines
from tacit.graphs import read_graph, reidentify_nodes
from tacit.graphs.registry import METHODS
from tacit.plan.graph import audit_graph, graph_plan, protect_graph
from tacit.plan.graph.original import original_of

PLAN = """title = "The club"
[data]
noun = "graph"
[graph]
edges = "edges.csv"
nodes = "people.csv"
[roles]
quasi = ["age"]
confidential = ["club"]
[require]
k_degree = {k}
reidentification = {most}
[[protect]]
method = "k_degree"
k = 4
[intruder]
structure = "degree"
knows = []
"""


SMALL = {"spectral_switch": {"share": 0.05, "band": 0.5}}
"""What a network of 35 nodes needs instead of the example's parameters."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The karate club with names and ages; one member without any link."""
    place, club = tmp_path_factory.mktemp("club"), nx.karate_club_graph()
    ends = [(f"p{a}", f"p{b}") for a, b in club.edges]
    pl.DataFrame(ends, schema=["source", "target"], orient="row").write_csv(place / "edges.csv")
    rows = [(f"p{a}", 20 + a % 4, row["club"]) for a, row in club.nodes(data=True)] + [("zoe", 20, "Officer")]
    pl.DataFrame(rows, schema=["name", "age", "club"], orient="row").write_csv(place / "people.csv")
    return place


@pytest.fixture(scope="module")
def outcome(folder):
    return protect_graph(graph_plan(PLAN.format(k=4, most=0.5), folder=folder), seed=7)


def test_the_job_meets_what_is_required(outcome):
    assert outcome.holds, [str(one) for one in outcome.verdicts]
    degrees = np.bincount(outcome.masked.graph.degrees())
    assert degrees[degrees > 0].min() >= 4
    assert [step.method for step in outcome.masked.trace] == ["k_degree", "shuffle_nodes"]


def test_the_verdict_is_on_the_files_that_would_be_published(outcome, tmp_path):
    for name, content in outcome.files.items():
        (tmp_path / name).write_bytes(content)
    found = read_graph(tmp_path / "edges.csv", nodes=tmp_path / "people.csv")
    assert found.edges.tolist() == outcome.masked.graph.edges.tolist()
    said = b"".join(outcome.files.values()).decode()
    assert "zoe" not in said and "p1" not in said and "name" not in said
    again = reidentify_nodes(found, original=outcome.original, attack="degree", lineage=outcome.masked.original_nodes())
    assert again.value == pytest.approx(outcome.worst.result.value)


def test_the_verdict_is_by_the_upper_end_of_the_worst_attack(folder, outcome):
    worst = outcome.worst.result
    between = (worst.value + worst.worst_case) / 2
    found = protect_graph(graph_plan(PLAN.format(k=4, most=between), folder=folder), seed=7)
    assert not found.holds and any("too small to be sure" in note for one in found.verdicts for note in one.notes)


def test_more_than_was_provided_does_not_pass(folder):
    found = protect_graph(graph_plan(PLAN.format(k=6, most=1.0), folder=folder), seed=7)
    assert [one.holds for one in found.verdicts] == [False, True]


def test_protection_lowers_what_degrees_give_away(outcome):
    before = {one.name: one.result for one in outcome.bare}["degree"]
    assert outcome.attacks[0].result.value < before.value


def test_an_intruder_who_knows_more_finds_more(folder):
    text = PLAN.format(k=4, most=0.5).replace('structure = "degree"', 'structure = "network"')
    found = protect_graph(graph_plan(text, folder=folder), seed=7)
    assert not found.holds and found.worst.name != "degree"


def test_the_same_seed_gives_the_same_files_and_a_note(folder, outcome):
    again = protect_graph(graph_plan(PLAN.format(k=4, most=0.5), folder=folder), seed=7)
    assert again.files == outcome.files and again.repeatable
    other = protect_graph(graph_plan(PLAN.format(k=4, most=0.5), folder=folder))
    assert other.files != outcome.files and not other.repeatable


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('quasi = ["age"]', 'quasi = ["agge"]', r"roles\.quasi: column 'agge' is not in the table"),
        ('edges = "edges.csv"', 'edges = "edge.csv"', "no such file"),
        ("knows = []", 'knows = ["pay"]', "'pay' is not in the table"),
        ("method = \"k_degree\"\nk = 4", "method = \"k_degree\"\nk = 400", r"line \d+, protect"),
    ],
)  # fmt: skip
def test_mistakes_point_at_the_plan(folder, old, new, says):
    text = PLAN.format(k=4, most=0.5)
    assert old in text
    with pytest.raises(TacitError, match=says):
        protect_graph(graph_plan(text.replace(old, new), folder=folder), seed=7)


def test_identifiers_are_left_out_and_graphml_is_one_file(folder):
    text = PLAN.format(k=4, most=0.5).replace('quasi = ["age"]', 'identifier = ["age"]')
    loaded = graph_plan(text + '[output]\nfile = "net.graphml"\n', folder=folder)
    assert original_of(loaded).attributes.columns == ("club",)
    found = protect_graph(loaded, seed=7)
    assert list(found.files) == ["net.graphml"] and b"age" not in found.files["net.graphml"]


def gaps_of(outcome):
    return {gap.code: gap for gap in outcome.gaps}


def test_attributes_that_no_requirement_covers_are_gaps(folder, outcome):
    assert gaps_of(outcome)["attribute_not_required"].columns == ("club",)
    assert "undecided_columns" not in gaps_of(outcome) and outcome.state == "not_covered"
    bare = PLAN.format(k=4, most=0.5).replace('quasi = ["age"]\nconfidential = ["club"]', "")
    found = protect_graph(graph_plan(bare, folder=folder), seed=7)
    assert gaps_of(found)["undecided_columns"].columns == ("age", "club")
    decided = PLAN.format(k=4, most=0.5).replace('confidential = ["club"]', 'unrestricted = ["club"]')
    found = protect_graph(graph_plan(decided, folder=folder), seed=7)
    assert not {"undecided_columns", "attribute_not_required"} & gaps_of(found).keys()
    private = bare.replace('method = "k_degree"\nk = 4', 'method = "dp_degrees"\nepsilon = 1').replace(
        "k_degree = 4\n", ""
    )
    private = private.replace("reidentification = 0.5", "reidentification = 1.0")
    assert "undecided_columns" not in gaps_of(protect_graph(graph_plan(private, folder=folder)))


def test_an_audit_tells_who_stands_out(folder):
    held = read_graph(folder / "edges.csv", nodes=folder / "people.csv")
    found = audit_graph(held, structure="degree", seed=1)
    assert found.singled_out and "attack degree" in str(found) and found.as_json()["nodes"] == 35


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_a_step(folder, method):
    plan = PLAN.format(k=1, most=1.0)
    first, last = plan.replace("[require]", '[kinds]\nage = "continuous"\n[require]').split("[[protect]]")
    before = step_lines("protect", {"method": "k_degree", "k": 5}) if method == "attributes_in_classes" else []
    steps = "\n".join(
        [*before, *step_lines("protect", {"method": method, **METHODS[method].example, **SMALL.get(method, {})})]
    )
    found = protect_graph(graph_plan(f"{first}{steps}\n[intruder]{last.split('[intruder]')[1]}", folder=folder), seed=3)
    assert found.holds and found.masked.trace[-1 if method == "shuffle_nodes" else -2].method == method
    assert found.masked.trace[-1].method == "shuffle_nodes" and found.losses
    again = read_again(found)
    assert again.edges.tolist() == found.masked.graph.edges.tolist()


def read_again(found):
    """The network from the bytes that would be published."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as place:
        for name, content in found.files.items():
            (Path(place) / name).write_bytes(content)
        nodes = Path(place) / "people.csv"
        return read_graph(Path(place) / "edges.csv", nodes=nodes if nodes.exists() else None)


def test_a_circle_that_the_plan_names_is_looked_for_by_group_alone(folder):
    circle = ["p0", "p1", "p2", "p3", "p7"]
    said = f"""
[[attack]]
method = "group"
targets = {circle}
[[attack]]
method = "coalition"
members = ["p33", "p32"]
"""
    text = PLAN.format(k=4, most=0.9).replace('structure = "degree"', 'structure = "network"') + said.replace("'", '"')
    outcome = protect_graph(graph_plan(text, folder=folder), seed=7)
    found = {one.name: one.result for one in outcome.attacks}
    assert found["group"].facts["records attacked"] == 5 and found["degree"].facts["records attacked"] == 35
    numbers = np.array([outcome.original.names.index(one) for one in circle])
    alone = reidentify_nodes(
        outcome.masked.graph,
        original=outcome.original,
        lineage=outcome.masked.original_nodes(),
        targets=numbers,
        attack="group",
        knows=[],
        seed=1,
    )
    assert found["group"].value == pytest.approx(alone.value)
    assert found["coalition"].facts["records attacked"] == 35 and found["coalition"].facts["placements"] >= 0


@pytest.mark.parametrize(
    ("said", "what"),
    [
        (
            'method = "group"\ntargets = ["p0", "nobody"]',
            r"attack.targets: targets: 'nobody' is no node of the network",
        ),
        ('method = "group"\ntargets = ["p0", "p0"]', "names somebody twice"),
        ('method = "group"\ntargets = []', "is no list of people"),
        ('method = "degree"\nmembers = ["p0"]', "degree has no parameter 'members'"),
        ('method = "coalition"\nmembers = "p0"', "is no list of people"),
    ],
)
def test_people_whom_a_plan_names_wrongly_are_told_with_their_line(folder, said, what):
    text = PLAN.format(k=4, most=0.9).replace('structure = "degree"', 'structure = "network"') + f"[[attack]]\n{said}\n"
    with pytest.raises(TacitError, match=what) as caught:
        protect_graph(graph_plan(text, folder=folder), seed=7)
    assert "line" in str(caught.value)


AGES = "[hierarchies]\nage = { intervals = [2, 10] }\n"


def test_attributes_are_recoded_by_the_hierarchies_of_the_plan(folder):
    """Ages 20 to 23 in steps of two years: with the hierarchy every released age is one of its labels."""
    text = PLAN.format(k=4, most=0.9).replace(
        "k = 4\n", 'k = 4\n[[protect]]\nmethod = "attributes_in_classes"\nk = 2\nknown = "degree"\n'
    )
    outcome = protect_graph(graph_plan(text.replace("[require]", f"{AGES}[require]"), folder=folder), seed=7)
    labels = set(outcome.masked.graph.attributes.series("age").cast(pl.String).unique().to_list())
    ladder = outcome.original.attributes.hierarchies["age"]
    assert labels <= {"20", "21", "22", "23", "[20, 22)", "[22, 24)", "[20, 30)", "*"}, (labels, ladder)
    assert labels & {"[20, 22)", "[22, 24)", "[20, 30)"}, labels


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("age = { intervals = [0] }", "line 11, hierarchies.age"),
        ("shoe = { intervals = [2] }", "hierarchies.shoe: column 'shoe' is not in the table"),
        ('age = { file = "none.csv" }', "hierarchies.age"),
    ],
)
def test_a_hierarchy_that_is_wrong_is_told_with_its_line(folder, said, what):
    text = PLAN.format(k=4, most=0.9).replace("[require]", f"[hierarchies]\n{said}\n[require]")
    with pytest.raises(TacitError, match=what):
        original_of(graph_plan(text, folder=folder))
