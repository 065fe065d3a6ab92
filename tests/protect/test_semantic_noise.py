"""Semantic noise (E-16): the stated law, what it proves, and what stays as it was."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from math import exp, log

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from tacit import Release, TacitError
from tacit.examples import clinic
from tacit.protect import SemanticNoise
from tacit.protect.semantic_noise import epsilon_for, exponential_matrix
from tacit.release.hierarchy.taxonomy import build_taxonomy

JOBS = {"edges": {"surgeon": "health", "nurse": "health", "health": "work", "clerk": "office", "office": "work"}}
SURE = 1e-6
"""The chance that a right law is rejected."""


@cache
def register(rows: int = 2000) -> Release:
    example = clinic(rows, seed=1)
    return Release(example.frame, kinds=example.kinds, hierarchies=example.hierarchies)


def distances(release: Release, column: str, values: list[str], by: str) -> np.ndarray:
    return build_taxonomy(release.hierarchies[column], column, pl.Series(values)).distances(by)


def expected(apart: np.ndarray, epsilon: float) -> np.ndarray:
    """The law of the docstring, written out."""
    rows = [[exp(-epsilon * d / 2) for d in row] for row in apart]
    return np.array([[weight / sum(row) for weight in row] for row in rows])


@pytest.mark.parametrize("by", ["ancestors", "wu_palmer"])
def test_the_stated_law_passes_and_one_30_percent_off_is_rejected(by):  # catalogue: E-16
    values = ["clerk", "nurse", "surgeon"]
    rows, epsilon = 60_000, 3.0
    release = Release(pl.DataFrame({"job": values * rows}), hierarchies={"job": JOBS})
    masked = release.protect(SemanticNoise(columns="job", epsilon=epsilon, distance=by), seed=5)
    seen = Counter(zip(values * rows, masked.release.series("job"), strict=True))
    counts = np.array([[seen[one, other] for other in values] for one in values])
    apart = distances(release, "job", values, by)
    limit = chi2.isf(SURE, 6)

    def statistic(stated: float) -> float:
        wanted = rows * expected(apart, stated)
        return float(((counts - wanted) ** 2 / wanted).sum())

    assert statistic(epsilon) < limit
    assert statistic(1.3 * epsilon) > limit
    assert statistic(0.7 * epsilon) > limit


@given(st.floats(0.1, 15), st.sampled_from(["ancestors", "wu_palmer"]))
def test_the_ratio_of_any_two_chances_is_bounded_by_the_distance(epsilon, by):
    """Metric privacy: P(y|v) ≤ exp(ε d(v, w)) P(y|w), and the trace's local ε is the largest log ratio of all."""
    release = register(50)
    masked = release.protect(SemanticNoise(columns="occupation", epsilon=epsilon, distance=by), seed=1)
    shown = masked.trace[0].outcome["matrix"].value["occupation"][0]["matrix"]
    values = list(shown)
    apart = distances(release, "occupation", values, by)
    chances = np.array([[shown[one][other] for other in values] for one in values])
    assert np.allclose(chances, expected(apart, epsilon), atol=1e-9)
    ratio = (
        np.log(exponential_matrix(apart, epsilon))[:, None, :] - np.log(exponential_matrix(apart, epsilon))[None, :, :]
    )
    assert (ratio.max(axis=2) <= epsilon * apart + 1e-9).all()
    assert masked.trace[0].outcome["local_epsilon"].value["occupation"] == pytest.approx(ratio.max())
    assert ratio.max() < epsilon


@given(st.floats(0.05, 0.99))
def test_stay_is_the_mean_chance_to_stay(stay):
    release = register(50)
    apart = distances(
        release, "diagnosis", list(release.hierarchies["diagnosis"].domain(pl.Series()))[:40], "ancestors"
    )
    assert np.diag(expected(apart, epsilon_for(apart, stay, "x"))).mean() == pytest.approx(stay)


@pytest.mark.parametrize("epsilon", [3.0, 30.0, 45.0, 60.0, 200.0])
def test_what_is_proven_holds_for_the_draws_and_not_only_on_paper(epsilon):
    """The kernel's law is counted from its own table; where it rules a value out, no ε is claimed."""
    release = Release(pl.DataFrame({"job": ["nurse"]}), hierarchies={"job": JOBS})
    trace = release.protect(SemanticNoise(columns="job", epsilon=epsilon), seed=1).trace[0]
    values = ["clerk", "nurse", "surgeon"]
    ends = np.rint(np.cumsum(expected(distances(release, "job", values, "ancestors"), epsilon), axis=1) * 2.0**32)
    counts = np.diff(ends, axis=1, prepend=0.0)
    told = trace.outcome["local_epsilon"].value
    if (counts == 0).any():
        assert told == {}
    else:
        assert told["job"] == pytest.approx(np.log(counts.max(axis=0) / counts.min(axis=0)).max(), rel=1e-9)
    assert ("job" in told) == (epsilon < 50)


def test_stay_below_chance_is_refused():
    release = Release(pl.DataFrame({"job": ["clerk"]}), hierarchies={"job": JOBS})
    with pytest.raises(TacitError, match="no more than chance, which is 0.333"):
        release.protect(SemanticNoise(columns="job", stay=0.3), seed=1)


def test_columns_keep_their_type_and_missing_stays_missing():
    release = register()
    columns = ["occupation", "diagnosis", "education"]
    masked = release.protect(
        SemanticNoise(columns=columns, stay={"occupation": 0.5, "diagnosis": 0.6, "education": 0.7}), seed=2
    )
    assert masked.release.to_native().schema == release.to_native().schema
    for column in columns:
        before, after = release.series(column), masked.release.series(column)
        assert (before.is_null() == after.is_null()).all()
        assert set(after.drop_nulls().cast(str)) <= {row[0] for row in release.hierarchies[column].rows}
        assert 0.3 < (before == after).mean() < 0.9
    assert masked.lineage is None
    plain = masked.trace[0].as_json(public=True)
    assert json.loads(json.dumps(plain)) == plain
    assert plain["outcome"]["stay"]["occupation"] == pytest.approx(0.5)


def test_noise_is_the_same_on_every_engine(tmp_path):
    example = clinic(3000, seed=1)
    given_hierarchies = {name: example.hierarchies[name] for name in ("occupation", "education")}
    method = SemanticNoise(columns=["occupation", "education"], stay=0.6)
    here = Release(example.frame, hierarchies=given_hierarchies).protect(method, seed=9)
    example.frame.write_parquet(tmp_path / "people.parquet")
    relation = duckdb.sql(f"SELECT * FROM '{tmp_path / 'people.parquet'}'")
    there = Release(relation, hierarchies=given_hierarchies).protect(method, seed=9)
    assert there.release.engine == "duckdb"
    for column in ("occupation", "education"):
        assert here.release.series(column).to_list() == there.release.series(column).to_list()


def test_a_household_changes_as_one():
    home = np.repeat(np.arange(300), 3)
    frame = pl.DataFrame({"home": home, "job": np.array(["clerk", "nurse", "surgeon"])[home % 3]})
    release = Release(frame, household="home", hierarchies={"job": JOBS})
    masked = release.protect(SemanticNoise(columns="job", stay=0.5), seed=3).release.to_native()
    assert masked.group_by("home").agg(pl.col("job").n_unique())["job"].max() == 1
    assert (masked["job"] != frame["job"]).mean() > 0.3


def test_a_hierarchy_grown_from_the_data_proves_nothing():
    release = Release(pl.DataFrame({"job": ["a"] * 6 + ["b"] * 5 + ["c"] * 3}), hierarchies={"job": {"frequency": [5]}})
    masked = release.protect(SemanticNoise(columns="job", epsilon=1), seed=1)
    assert masked.trace[0].outcome["local_epsilon"].value == {}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "one of two ways"),
        ({"epsilon": 1, "stay": 0.5}, "one of two ways"),
        ({"epsilon": 0}, "epsilon=0"),
        ({"epsilon": float("nan")}, "epsilon=nan"),
        ({"stay": 1}, "stay=1"),
        ({"stay": {"job": 0.5, "jib": 0.5}}, "not among the columns"),
        ({"epsilon": 1, "distance": "miles"}, "'wu_palmer'"),
    ],
)
def test_parameters_are_checked(options, text):
    with pytest.raises(TacitError, match=text):
        SemanticNoise(columns="job", **options)


def test_mistakes_are_answered_without_a_cell():
    frame = pl.DataFrame(
        {"job": ["clerk", None, "SECRETCELL", "nurse"], "n": [1.5, 2.5, 3.5, 4.5], "zip": list("abcd")}
    )
    release = Release(frame, hierarchies={"job": JOBS, "zip": {"prefix": [1]}, "n": {"table": {"1.5": ["low"]}}})

    def refused(text, column="job", **options):
        with pytest.raises(TacitError, match=text) as caught:
            release.protect(SemanticNoise(columns=column, epsilon=1), **options)
        assert "SECRETCELL" not in str(caught.value)

    refused("1 cells that its hierarchy lacks, the first of them in row 3", seed=1)
    refused("no seed")
    refused("lists no value", column="zip", seed=1)
    refused("not categories", column="n", seed=1)
    with pytest.raises(TacitError, match="has no taxonomy"):
        Release(frame).protect(SemanticNoise(columns="job", epsilon=1), seed=1)


def test_the_mean_log_ratio_is_not_understated():
    """The published local ε of two values: ln of the odds, by hand."""
    release = Release(pl.DataFrame({"s": ["F", "M"]}), hierarchies={"s": {"table": {"F": ["*"], "M": ["*"]}}})
    masked = release.protect(SemanticNoise(columns="s", stay=0.75), seed=1)
    assert masked.trace[0].outcome["local_epsilon"].value["s"] == pytest.approx(log(3))
