"""Semantic swapping (E-16): counts are kept, nobody moves beyond the reach, and likes are exchanged with likes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.examples import clinic
from tacit.protect import SemanticSwap

TERMS = {"edges": {"flu": "ill", "cold": "ill", "ill": "all", "bus": "ride", "tram": "ride", "ride": "go", "go": "all"}}
WALK = ["bus", "tram", "cold", "flu"]
"""Depth first, sisters in the order of their names; the branch of the first name comes first."""


def swapped(values, percent, seed, **options):
    columns = {name: options.pop(name) for name in list(options) if name not in ("household", "strata")}
    frame = pl.DataFrame({"x": values, **columns}, schema_overrides={"x": pl.String})
    strata = options.pop("strata", None)
    release = Release(frame, hierarchies={"x": TERMS}, **options)
    return release.protect(SemanticSwap(columns="x", percent=percent, strata=strata), seed=seed)


@given(st.lists(st.none() | st.sampled_from(WALK), max_size=60), st.floats(5, 100), st.integers(0, 1000))
def test_counts_are_kept_and_nobody_moves_beyond_the_reach(values, percent, seed):  # catalogue: E-16
    known = sum(value is not None for value in values)
    if known < 2 or percent * known / 100 < 1:
        with pytest.raises(TacitError):
            swapped(values, percent, seed)
        return
    masked = swapped(values, percent, seed)
    after, reach = masked.release.series("x").to_list(), masked.trace[0].outcome["reach"].value["x"]
    assert reach == min(int(percent * known / 100), known - 1)
    assert [v is None for v in after] == [v is None for v in values]
    assert Counter(after) == Counter(values)
    ranked = sorted((v for v in values if v is not None), key=WALK.index)
    for old, new in zip(values, after, strict=True):
        if old is not None:
            places = [i for i, v in enumerate(ranked) if v == old], [i for i, v in enumerate(ranked) if v == new]
            assert min(abs(i - j) for i in places[0] for j in places[1]) <= reach


def test_the_trace_tells_how_far_values_moved():
    example = clinic(2000, seed=1)
    release = Release(example.frame, hierarchies=example.hierarchies, kinds=example.kinds)
    masked = release.protect(
        SemanticSwap(columns=["occupation", "diagnosis"], percent={"occupation": 1, "diagnosis": 5}), seed=3
    )
    outcome = masked.trace[0].outcome
    old, new = release.series("occupation"), masked.release.series("occupation")
    ladders = {row[0]: row for row in release.hierarchies["occupation"].rows}
    known = [(ladders[a], ladders[b]) for a, b in zip(old, new, strict=True) if a is not None]
    # on a tree of even depth: d = log2(1 + 2m / (depth + m)) where the two differ at m levels
    apart = [np.log2(1 + 2 * m / (4 + m)) for a, b in known for m in [sum(x != y for x, y in zip(a, b, strict=True))]]
    assert outcome["distance"].value["occupation"] == pytest.approx(np.mean(apart))
    assert outcome["changed"].value["occupation"] == pytest.approx(np.mean([a != b for a, b in known]))
    assert outcome["reach"].value == {"occupation": int(0.01 * len(known)), "diagnosis": 100}
    assert outcome["distance"].publishable


def test_likes_are_exchanged_with_likes():
    """A changed value is nearer than one drawn at random from the column: power, against no taxonomy at all."""
    example = clinic(2000, seed=1)
    release = Release(example.frame, hierarchies=example.hierarchies, kinds=example.kinds)
    outcome = release.protect(SemanticSwap(columns="diagnosis", percent=1), seed=3).trace[0].outcome
    anyone = release.protect(SemanticSwap(columns="diagnosis", percent=100), seed=3).trace[0].outcome
    per_change = [one["distance"].value["diagnosis"] / one["changed"].value["diagnosis"] for one in (outcome, anyone)]
    assert per_change[0] < 0.9 * per_change[1]


def test_counts_hold_in_every_stratum_and_small_strata_are_counted():
    rng = np.random.default_rng(1)
    values, area = rng.choice(WALK, 201).tolist(), ["a"] * 100 + ["b"] * 100 + ["c"]
    masked = swapped(values, 10, 2, area=area, strata="area")
    new = masked.release.to_native()
    for stratum in "abc":
        old_values = [v for v, a in zip(values, area, strict=True) if a == stratum]
        assert Counter(new.filter(pl.col("area") == stratum)["x"]) == Counter(old_values)
    assert masked.trace[0].outcome["left"].value == {"x": 1}
    assert masked.trace[0].as_json(public=True)["outcome"]["left"] == {"x": "fewer than 10"}


def test_households_are_swapped_as_one():
    home = np.repeat(np.arange(200), 2)
    values = np.array(WALK)[np.random.default_rng(1).integers(0, 4, 200)][home].tolist()
    masked = swapped(values, 30, 2, home=home, household="home").release.to_native()
    assert masked.group_by("home").agg(pl.col("x").n_unique())["x"].max() == 1
    assert Counter(masked["x"]) == Counter(values)
    assert (masked["x"] != pl.Series(values)).any()


def test_means_over_a_handful_are_not_published():
    public = swapped(["flu", "cold", "bus"], 50, 1).trace[0].as_json(public=True)["outcome"]
    assert set(public) == {"reach"}


@pytest.mark.parametrize("percent", [0, 101, float("nan"), "5", None, {"y": 5}])
def test_percent_is_checked(percent):
    with pytest.raises(TacitError):
        SemanticSwap(columns="x", percent=percent)


def test_mistakes_are_answered_without_a_cell():
    with pytest.raises(TacitError, match="1 cells that its hierarchy lacks, the first of them in row 2") as caught:
        swapped(["flu", "SECRETCELL"], 50, 1)
    assert "SECRETCELL" not in str(caught.value)
    with pytest.raises(TacitError, match="reaches no neighbour"):
        swapped(["flu", "cold", "bus"], 5, 1)
    with pytest.raises(TacitError, match="makes the strata"):
        SemanticSwap(columns="x", percent=5, strata="x")
    with pytest.raises(TacitError, match="has no taxonomy"):
        Release(pl.DataFrame({"x": ["flu"]})).protect(SemanticSwap(columns="x", percent=50), seed=1)
