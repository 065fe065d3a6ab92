"""``tacit synth`` as a user types it. catalogue: L-02."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from ..attack.generators import people
from .commands import tacit

PLAN = """\
[data]
path = "people.csv"
missing = "own"
[roles]
quasi = ["town", "job"]
confidential = ["ill"]
[kinds]
age = "continuous"
pay = "continuous"
{synth}
[require]
copies = {copies}
[[protect]]
{method}
[[attack]]
method = "inference"
estimator = "tree"
[[attack]]
method = "shadow_generators"
count = 4
"""
TREES = 'method = "synth_trees"\nleaf = {leaf}\nsmooth = false'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people(300, 1).write_csv(tmp_path / "people.csv")
    return tmp_path


def plan(
    folder: Path, *, synth: str = "[synth]\nholdout = 0.5", copies: float = 0.2, method: str = TREES.format(leaf=20)
) -> Path:
    path = folder / "plan.toml"
    path.write_text(PLAN.format(synth=synth, copies=copies, method=method))
    return path


def test_careful_trees_are_released_and_careless_ones_are_not(folder):
    done = tacit("synth", plan(folder), "--out", folder / "out", "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "exact copies" in done.stdout and "Taught by synthetic file" in done.stdout and "worst 1 %" in done.stdout
    first = (folder / "out" / "public" / "people.csv").read_bytes()
    assert pl.read_csv(first).height == 150
    again = tacit("release", plan(folder), "--out", folder / "again", "--seed", "7")  # the same job by its other name
    assert again.returncode == 0 and (folder / "again" / "public" / "people.csv").read_bytes() == first
    careless = tacit(
        "synth",
        plan(folder, method=TREES.format(leaf=1) + "\nfewest = 1"),
        "--out",
        folder / "out",
        "--json",
        "--keep-rejected",
    )
    assert careless.returncode == 1 and (folder / "out" / "public" / "people.csv").read_bytes() == first
    found = json.loads(careless.stdout)
    assert found["details"]["synthesis"] | {"captured": None} == {
        "files": 1, "trained": 150, "outsiders": 150, "control": "kept back", "captured": None,
    }  # fmt: skip
    copied = next(one for one in found["attacks"] if one["name"] == "exact_copies")
    assert copied["gain"]["value"] > 0.5 and "per_record" not in careless.stdout
    assert len(list((folder / "out").rglob("rejected/people.csv"))) == 1


def test_mistakes_end_with_two_and_leave_nothing(folder):
    for changed, said in (
        ({"synth": "[synth]\nholdout = 2"}, "line 11, synth.holdout: holdout = 2"),
        ({"method": 'method = "rank_swap"\ncolumns = ["pay"]\npercent = 5'}, "no step makes synthetic records"),
        ({"synth": ""}, "copies cannot be judged"),  # nobody is kept back
    ):
        done = tacit("synth", plan(folder, **changed), "--out", folder / "out")
        assert done.returncode == 2 and said in done.stderr, done.stderr
        assert not (folder / "out").exists()
