"""A node of the solution space as steps of a plan: they give that node and no other, whatever the models (D-07, E-13)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit import Release
from tacit.errors import TacitError
from tacit.models.load import models_of
from tacit.protect import FullDomain
from tacit.protect.lattice.extent import lattice_size
from tacit.protect.lattice.level_steps import as_steps
from tacit.protect.load import from_json
from tacit.release.masked import Masked

SUPPRESSION = 0.2


def people() -> Release:
    rng = np.random.default_rng(3)
    table = pl.DataFrame(
        {
            "zip": [f"N{a}{b}{c}" for a, b, c in rng.integers(0, 3, (120, 3))],
            "age": rng.integers(20, 60, 120),
            "sex": rng.choice(["f", "m"], 120),
            "ill": rng.choice(["a", "b", "c"], 120, p=[0.7, 0.2, 0.1]),
        }
    )
    hierarchies = {"zip": {"prefix": [4, 3, 2]}, "age": {"intervals": [10, 20]}}
    return Release(table, quasi=["zip", "age", "sex"], confidential="ill", hierarchies=hierarchies, missing="own")


def made(release: Release, steps: list[dict[str, Any]], models: dict[str, Any]) -> Masked:
    masked = Masked(release, ())
    for step in steps:
        given = {**step, "models": models} if step["method"] == "full_domain" else step
        masked = masked.then(from_json(given))
    return masked


@pytest.mark.parametrize("models", [{"k_anonymity": 4}, {"k_anonymity": 2, "l_diversity": {"columns": {"ill": 2}}}])
def test_every_safe_node_comes_out_of_its_steps(models: dict[str, Any]) -> None:
    release, size = people(), lattice_size(people())
    found = FullDomain(models=models, suppression=SUPPRESSION, exhaustive=True).apply(release)
    space = list(found.evidence["space"])
    assert len(space) == size.nodes == 4 * 4 * 2
    safe = [node for node in space if node.admissible]
    assert 0 < len(safe) < len(space) and any(node.suppressed for node in safe)
    for node in safe:
        steps = as_steps(node.levels, removed=node.suppressed, climbing=size.climbing, suppression=SUPPRESSION)
        masked = made(release, steps, models)
        assert masked.release.size == release.size - node.suppressed
        assert all(model.holds(masked.release) for model in models_of(models))
        for column, level in node.levels.items():
            assert masked.release.to_native()[column].n_unique() <= size.groups[column][level]


def test_the_records_that_are_left_out_are_those_of_small_classes() -> None:
    release, size = people(), lattice_size(people())
    levels = {"zip": 1, "age": 2, "sex": 0}
    steps = as_steps(levels, removed=1, climbing=size.climbing, suppression=1.0)
    rows = [
        (zip_[:3], 20 * (age // 20), sex)
        for zip_, age, sex in release.to_native().select("zip", "age", "sex").iter_rows()
    ]
    kept = [row for row in rows if Counter(rows)[row] >= 4]
    assert 0 < len(kept) < len(rows)
    assert made(release, steps, {"k_anonymity": 4}).release.size == len(kept)


def test_cells_may_be_blanked_instead_and_all_records_kept() -> None:
    release, size = people(), lattice_size(people())
    steps = as_steps(
        {"zip": 2, "age": 1, "sex": 0}, removed=9, climbing=size.climbing, suppression=0, rest="blank", k=3
    )
    assert [step["method"] for step in steps] == ["generalise", "suppress_cells"]
    masked = made(release, steps, {})
    assert masked.release.size == release.size and all(
        one.holds(masked.release) for one in models_of({"k_anonymity": 3})
    )


def test_a_column_without_a_hierarchy_is_hidden_by_the_search_alone() -> None:
    release, size = people(), lattice_size(people())
    assert size.climbing == ("zip", "age") and size.groups["sex"] == (2, 1)
    steps = as_steps({"zip": 0, "age": 0, "sex": 1}, removed=0, climbing=size.climbing, suppression=1.0)
    assert steps[0]["method"] == "full_domain"
    assert made(release, steps, {"k_anonymity": 1 + 1}).release.to_native()["sex"].unique().to_list() == ["*"]
    with pytest.raises(TacitError, match="has no hierarchy"):
        as_steps({"sex": 1}, removed=0, climbing=[], suppression=1.0, rest="keep")
