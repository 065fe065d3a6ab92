"""The common case in one call. catalogue: C-03, C-04."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Masked, Release, TacitError, Trace
from tacit.attack import ALL, Distance, reidentify

RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {"age": RNG.integers(20, 90, 120), "zip": RNG.integers(0, 40, 120).astype(str), "income": RNG.normal(size=120)}
)
ORIGINAL = Release(FRAME, quasi=["age", "zip"], confidential="income", kinds={"age": "continuous"})


def class_sizes(*columns: str) -> np.ndarray:
    return FRAME.select(pl.len().over(columns)).to_series().to_numpy()


def test_an_unmasked_release_gives_one_over_the_class_sizes():
    masked = Masked(ORIGINAL, (Trace("nothing", {}),))
    result = reidentify(masked, original=ORIGINAL)
    assert result.value == pytest.approx((1 / class_sizes("age", "zip")).mean())
    assert result.facts["attack"] == "distance"
    assert reidentify(masked, original=ORIGINAL, knows="age").value == pytest.approx((1 / class_sizes("age")).mean())


def test_lineage_says_who_is_who():
    order = np.random.default_rng(1).permutation(120)[:60]
    part = ORIGINAL.taken(order)
    by_masked = reidentify(Masked(part, (), lineage=order), original=ORIGINAL)
    assert by_masked.value == reidentify(part, original=ORIGINAL, lineage=order).value
    assert by_masked.facts["in the release"] == 0.5
    assert reidentify(part, original=ORIGINAL, lineage=np.roll(order, 1)).value < by_masked.value / 3


def test_columns_that_the_release_lacks_are_not_compared():
    masked = Masked(ORIGINAL.selected(["age", "income"]), ())
    assert reidentify(masked, original=ORIGINAL).value == pytest.approx((1 / class_sizes("age")).mean())


def test_a_given_attack_is_the_one_made():
    given = reidentify(Masked(ORIGINAL, ()), original=ORIGINAL, attack=Distance(direction="release"))
    assert given.facts["attack"] == "distance"
    assert given.value == pytest.approx((1 / class_sizes("age", "zip")).mean())


def test_the_control_shows_links_to_people_who_are_not_there():
    inside, outside = np.arange(60), np.arange(60, 120)
    masked = Masked(ORIGINAL.taken(inside), (), lineage=np.arange(60))
    result = reidentify(masked, original=ORIGINAL.taken(inside), control=ORIGINAL.taken(outside))
    assert result.value > 0.9
    assert 0.5 < result.facts["control"] <= 1  # the nearest record is nearly always a single one, for outsiders too


def test_mistakes_are_named():
    with pytest.raises(TacitError, match="lineage=numpy.arange"):
        reidentify(ORIGINAL, original=ORIGINAL)
    with pytest.raises(TacitError, match="the lineage does not lead from 120"):
        reidentify(ORIGINAL, original=ORIGINAL, lineage=np.arange(3))
    with pytest.raises(TacitError, match="the original 60"):
        reidentify(Masked(ORIGINAL, ()), original=ORIGINAL.taken(np.arange(60)))
    with pytest.raises(TacitError, match="none of the columns"):
        reidentify(Masked(ORIGINAL.selected("income"), ()), original=ORIGINAL)
    with pytest.raises(TacitError, match="did you mean 'zip'"):
        reidentify(Masked(ORIGINAL, ()), original=ORIGINAL, knows="zipp")


def test_every_attack_is_tagged():
    assert all(entry.tags.kind == "attack" and entry.tags.linkage and entry.catalogue for entry in ALL.values())
