"""``tacit attack`` on what is learnt about people, as a user types it. catalogue: B-04, B-06, B-07, C-08, D-05."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from .commands import tacit

ROWS = 200
PLAN = """\
[data]
path = "a.csv"
missing = "own"
[roles]
identifier = ["name"]
quasi = ["zip", "age"]
confidential = ["ill"]
[hierarchies]
zip = { prefix = [3, 2] }
[require]
k_anonymity = 1
"""


def people(rows: int, seed: int) -> pl.DataFrame:
    """What people have follows from where they live, but for one in five."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 12, rows)
    own = np.where(rng.random(rows) < 0.2, rng.integers(0, 3, rows), place % 3)
    return pl.DataFrame(
        {
            "name": [f"n{seed}-{row}" for row in range(rows)],
            "zip": [f"N{one:02d}" for one in place],
            "age": rng.integers(20, 80, rows),
            "pay": rng.lognormal(10, 1, rows),
            "ill": np.array(["flu", "gout", "acne"])[own],
            "same": ["one"] * rows,
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("learning")
    original, others = people(ROWS, 1), people(ROWS, 2)
    original.write_csv(made / "a.csv")
    original.drop("name").write_csv(made / "m.csv")
    others.drop("name").write_csv(made / "others.csv")
    coarse = pl.col("zip").str.slice(0, 2) + "*"
    original.select(coarse, "age", "ill").write_csv(made / "second.csv")
    unlike = pl.lit("area ") + pl.col("zip")
    original.select(unlike.alias("zip"), "age", "ill").write_csv(made / "unlike.csv")
    original.select("pay").write_csv(made / "pay.csv")
    original.drop("name").with_columns(ill=pl.lit("SECRET") + pl.col("ill")).write_csv(made / "unseen.csv")
    others.clear().write_csv(made / "empty.csv")
    (made / "plan.toml").write_text(PLAN)
    return made


def attack(folder: Path, *options: object, masked: str = "m.csv"):
    return tacit("attack", masked, "--original", "a.csv", "--same-order", *options, cwd=folder)


def found(done) -> dict[str, dict]:
    assert done.returncode == 0, done.stderr
    return {one["name"]: one for one in json.loads(done.stdout)}


@pytest.mark.parametrize("estimator", ["linear", "neighbours"])
def test_each_estimator_can_be_named(folder, estimator):
    made = found(attack(folder, "--knows", "zip", "--confidential", "ill", "--method", "inference",
                        "--estimator", estimator, "--json"))  # fmt: skip
    inferred = made["inference"]["result"]
    assert inferred["value"] > inferred["facts"]["best single guess"] + 0.2
    assert made["taught"]["smallest sets"] is not None and made["taught"]["agreement"] is not None


def test_what_teaches_a_column_is_told_and_drawn(folder):
    report = folder / "page.html"
    done = attack(folder, "--knows", "zip,age", "--confidential", "ill", "--method", "inference", "--estimator", "tree",
                  "--control", "others.csv", "--report", report)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "what teaches ill" in done.stdout and "agreement of models (DDMBAR) of ill" in done.stdout
    page = report.read_text()
    assert "What teaches ill" in page and "The fewest columns that tell it" in page and "zip" in page
    assert "learnt above outsiders" in page


def test_presence_and_a_bridge_beside_a_control(folder):  # catalogue: B-06, C-08
    options = ["--knows", "zip,age", "--second", "pay", "--control", "others.csv"]
    made = found(attack(folder, *options, "--method", "membership,singling_out,bridge", "--json"))
    assert made["membership"]["result"]["value"] > 0.6, "the file is published as it is"
    assert "control" in made["singling_out"]["result"]["facts"]
    joined = made["bridge"]["result"]
    assert joined["name"] == "linkability" and joined["value"] > 50 * joined["facts"]["baseline"]
    assert joined["facts"]["control"] < joined["value"] / 5


def test_another_release_needs_none_of_the_columns_of_the_plan(folder):  # catalogue: D-05
    options = ["--plan", "plan.toml", "--method", "composition", "--confidential", "ill", "--json"]
    alone = found(attack(folder, *options, "--also", "second.csv", "--control", "others.csv"))
    assert alone["composition"]["result"]["facts"]["releases"] == 2
    assert "control" in alone["composition"]["result"]["facts"]


def test_a_column_of_another_release_that_cannot_be_compared_is_left_out_and_said(folder):
    """Left in it would match nobody, and the other release would seem to say nothing."""
    options = ["--knows", "zip,age", "--method", "composition", "--confidential", "ill", "--also", "unlike.csv"]
    done = attack(folder, *options)
    assert done.returncode == 0 and "--also, file 1: column 'zip' was left out" in done.stderr
    assert "says nothing about 200" not in done.stdout


def test_a_bound_is_held_against_what_is_learnt_above_the_rest(folder):
    options = ["--knows", "zip", "--confidential", "ill", "--method", "lookup"]
    assert attack(folder, *options, "--at-most", 0.3).returncode == 0
    assert attack(folder, *options, "--at-most", 0.0001).returncode == 1


KNOWS = ["--knows", "zip,age"]
MISTAKES = {
    "one value": ([*KNOWS, "--confidential", "same", "--method", "lookup"], "'same' has one value only"),
    "known": (["--knows", "zip,ill", "--confidential", "ill"], "column 'ill' is to be learnt, and the intruder knows"),
    "misspelt": ([*KNOWS, "--confidential", "il"], "did you mean 'ill'?"),
    "not said": ([*KNOWS, "--method", "lookup"], "name one with --confidential"),
    "nor here": ([*KNOWS, "--also", "second.csv"], "name one with --confidential"),
    "estimator": ([*KNOWS, "--confidential", "ill", "--method", "inference", "--estimator", "forest"], "boosting"),
    "not asked": ([*KNOWS, "--confidential", "ill", "--method", "lookup", "--estimator", "tree"], "--method inference"),
    "also unused": ([*KNOWS, "--also", "m.csv", "--method", "distance"], "--method composition"),
    "second unused": ([*KNOWS, "--second", "pay", "--method", "distance"], "--method bridge"),
    "no control": ([*KNOWS, "--method", "membership"], "membership needs --control FILE"),
    "no other": ([*KNOWS, "--confidential", "ill", "--method", "composition"], "composition needs --also FILE"),
    "no second": ([*KNOWS, "--method", "bridge"], "bridge needs --second COLUMNS"),
    "in both": ([*KNOWS, "--second", "zip", "--method", "bridge"], "column 'zip' is in both lists"),
    "second misspelt": ([*KNOWS, "--second", "payy", "--method", "bridge"], "did you mean 'pay'?"),
    "unlike control": ([*KNOWS, "--method", "singling_out", "--control", "pay.csv"], "--control: column 'zip'"),
    "empty control": ([*KNOWS, "--method", "membership", "--control", "empty.csv"], "--control: the file has no rows"),
    "lost control": ([*KNOWS, "--method", "membership", "--control", "otherz.csv"], "did you mean 'others.csv'?"),
    "unlike other": (
        [*KNOWS, "--confidential", "ill", "--method", "composition", "--also", "pay.csv"], "has no column 'ill'"
    ),
    "no width": ([*KNOWS, "--confidential", "pay", "--method", "lookup", "--percent", 0], "percent=0"),
    "never": ([*KNOWS, "--method", "membership", "--control", "others.csv", "--at-most", 0.2], "above 0.5"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_with_its_remedy(folder, mistake):
    options, says = MISTAKES[mistake]
    done = attack(folder, *options)
    assert done.returncode == 2 and done.stdout == "", done.stdout + done.stderr
    assert says in done.stderr and "fix:" in done.stderr


def test_categories_that_the_original_does_not_have_are_not_shown(folder):
    done = attack(folder, *KNOWS, "--confidential", "ill", "--method", "lookup", masked="unseen.csv")
    assert done.returncode == 2 and "column 'ill'" in done.stderr and "--hierarchy" in done.stderr
    assert "SECRET" not in done.stderr


def test_without_a_pairing_nothing_learnt_is_judged(folder):
    done = tacit("attack", "m.csv", "--original", "a.csv", "--knows", "zip", "--confidential", "ill", cwd=folder)
    assert done.returncode == 2 and "--same-order" in done.stderr
