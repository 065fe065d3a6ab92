"""What every masking method must do, whoever wrote it: the checks run over the folder's ``METHODS``."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np
import polars as pl
import pytest

from tacit import Masked, Release, TacitError
from tacit.protect import METHODS, from_json, to_json

from .conftest import SECRET, coarse

NAMES = sorted(METHODS)


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("TACIT_KEY", "0123456789abcdef0123456789abcdef")


def method(name: str):
    return METHODS[name].call(**METHODS[name].example)


def same(one: Release, other: Release) -> bool:
    return one.to_native().equals(other.to_native()) and one.roles == other.roles


@pytest.mark.parametrize("name", NAMES)
def test_the_input_is_untouched_and_the_same_seed_gives_the_same_result(name):
    release, untouched = coarse(), coarse()
    once, again = (method(name).apply(release, seed=7) for _ in range(2))
    assert isinstance(once, Masked)
    assert same(release, untouched)
    assert same(once.release, again.release) == METHODS[name].repeatable
    assert np.array_equal(once.rows(), again.rows())


@pytest.mark.parametrize("name", NAMES)
def test_methods_of_differential_privacy_draw_from_a_secure_source(name):
    """A property of the mechanism is worth its noise; what a seed repeats, whoever learns the seed takes back."""
    assert METHODS[name].repeatable == (METHODS[name].tags.form == "syntactic")


@pytest.mark.parametrize("name", NAMES)
def test_parameters_and_trace_survive_json(name):
    made = method(name)
    assert from_json(json.loads(json.dumps(to_json(made)))) == made
    trace = made.apply(coarse(), seed=7).trace
    plain = [step.as_json(public=False) for step in trace]
    assert json.loads(json.dumps(plain)) == plain
    assert trace
    assert hash(made) == hash(from_json(to_json(made)))
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    assert "seed" not in json.dumps(plain)


@pytest.mark.parametrize("name", NAMES)
def test_lineage_points_at_the_original_rows(name):
    release = coarse()
    marked = release.with_columns({"visits": np.arange(release.size)})
    masked = method(name).apply(marked, seed=7)
    if "visits" in masked.release.columns and "visits" not in str(METHODS[name].example):
        rows = masked.rows()
        assert (masked.release.series("visits").to_numpy()[rows >= 0] == rows[rows >= 0]).all()
    assert len(masked.rows()) == masked.release.size


@pytest.mark.parametrize("name", NAMES)
def test_missing_values_stay_missing(name):
    release = coarse()
    masked = method(name).apply(release, seed=7)
    rows = masked.rows()
    for column in masked.release.columns:
        before = release.series(column).is_null().to_numpy()[rows[rows >= 0]]
        after = masked.release.series(column).is_null().to_numpy()[rows >= 0]
        assert after[before].all(), column


@pytest.mark.parametrize("name", NAMES)
def test_odd_tables_give_a_right_result_or_a_clear_error(name, odd):
    try:
        masked = method(name).apply(odd, seed=7)
    except TacitError as problem:
        assert problem.fix
        assert SECRET not in str(problem)
        return
    for column in masked.release.columns:
        values = masked.release.series(column)
        if values.dtype.is_float():
            assert not any(math.isnan(value) for value in values.drop_nulls())


@pytest.mark.parametrize("name", NAMES)
def test_shuffled_rows_change_nothing_but_the_rows(name):
    """Columns that hold no randomness come out equal; random ones keep their values where the method promises it."""
    release = coarse()
    order = np.random.default_rng(3).permutation(release.size)
    plain, shuffled = method(name).apply(release, seed=7), method(name).apply(release.take(order), seed=7)
    assert plain.release.columns == shuffled.release.columns
    for column in plain.release.columns:
        one, other = plain.release.series(column), shuffled.release.series(column)
        if one.dtype == pl.Float64 and METHODS[name].repeatable:
            assert one.mean() == pytest.approx(other.mean(), rel=0.05, nan_ok=True)
        assert abs(one.null_count() - other.null_count()) <= 0.05 * release.size


@pytest.mark.parametrize("name", [name for name in NAMES if "columns" in METHODS[name].example])
def test_an_unknown_column_is_answered_with_the_nearest(name):
    by_column = {
        key: {"incme": [*said.values()][0]} for key, said in METHODS[name].example.items() if isinstance(said, dict)
    }
    wrong = {**METHODS[name].example, **by_column, "columns": ["incme"]}
    with pytest.raises(TacitError, match="income") as caught:
        METHODS[name].call(**wrong).apply(coarse(), seed=7)
    assert caught.value.column == "incme"


@pytest.mark.parametrize("kind", ["arrow", "pandas"])
@pytest.mark.parametrize("name", NAMES)
def test_the_kind_of_frame_changes_nothing_and_comes_back(name, kind):
    given = coarse(kind)
    plain, other = method(name).apply(coarse(), seed=7).release, method(name).apply(given, seed=7).release
    assert type(other.to_native()) is type(given.to_native())
    assert other.types == plain.types
    for column in plain.columns if METHODS[name].repeatable else ():
        assert plain.series(column).to_list() == other.series(column).to_list(), column


@pytest.mark.parametrize("name", NAMES)
def test_methods_say_when_to_use_them_and_when_not(name):
    assert METHODS[name].use.endswith(".")
    assert METHODS[name].avoid.endswith(".")
