from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit import Release

PLAN = """\
title = "Pay of a town"          # a comment that stays

[data]
path = "pay.csv"

[roles]
quasi = ["age", "rent"]
confidential = ["pay"]

[kinds]
age = "continuous"

[require]
reidentification = 0.4

[[protect]]
method = "mdav"
columns = ["age", "rent"]
k = 4

[study]
search = "grid"
candidates = 9
attacks = ["distance", "transparency"]
risk = { reidentification = 1, interval_disclosure = { weight = 1, percent = 10 } }
loss = { squared_error = 2, moments = 1 }

[[study.strategy]]
name = "swap"
steps = [{ method = "rank_swap", columns = ["age", "rent"], percent = { from = 5, to = 50 } }]

[[study.strategy]]
name = "groups"
steps = [{ method = "mdav", columns = ["age", "rent"], k = { from = 2, to = 20 } }]
"""


def people(size: int = 80) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(18, 90, size)
    return pl.DataFrame(
        {
            "age": age,
            "rent": (300 + 5 * age + rng.normal(0, 80, size)).round(2),
            "pay": (900 + 20 * age + rng.normal(0, 200, size)).round(2),
        }
    )


@pytest.fixture
def release() -> Release:
    return Release(people(), quasi=["age", "rent"], confidential="pay", kinds={"age": "continuous"})


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A plan in a folder of its own, with its data."""
    people().write_csv(tmp_path / "pay.csv")
    path = tmp_path / "plan.toml"
    path.write_text(PLAN, encoding="utf-8")
    return path
