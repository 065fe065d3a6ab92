"""``tacit compare`` on two files on disk. catalogue: B-01, B-02, B-03, D-05."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from tacit.examples.disclosive_tables import hospital_a, hospital_b

from .commands import tacit


def people(rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    ill = rng.choice(["flu", "gout", "acne"], rows)
    return pl.DataFrame({"age": rng.integers(18, 90, rows), "pay": rng.lognormal(10, 1, rows), "ill": ill})


def test_compare_shows_what_two_files_on_disk_disclose(tmp_path):
    original = people().with_row_index("id")
    masked = original.with_columns(pl.col("pay") * 1.01).sample(fraction=1, shuffle=True, seed=1)
    original.write_csv(tmp_path / "a.csv")
    masked.write_csv(tmp_path / "b.csv")
    done = tacit("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--key", "id", "--percent", 5)
    assert done.returncode == 0 and "What is disclosed" in done.stdout
    assert "interval disclosure of pay" in done.stdout and "same values of ill" in done.stdout
    plain = tacit("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--key", "id", "--json")
    found = {(one["name"], one["column"]): one["value"] for one in json.loads(plain.stdout)}
    assert found["same values", "ill"] == 1.0 and found["interval disclosure", "pay"] > 0.95
    assert ("interval disclosure", "id") not in found
    assert "What is disclosed" not in tacit("compare", tmp_path / "a.csv", tmp_path / "b.csv").stdout
    wrong = tacit("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--key", "id", "--percent", 0)
    assert wrong.returncode == 2 and "no width" in wrong.stderr


def hospitals(folder) -> None:
    """Hospitals A and B with their classes of ages as intervals, and three people of whom both may know. catalogue: D-05."""
    classes = {"<30": "[0, 29]", "3*": "[30, 39]", "≥40": "[40, 120]", "<35": "[0, 34]", ">35": "[36, 120]"}
    for name, example in (("a", hospital_a()), ("b", hospital_b())):
        example.frame.with_columns(pl.col("age").replace(classes)).write_csv(folder / f"{name}.csv")
    known = {"zip": ["13053", "13053", "13068"], "age": [28, 35, 50], "condition": ["AIDS", "Cancer", "Cancer"]}
    pl.DataFrame(known).write_csv(folder / "people.csv")


ROLES = ("--knows", "zip,age", "--confidential", "condition", "--hierarchy", 'zip={"prefix": [5, 3]}')


def test_compare_says_what_two_editions_tell_together(tmp_path):
    hospitals(tmp_path)
    files = ("compare", "people.csv", "b.csv", "--earlier", "a.csv")
    done = tacit(*files, *ROLES, cwd=tmp_path)
    assert done.returncode == 0 and "With what was released before" in done.stdout
    assert "this edition 0, a.csv 1" in done.stdout
    plain = tacit(*files, *ROLES, "--json", cwd=tmp_path)
    (found,) = (one for one in json.loads(plain.stdout) if one["name"] == "composition")
    facts = found["facts"]
    assert found["column"] == "condition" and found["value"] == pytest.approx(2 / 3)
    assert (facts["determined by all"], facts["determined only together"]) == (2, 1)
    assert facts["values left by all"] == pytest.approx(4 / 3)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--earlier", "a.csv"), "it is not said what an intruder knows"),
        (("--earlier", "a.csv", "--knows", "zip"), "it is not said which column is confidential"),
        (("--earlier", "bare.csv", *ROLES), "'bare.csv' has no column 'condition'"),
        (("--earlier", "b.csv", *ROLES), "'b.csv' is the masked file itself"),
        (("--earlier", "a.csv", "--earlier", "a.csv", *ROLES), "given already"),
        (ROLES, "for editions that were released before"),
        (("--earlier", "gone.csv", *ROLES), "--earlier gone.csv: there is no such file"),
    ],
)
def test_editions_that_cannot_be_used_are_an_error(tmp_path, arguments, says):
    hospitals(tmp_path)
    pl.read_csv(tmp_path / "a.csv").drop("condition").write_csv(tmp_path / "bare.csv")
    wrong = tacit("compare", "people.csv", "b.csv", *arguments, cwd=tmp_path)
    assert wrong.returncode == 2 and says in wrong.stderr and "fix:" in wrong.stderr


def test_compare_measures_the_losses_that_are_asked_for(tmp_path):
    people(40).write_csv(tmp_path / "a.csv")
    people(40).with_columns(pl.col("pay") * 1.1).write_csv(tmp_path / "b.csv")
    files = ("compare", tmp_path / "a.csv", tmp_path / "b.csv")

    def measured(*more: str) -> set[str]:
        done = tacit(*files, "--same-order", "--json", *more)
        assert done.returncode == 0, done.stderr
        return {one["name"] for one in json.loads(done.stdout)}

    usual, every = measured(), measured("--loss", "all")
    assert usual < every
    assert usual < usual | measured("--loss", "quantiles,hellinger") < every
    unknown = tacit(*files, "--same-order", "--loss", "quantile")
    assert unknown.returncode == 2 and "did you mean 'quantiles'" in unknown.stderr
    unpaired = tacit(*files, "--loss", "all")
    assert unpaired.returncode == 2 and "--same-order" in unpaired.stderr
