"""One shape of ``result.json`` for every kind of job, by the published schema."""

import json
from pathlib import Path

import jsonschema
import polars as pl
import pytest

from tacit.plan import from_text, run
from tacit.plan.graph import graph_plan, protect_graph
from tacit.plan.publish import run_and_publish
from tacit.plan.rules_job import RulesPlan, hide_patterns
from tacit.plan.table import protect_table, table_plan
from tacit.protect.rules import MinFia
from tacit.report import render

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/result.schema.json").read_text())
PEOPLE = '[data]\npath = "people.csv"\nmissing = "own"\n[roles]\nquasi = ["zip", "sex"]\nconfidential = ["ill"]\n[require]\nk_anonymity = 2\n'
MASK = '[[protect]]\nmethod = "suppress_cells"\nk = 2\n'
SYNTH = '[synth]\nholdout = 0.3\n[[protect]]\nmethod = "synth_trees"\nleaf = 5\n'
TABLE = '[data]\npath = "people.csv"\n[table]\nby = ["zip", "sex"]\n[[rule]]\nmethod = "minimum_frequency"\nn = 3\n'
GRAPH = '[graph]\nedges = "edges.csv"\n[require]\nk_degree = 1\n[[protect]]\nmethod = "k_degree"\nk = 2\n'


def microdata_job(folder):
    return from_text(PEOPLE + MASK, folder=folder), run


def synthesis_job(folder):
    return from_text(PEOPLE.replace("k_anonymity = 2", "membership = 1.0") + SYNTH, folder=folder), run


def table_job(folder):
    return table_plan(TABLE, folder=folder), protect_table


def graph_job(folder):
    return graph_plan(GRAPH, folder=folder), protect_graph


def rules_job(folder):
    plan = RulesPlan(
        file=folder / "shop.basket",
        output_folder=folder / "out",
        sensitive=("bread, milk",),
        minsup=3,
        method=MinFia(),
    )
    return plan, hide_patterns


@pytest.fixture
def folder(tmp_path):
    rows = [{"zip": f"N{n % 3}", "sex": "fm"[n % 2], "ill": "xyz"[n % 3]} for n in range(60)]
    pl.DataFrame([*rows, {"zip": "N9", "sex": "f", "ill": "x"}]).write_csv(tmp_path / "people.csv")
    edges = [(n, (n + step) % 12) for n in range(12) for step in (1, 2, 5)]
    pl.DataFrame(edges, schema=["source", "target"], orient="row").write_csv(tmp_path / "edges.csv")
    (tmp_path / "shop.basket").write_text("bread,milk\n" * 4 + "bread,tea\n" * 6)
    return tmp_path


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("microdata", microdata_job),
        ("synthesis", synthesis_job),
        ("table", table_job),
        ("graph", graph_job),
        ("rules", rules_job),
    ],
)
def test_every_kind_of_job_writes_a_result_by_the_published_schema(folder, kind, make):
    job, runner = make(folder)
    outcome, placed = run_and_publish(job, runner, folder / "out", render=render)
    written = json.loads((placed.internal / "result.json").read_text())
    jsonschema.validate(written, SCHEMA)
    assert (written["version"], written["kind"], written["state"]) == (1, kind, outcome.state)
    assert [one["holds"] for one in written["requirements"]] == [verdict.holds for verdict in outcome.verdicts]
    on_disk = {path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*") if path.is_file()}
    unlisted = {"internal/result.json", "internal/attempt.json", "register.jsonl"}
    assert outcome.passes and on_disk - unlisted == set(written["files"])


def test_a_result_without_a_version_is_refused():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"kind": "table"}, SCHEMA)
