"""``tacit compare`` on two files on disk. catalogue: B-01, B-02, B-03."""

from __future__ import annotations

import json

import numpy as np
import polars as pl

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
