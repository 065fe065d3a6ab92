"""The attack commands as a user types them."""

from __future__ import annotations

import json

import polars as pl
import pytest

from .test_cli import job, tacit  # noqa: F401 - the job is a fixture


@pytest.fixture(scope="module")
def paths(job):  # noqa: F811
    out = job / "out"
    return [
        "attack", out / "public" / "clinic.csv", "--original", job / "clinic.csv", "--plan", job / "plan.toml",
        "--lineage", out / "internal" / "lineage.parquet",
    ]  # fmt: skip


def test_the_trace_of_the_job_is_used(job, paths):  # noqa: F811  # catalogue: A-02, M-05
    knows = "income,sex,rent"
    told = ["--told", job / "out" / "public" / "trace.json"]
    done = tacit(*paths, "--knows", knows, *told, "--method", "transparency,distance", "--json")
    assert done.returncode == 0, done.stderr
    found = {one["name"]: one["result"]["value"] for one in json.loads(done.stdout)}
    assert found["transparency"] > 1.5 * found["distance"], "the reach of rank swapping was told"
    blind = tacit(*paths, "--knows", knows, "--json")
    not_run = {one["name"]: one["not run"] for one in json.loads(blind.stdout)}
    assert "nothing was told" in not_run["transparency"]


def test_a_report_and_a_control_group(job, paths):  # noqa: F811
    assert tacit("example", "clinic", "--out", job / "others", "--rows", 300, "--seed", 9).returncode == 0
    report = job / "attack.html"
    done = tacit(
        *paths, "--control", job / "others" / "clinic.csv", "--method", "distance", "--report", report,
        "--at-most", "0.9", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["result"]["facts"]["control"] > 0
    assert "Who is at risk" in report.read_text()


def test_columns_of_other_names_are_matched(job, tmp_path):  # noqa: F811  # catalogue: C-06
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


def test_the_curve_of_a_parameter(job):  # noqa: F811
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
def test_mistakes_of_the_curve_are_answered(job, options, says):  # noqa: F811
    done = tacit("curve", job / "plan.toml", *options)
    assert done.returncode == 2
    assert says in done.stderr


def test_an_unknown_attack_and_a_broken_trace_are_named(job, paths):  # noqa: F811
    assert "did you mean 'distance'?" in tacit(*paths, "--method", "distanc").stderr
    assert "there is no trace" in tacit(*paths, "--told", job / "none.json").stderr


def test_a_bound_without_any_attack_is_not_met(job, paths):  # noqa: F811  # catalogue: A-02
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
        (["--same-order", "--method", "minimality"], "finds values, not people"),
    ],
)
def test_mistakes_of_the_attack_are_answered(job, paths, options, says):  # noqa: F811
    done = tacit(*paths[:-2], *options)
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert "did you mean 'income'" not in done.stderr
