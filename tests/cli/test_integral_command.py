"""``tacit integral``: a model that many databases give, or none, and mistakes. catalogue: D-09."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from tacit import Release
from tacit.models.integral import read_model

from .commands import tacit


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(2)
    age = rng.integers(18, 90, 300)
    ill = np.where(age + rng.normal(0, 8, 300) > 55, "yes", "no")
    made = tmp_path_factory.mktemp("integral")
    pl.DataFrame({"id": range(300), "age": age, "ill": ill, "pay": 500.0 + 10 * age}).write_csv(made / "people.csv")
    return made


ASKED = ("--target", "ill", "--identifier", "id", "--grid", "age=10", "--on", "age", "--seed", 7, "--draws", 60)


def test_the_model_is_written_and_says_nothing_of_the_file(folder, tmp_path):
    out = tmp_path / "model.json"
    depth = ("--parameter", "depth=2", "--size", "40,60")
    done = tacit("integral", folder / "people.csv", *ASKED, *depth, "--k", 10, "--disjoint", 2, "--out", out)
    assert done.returncode == 0, done.stderr
    assert "integral privacy  holds" in done.stdout and str(out) in done.stdout and "generators" in done.stdout
    written = json.loads(out.read_text())
    promise = {"k": 10, "disjoint": 2, "share": 1.0, "delta": 0.0, "sizes": [40, 60]}
    assert written["integral privacy"] == promise
    people = pl.read_csv(folder / "people.csv")
    right = (read_model(out).predict(Release(people)) == people["ill"].to_numpy()).mean()
    assert right > 0.8
    again = tacit("integral", folder / "people.csv", *ASKED, *depth, "--k", 10, "--out", out)
    assert again.returncode == 2 and "exists already" in again.stderr and json.loads(out.read_text()) == written


def test_when_no_model_recurs_so_often_nothing_is_written(folder, tmp_path):
    out = tmp_path / "model.json"
    done = tacit("integral", folder / "people.csv", *ASKED, "--k", 61, "--out", out)
    assert done.returncode == 1 and "does not hold" in done.stdout and "model  none" in done.stdout
    assert not out.exists()


def test_json_for_a_pipeline_and_a_distance(folder):
    strict, wide = (
        json.loads(tacit("integral", folder / "people.csv", *ASKED, "--k", 2, *more, "--json").stdout)
        for more in ((), ("--delta", 0.2))
    )
    assert strict["verdict"]["holds"] and strict["space"]["population"] == 240
    assert strict["space"]["delta"] == 0 and wide["space"]["delta"] == 0.2
    assert wide["space"]["pareto"][0]["generators"] > strict["space"]["pareto"][0]["generators"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--k", 1), "k=1"),
        (("--k", 5, "--model", "forest"), "--model 'forest' is unknown"),
        (("--k", 5, "--model", "k_means", "--parameter", "clusters=2"), "k_means has no parameter 'target'"),
        (("--k", 5, "--parameter", "dept=2"), "did you mean 'depth'"),
        (("--k", 5, "--size", "many"), "--size 'many'"),
        (("--k", 5, "--size", 301), "301 records"),
        (("--k", 5, "--grid", "age"), "--grid 'age'"),
        (("--k", 5, "--delta", -1), "delta=-1"),
        (("--k", 5, "--out", "no/such/folder.json"), "does not exist"),
        (("--k", 5, "--on", "agee"), "did you mean 'age'"),
    ],
)
def test_mistakes_end_with_code_2(folder, more, said):
    done = tacit("integral", folder / "people.csv", *ASKED, *more)
    assert done.returncode == 2 and said in done.stderr and "fix:" in done.stderr, done.stderr


def test_means_and_clusters_need_no_target(folder):
    for model, more in (("moments", ()), ("k_means", ("--parameter", "clusters=2"))):
        done = tacit(
            "integral", folder / "people.csv", "--model", model, *more, "--on", "age", "--grid", "age=20",
            "--k", 3, "--draws", 30, "--seed", 7,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr + done.stdout
