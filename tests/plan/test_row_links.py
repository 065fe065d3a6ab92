"""Links between released rows: planted ones are found and measured, chance is not taken for one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Release
from tacit.claims import Scenario, Truth
from tacit.plan.row_links import ORDER, link_gaps, row_links


def couples(count: int = 150, *, seed: int = 0, household: bool = False, **more) -> Release:
    """Couples with an address, an age and a sex; ``more`` columns are made from the couple's number."""
    rng = np.random.default_rng(seed)
    couple = np.repeat(np.arange(count), 2)
    cells = {
        "couple": couple,
        "zip": rng.integers(0, 60, count)[couple],
        "age": rng.integers(20, 60, 2 * count),
        "sex": np.tile(["f", "m"], count),
        "pay": rng.integers(0, 400, 2 * count),
    }
    cells |= {name: make(couple, rng) for name, make in more.items()}
    home = {"household": "couple"} if household else {}
    return Release(pl.DataFrame(cells), quasi=["age", "sex"], **home, kinds={"age": "continuous"})


def linked(original: Release, *, columns, order=None, seed: int = 1):
    rows = np.random.default_rng(seed).permutation(original.size) if order is None else order
    masked = original.take(rows).select(columns)
    masked = masked.with_columns({"age": masked.series("age") // 4})
    truth = Truth.by_lineage(rows, original.size)
    coarse = original.with_columns({"age": original.series("age") // 4})
    return row_links(masked, Scenario.worst_case(coarse), truth, original)


def test_a_planted_link_is_found_and_measured_given_the_households():
    original = couples(household=True, wed=lambda couple, rng: rng.permutation(couple.max() + 1)[couple] // 3)
    found = linked(original, columns=["age", "sex", "pay", "wed"])
    assert [one.columns for one in found] == [("wed",)] and found[0].by == "household"
    assert found[0].share > 0.2
    gaps = list(link_gaps(found, beside=0.05))
    assert [gap.code for gap in gaps] == ["row_links"] and gaps[0].columns == ("wed",)
    assert "wed" in str(gaps[0]) and not list(link_gaps(found, beside=found[0].share))


def test_a_planted_link_is_found_by_itself():
    original = couples(wed=lambda couple, rng: rng.permutation(couple.max() + 1)[couple])
    found = linked(original, columns=["age", "sex", "pay", "wed"])
    assert [(one.columns, one.by) for one in found] == [(("wed",), "itself")]
    assert found[0].share > 0.4


def test_several_columns_together_are_a_link():
    make = {
        name: lambda couple, rng: rng.integers(0, 5, couple.max() + 1)[couple] for name in ("roof", "walls", "water")
    }
    found = linked(couples(300, household=True, **make), columns=["age", "sex", "roof", "walls", "water"])
    assert ("roof", "walls", "water") in [one.columns for one in found]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("household", [True, False])
def test_nothing_is_found_where_nothing_was_planted(household, seed):
    original = couples(seed=seed, household=household, luck=lambda couple, rng: rng.integers(0, 100, len(couple)))
    assert not linked(original, columns=["age", "sex", "pay", "luck"], seed=seed)


def test_rows_that_stand_as_they_stood_are_a_link():
    original = couples(household=True)
    columns = ["age", "sex", "pay"]
    assert [one.columns for one in linked(original, columns=columns, order=np.arange(original.size))] == [(ORDER,)]
    pairs = np.random.default_rng(2).permutation(original.size // 2)
    together = (2 * np.repeat(pairs, 2)) + np.tile([1, 0], len(pairs))
    found = linked(original, columns=columns, order=together)
    assert [gap.code for gap in link_gaps(found, beside=0.0)] == ["row_order"]
    assert not linked(original, columns=columns)
