"""The attack commands as a user types them."""

from __future__ import annotations

import json
import shutil

import polars as pl
import pytest

from .commands import some, tacit


@pytest.fixture(scope="module")
def job(finished_job, tmp_path_factory):
    return shutil.copytree(finished_job, tmp_path_factory.mktemp("attack") / "job")


@pytest.fixture(scope="module")
def paths(job):
    out = job / "out"
    return [
        "attack", out / "public" / "clinic.csv", "--original", job / "clinic.csv", "--plan", job / "plan.toml",
        "--lineage", out / "internal" / "lineage.parquet",
    ]  # fmt: skip


def with_exact_rents(job, folder):
    """The release and its trace without the rounding of rents: what is told of the swapped incomes decides then."""
    public = job / "out" / "public"
    rows = pl.read_parquet(job / "out" / "internal" / "lineage.parquet")["row"]
    rents = pl.read_csv(job / "clinic.csv", infer_schema=False)["rent"].gather(rows)
    pl.read_csv(public / "clinic.csv", infer_schema=False).with_columns(rents).write_csv(folder / "exact.csv")
    steps = json.loads((public / "trace.json").read_text())
    kept = [step for step in steps if step["parameters"].get("columns") != ["rent"]]
    assert len(kept) == len(steps) - 1
    (folder / "exact.json").write_text(json.dumps(kept))
    return folder / "exact.csv", folder / "exact.json"


def test_the_trace_of_the_job_is_used(job, paths, tmp_path):  # catalogue: A-02, M-05
    knows = "income,sex,rent"
    exact, told = with_exact_rents(job, tmp_path)
    words = ["--knows", knows, "--told", told, "--method", "transparency,distance", "--json"]
    done = tacit("attack", exact, *paths[2:], *words)
    assert done.returncode == 0, done.stderr
    found = {one["name"]: one["result"]["value"] for one in json.loads(done.stdout)}
    assert found["transparency"] > 1.5 * found["distance"], "the reach of rank swapping was told"
    few, whose = some(job, tmp_path)
    blind = tacit("attack", few, *paths[2:-1], whose, "--knows", knows, "--json")
    not_run = {one["name"]: one["not_run"] for one in json.loads(blind.stdout)}
    assert "nothing was told" in not_run["transparency"]


def test_at_most_is_not_judged_while_a_column_could_not_be_compared(tmp_path):
    people = pl.DataFrame({"zip": [str(1000 + i) for i in range(60)], "sex": ["f", "m"] * 30})
    people.write_csv(tmp_path / "original.csv")
    people.with_columns(zip=pl.lit("odd ") + pl.col("zip")).write_csv(tmp_path / "masked.csv")
    asked = ["attack", tmp_path / "masked.csv", "--original", tmp_path / "original.csv", "--same-order", "--json"]
    warned = tacit(*asked)
    notes = [json.loads(line)["warning"] for line in warned.stderr.splitlines() if line.startswith('{"warning"')]
    assert [(note["code"], note["fields"]) for note in notes] == [("column_not_comparable", {"column": "zip"})]
    refused = tacit(*asked, "--at-most", "0.9")
    assert refused.returncode == 2, "an attack that was weakened passes nothing"
    assert json.loads(refused.stderr.splitlines()[-1])["error"]["code"] == "not_comparable"


def test_a_report_and_a_control_group(job, paths):
    assert tacit("example", "clinic", "--out", job / "others", "--rows", 300, "--seed", 9).returncode == 0
    report = job / "attack.html"
    done = tacit(
        *paths, "--control", job / "others" / "clinic.csv", "--method", "distance", "--report", report,
        "--at-most", "0.9", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["result"]["facts"]["control"] > 0
    assert "Who is at risk" in report.read_text()


def test_columns_of_other_names_are_matched(job, tmp_path):  # catalogue: C-06
    original = pl.read_csv(job / "clinic.csv").with_row_index("id")
    original.select("id", "income", "rent", "sex").write_csv(tmp_path / "masked.csv")
    theirs = original.select("id", a="income", b="rent", c="sex")
    theirs.write_csv(tmp_path / "theirs.csv")
    pair = ["attack", tmp_path / "masked.csv", "--original", tmp_path / "theirs.csv", "--key", "id", "--json"]
    alone = tacit(*pair)
    assert alone.returncode == 2 and "--match-columns" in alone.stderr
    done = tacit(*pair, "--match-columns", "--method", "distance")
    assert done.returncode == 0, done.stderr
    assert "matched: a → income" in done.stderr
    assert json.loads(done.stdout)[0]["result"]["value"] > 0.7


def test_the_curve_of_a_parameter(job):
    done = tacit(
        "curve", job / "plan.toml", "--parameter", "k", "--values", "2,8", "--report", job / "k.html", "--json"
    )
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout) if row["attack"] == "distance"]
    assert [row["parameter"] for row in rows] == ["2", "8"]
    assert rows[0]["value"] > rows[1]["value"]
    assert "<svg" in (job / "k.html").read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--parameter", "kk", "--values", "2"], "did you mean 'k'?"),
        (["--parameter", "k", "--values", ","], "no value"),
        (["--parameter", "k", "--values", "0"], "k=0"),
        (["--parameter", "k", "--step", "1", "--values", "3"], "--step 2"),
    ],
)
def test_mistakes_of_the_curve_are_answered(job, options, says):
    done = tacit("curve", job / "plan.toml", *options)
    assert done.returncode == 2
    assert says in done.stderr


def test_an_unknown_attack_and_a_broken_trace_are_named(job, paths):
    assert "did you mean 'distance'?" in tacit(*paths, "--method", "distanc").stderr
    assert "there is no trace" in tacit(*paths, "--told", job / "none.json").stderr


def test_a_bound_without_any_attack_is_not_met(job, paths):  # catalogue: A-02
    report = job / "none.html"
    done = tacit(*paths, "--method", "transparency", "--at-most", "0.05", "--report", report)
    assert done.returncode == 2 and "no attack was made" in done.stderr, done.stderr
    assert not report.exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--key", "zip", "--same-order"], "in several ways"),
        (["--key", "name"], "is not in the masked file"),
        (["--knows", "zip,name", "--same-order"], "'name' is not in both files"),
        (["--same-order", "--method", "minimality"], "no attack was made"),
    ],
)
def test_mistakes_of_the_attack_are_answered(job, paths, options, says):
    done = tacit(*paths[:-2], *options)
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert "did you mean 'income'" not in done.stderr


@pytest.fixture(scope="module")
def small(job, tmp_path_factory):
    """Two files of 200 people, the second with one column almost as it was and another mostly shuffled."""
    folder = tmp_path_factory.mktemp("small")
    original = pl.read_csv(job / "clinic.csv").select("income", "rent").head(200)
    original.write_csv(folder / "original.csv")
    mixed = (pl.col("rent") + 3 * pl.col("rent").shuffle(seed=1)) / 4
    original.with_columns(mixed.alias("rent"), pl.col("income") * 1.0001).write_csv(folder / "masked.csv")
    return ["attack", folder / "masked.csv", "--original", folder / "original.csv", "--method", "learned"]


def test_a_learned_distance_is_asked_for_by_its_family(small):  # catalogue: C-07
    done = tacit(*small, "--same-order", "--family", "bilinear", "--exact", "2", "--json", "--seed", "1")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)[0]["result"]["facts"]
    assert facts["family"] == "bilinear"
    assert facts["columns that identify people"]["income"] > facts["columns that identify people"]["rent"]
    assert facts["resubstitution (upper bound)"] <= facts["no such distance finds more than"]
    plain = tacit(*small, "--same-order", "--seed", "1")
    assert "columns that identify people" in plain.stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--same-order", "--family", "bilineal"], "did you mean 'bilinear'?"),
        (["--same-order", "--exact", "-1"], "--exact -1 leaves no time"),
        ([], "which rows belong together"),
    ],
)
def test_what_cannot_be_learned_is_said(small, options, says):
    done = tacit(*small, *options)
    assert says in done.stdout + done.stderr


@pytest.mark.parametrize("option", [("--family", "choquet"), ("--exact", "5")])
def test_what_is_said_about_a_distance_that_is_not_to_be_learned_is_refused(small, option):
    done = tacit(*small[:-1], "distance", "--same-order", *option)
    assert done.returncode == 2
    assert f"{option[0]} is for the attack learned, and only distance" in done.stderr


def test_the_plan_says_how_an_attack_is_made(job, paths):
    plan = job / "with_attack.toml"
    section = '[[attack]]\nmethod = "learned"\nfamily = "ordered"\nsample = 60\nfolds = 3\n'
    plan.write_text((job / "plan.toml").read_text() + "\n" + section)
    asked = [plan if one == job / "plan.toml" else one for one in paths]
    done = tacit(*asked, "--method", "learned", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)[0]["result"]["facts"]
    assert (facts["family"], facts["learned from"], facts["estimate"]) == ("ordered", 60, "cross-validated, 3 folds")
    again = tacit(*asked, "--method", "learned", "--family", "arithmetic", "--json")
    assert json.loads(again.stdout)[0]["result"]["facts"]["family"] == "arithmetic"
