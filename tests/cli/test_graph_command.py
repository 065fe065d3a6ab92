"""``tacit graph``: networks as a user types them. catalogue: K-01, K-02, K-03, K-04"""

from __future__ import annotations

import json

import networkx as nx
import polars as pl
import pytest

from .commands import tacit

PLAN = """[data]
noun = "graph"
[graph]
edges = "edges.csv"
nodes = "people.csv"
[roles]
quasi = ["age"]
[require]
k_degree = 3
reidentification = 0.7
[[protect]]
method = "k_degree"
k = 3
[intruder]
structure = "degree"
knows = []
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place, club = tmp_path_factory.mktemp("club"), nx.karate_club_graph()
    ends = [(f"p{a}", f"p{b}") for a, b in club.edges]
    pl.DataFrame(ends, schema=["source", "target"], orient="row").write_csv(place / "edges.csv")
    rows = [(f"p{a}", 20 + a % 4) for a in club]
    pl.DataFrame(rows, schema=["name", "age"], orient="row").write_csv(place / "people.csv")
    (place / "plan.toml").write_text(PLAN)
    done = tacit("graph", "protect", place / "plan.toml", "--out", place / "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Both requirements you set are met" in done.stdout and "may go out" not in done.stdout
    return place


def test_a_protected_network_is_published(folder):
    public, internal = folder / "out" / "public", folder / "out" / "internal"
    assert {path.name for path in public.iterdir()} == {"network", "report.html", "trace.json"}
    assert {path.name for path in (public / "network").iterdir()} == {"edges.csv", "people.csv"}
    kept = {"report.html", "result.json", "lineage.parquet", "seed.txt", "plan.toml"}
    assert {path.name for path in internal.iterdir()} == {
        *kept,
        "attempt.json",
    } and internal.stat().st_mode & 0o077 == 0
    assert json.loads((public / "trace.json").read_text())[-1]["method"] == "shuffle_nodes"
    assert json.loads((internal / "result.json").read_text())["holds"]
    for path in [*(public / "network").iterdir(), public / "report.html"]:
        assert "p33" not in path.read_text()


def test_it_can_be_done_again_and_a_failure_publishes_nothing(folder, tmp_path):
    again = tacit("graph", "protect", folder / "plan.toml", "--out", folder / "out")
    assert again.returncode == 0, again.stderr
    (folder / "strict.toml").write_text(PLAN.replace("k_degree = 3", "k_degree = 9"))
    done = tacit("graph", "protect", folder / "strict.toml", "--out", tmp_path / "out")
    assert done.returncode == 1 and "you set is not met" in done.stdout
    assert not (tmp_path / "out" / "public").exists() and (tmp_path / "out/refused/0001/internal/report.html").exists()


def test_strict_turns_what_no_requirement_covers_into_exit_1(folder, tmp_path):
    """Degrees alike: met for who knows degrees, and whoever has the network finds most."""
    done = tacit("graph", "protect", folder / "plan.toml", "--out", tmp_path / "out", "--strict", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["holds"] and found["state"] == "not_covered", done.stderr
    assert {gap["code"] for gap in found["gaps"]} == {"stronger_intruder", "weak_requirement"}
    assert not (tmp_path / "out" / "public").exists()
    covered = PLAN.replace('method = "k_degree"\nk = 3', 'method = "dp_degrees"\nepsilon = 1').replace(
        "k_degree = 3\n", ""
    )
    covered = covered.replace("reidentification = 0.7", "reidentification = 0.2")
    (folder / "covered.toml").write_text(covered.replace('quasi = ["age"]', 'identifier = ["age"]'))
    done = tacit("graph", "protect", folder / "covered.toml", "--out", tmp_path / "covered", "--strict", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["state"] == "met", done.stdout + done.stderr


def test_an_audit_says_who_stands_out(folder):
    done = tacit("graph", "audit", folder / "edges.csv", "--nodes", folder / "people.csv", "--quasi", "age", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["nodes"] == 34 and {one["name"] for one in found["attacks"]} >= {"degree", "refinement", "attributes"}
    assert "p33" not in done.stdout


def test_a_release_is_attacked_and_judged(folder):
    given = ("--original", folder / "edges.csv", "--nodes", folder / "people.csv")
    given += ("--lineage", folder / "out" / "internal" / "lineage.parquet")
    network = folder / "out" / "public" / "network"
    call = ("graph", "attack", network / "edges.csv", "--masked-nodes", network / "people.csv", *given)
    done = tacit(*call, "--structure", "degree", "--method", "degree", "--at-most", "0.9")
    assert done.returncode == 0 and "finds" in done.stdout, done.stderr
    assert tacit(*call, "--at-most", "0.01").returncode == 1
    circle = ("--targets", "p0,p1,p2,p3", "--members", "p33,p32")
    done = tacit(*call, *circle, "--method", "group,coalition", "--json")
    assert done.returncode == 0, done.stderr
    for one in json.loads(done.stdout):
        facts = one["result"]["facts"]
        assert facts["records attacked"] == 4 and {"share unique", "expected re-identified", "baseline"} <= set(facts)
    for seeds, people in (("hubs=3", 3), ("random=4", 4), ("p0,p1", 2), ("0.1", 3)):
        done = tacit(*call, "--method", "propagation", "--seeds", seeds, "--json")
        (one,) = json.loads(done.stdout)
        facts = one["result"]["facts"]
        assert facts["seeds"] == people and ("runs" in facts) == (seeds in ("random=4", "0.1")), done.stderr
    wrong = tacit(*call, "--seeds", "1.5")
    assert wrong.returncode == 2 and "neither pairs nor a share" in wrong.stderr
    nobody = tacit(*call, "--targets", "p0,p99")
    assert nobody.returncode == 2 and "'p99' is no node of the network" in nobody.stderr
    few = tacit(*call, "--members", "p33", "--structure", "degree")
    assert few.returncode == 2 and "knows the network around itself" in few.stderr
    odd = tacit(*call, "--method", "degre")
    assert odd.returncode == 2 and "did you mean 'degree'" in odd.stderr


def test_networks_of_nobody_are_made(folder, tmp_path):
    done = tacit(
        "graph", "synth", "degree_sequence", "--like", folder / "edges.csv", "--out", tmp_path / "s.csv", "--seed", 1
    )
    assert done.returncode == 0 and "degrees, exactly" in done.stdout, done.stderr
    made = pl.read_csv(tmp_path / "s.csv")
    assert made.height == 78 and made.columns == ["source", "target"]
    again = tacit("graph", "synth", "degree_sequence", "--like", folder / "edges.csv", "--out", tmp_path / "s.csv")
    assert again.returncode == 2 and "exists already" in again.stderr


def test_other_encodings_and_separators_are_read_when_they_are_named(folder):
    (folder / "latin.csv").write_bytes("source;target\nJos\u00e9;Ana\nAna;Zo\u00eb\n".encode("windows-1252"))
    done = tacit("graph", "audit", folder / "latin.csv")
    assert done.returncode == 2 and "--encoding windows-1252" in done.stderr
    done = tacit("graph", "audit", folder / "latin.csv", "--encoding", "windows-1252", "--separator", ";", "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["nodes"] == 3, done.stderr
    plan = '[data]\nnoun = "graph"\nencoding = "windows-1252"\nseparator = ";"\n[graph]\nedges = "latin.csv"\n'
    (folder / "latin.toml").write_text(plan + "[require]\nk_degree = 1\n")
    done = tacit("graph", "protect", folder / "latin.toml", "--out", folder / "latin out")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("audit", "none.csv"), "no such file"),
        (("audit", "edges.csv", "--structure", "all"), "is unknown"),
        (("audit", "edges.csv", "--ends", "a,b"), "is not in the table"),
        (("audit", "edges.csv", "--wrong", "2"), "wrong=2.0 is no share below 1"),
        (("audit", "edges.csv", "--nodes", "edges.csv"), "names a node a second time"),
        (("synth", "small_world", "--out", "x.csv"), "is unknown"),
        (("synth", "degree_sequence", "--set", "degrees=[3,3,1,1]", "--out", "x.csv"), "no simple graph has these"),
        (("protect", "none.toml"), "there is no plan file"),
    ],
)
def test_mistakes_end_with_2_and_a_remedy(folder, arguments, says):
    placed = [folder / one if one.endswith((".csv", ".toml")) else one for one in arguments]
    done = tacit("graph", *placed)
    assert done.returncode == 2 and says in done.stderr and "fix:" in done.stderr
