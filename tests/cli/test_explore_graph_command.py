"""``tacit explore`` on a plan about a network, and the point that it writes. catalogue: F-06, K-04"""

import json
import re
import tomllib

import networkx as nx
import polars as pl

from .commands import tacit

PLAN = """\
[data]
noun = "graph"

[graph]
edges = "edges.csv"

[require]
k_degree = 3
reidentification = 0.5

[intruder]
structure = "degree"

[study]
search = "grid"
candidates = 6

[[study.strategy]]
name = "alike"
steps = [{ method = "k_degree", k = { from = 2, to = 8 } }]

[[study.strategy]]
name = "drawn"
steps = [{ method = "change_edges", delete = { from = 0.1, to = 0.4 }, add = 0.1 }]
"""


def test_from_a_map_of_a_network_to_its_release(tmp_path):
    edges = pl.DataFrame(list(nx.karate_club_graph().edges), schema=["source", "target"], orient="row")
    edges.write_csv(tmp_path / "edges.csv")
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN, encoding="utf-8")
    done = tacit("explore", plan, "--workers", 1)
    assert done.returncode == 0, done.stderr
    assert "loses least of those that meet every requirement" in done.stdout
    folder = tmp_path / "study"
    assert {file.name for file in folder.iterdir()} == {"map.html", "candidates.csv", "study.json", "study.sqlite"}
    table = pl.read_csv(folder / "candidates.csv")
    losses = {"edge_overlap", "degrees", "clustering", "paths", "assortativity", "spectrum", "communities"}
    assert {f"loss: {name}" for name in losses} | {"attack: degree", "risk: reidentification"} <= set(table.columns)
    best = int(re.search(r"--point (\d+) --write best\.toml", done.stdout)[1])
    written = tacit("explore", plan, "--point", best, "--write", tmp_path / "best.toml")
    assert written.returncode == 0, written.stderr
    assert f"tacit graph protect {tmp_path / 'best.toml'}" in written.stdout
    chosen = json.loads((folder / "study.json").read_text())["points"][best]
    assert tomllib.loads((tmp_path / "best.toml").read_text())["protect"] == chosen["steps"]
    released = tacit("graph", "protect", tmp_path / "best.toml", "--out", tmp_path / "out")
    assert released.returncode == 0, released.stdout + released.stderr
    assert (tmp_path / "out" / "public" / "network" / "edges.csv").is_file()
