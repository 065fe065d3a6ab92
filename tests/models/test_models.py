"""Models: the worst column decides, bounds met exactly hold, and nobody can change a model afterwards."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import Masked, Release, Result, TacitError
from tacit.models import DeltaPresence, KAnonymity, LDiversity, TCloseness, Threshold

TABLE = pl.DataFrame(
    {
        "q": ["a", "a", "b", "b"],
        "bad": ["x", "x", "x", "y"],
        "good": ["x", "y", "x", "y"],
    }
)


def release(*confidential: str) -> Release:
    return Release(TABLE, quasi="q", confidential=confidential)


@pytest.mark.parametrize("order", [("bad", "good"), ("good", "bad")])
def test_one_bad_column_is_enough_to_fail(order):
    # catalogue: D-03 D-04
    for model, worst in ((LDiversity(l=2), 1), (TCloseness(t=0.1), 0.25)):
        verdict = model.holds(release(*order))
        assert not verdict
        assert verdict.column == "bad"
        assert verdict.found == pytest.approx(worst)
    assert LDiversity(l=2).holds(release("good"))


def test_thresholds_by_column_judge_only_those_columns():
    assert LDiversity(columns={"good": 2}).holds(release("bad", "good"))
    assert not LDiversity(columns={"bad": 2}).holds(release("bad", "good"))
    assert LDiversity(l=2, columns={"bad": 1}).holds(release("bad", "good"))
    assert TCloseness(columns={"bad": 0.25}).holds(release("bad", "good"))
    assert not TCloseness(columns={"bad": 0.24}).holds(release("bad", "good"))


def test_bounds_that_are_met_exactly_hold():
    assert KAnonymity(k=2).holds(release("good"))
    assert not KAnonymity(k=3).holds(release("good"))
    result = Result(name="share", value=0.05, worse="high", about="identity")
    assert Threshold(at_most=0.05).holds(result)
    assert not Threshold(at_most=0.0499).holds(result)
    assert Threshold(at_least=0.05).holds(result)
    assert not Threshold(at_least=0.0501).holds(result)


def test_the_worse_end_of_an_interval_is_judged():
    # catalogue: D-06
    result = Result(name="share", value=0.05, interval=(0.03, 0.08), worse="high", about="identity")
    assert Threshold(at_most=0.08).holds(result)
    assert not Threshold(at_most=0.07).holds(result)
    assert not Threshold(at_least=0.04).holds(result)
    assert result.worst_case == 0.08


def test_a_masked_release_may_be_judged_as_it_is():
    assert KAnonymity(k=2).holds(Masked(release("good"), ()))


def test_models_are_values():
    model = LDiversity(columns={"good": 2})
    assert model == LDiversity(columns={"good": 2})
    assert hash(model) == hash(LDiversity(columns={"good": 2}))
    with pytest.raises(TypeError):
        model.columns["good"] = 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: Threshold(at_most="x"),
        lambda: Threshold(at_most=0.1, at_least=0.1),
        lambda: LDiversity(columns=["good"]),
        lambda: TCloseness(t="x"),
        lambda: KAnonymity(k=True),
    ],
)
def test_mistakes_are_named(make):
    with pytest.raises(TacitError, match="fix:"):
        make()


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_missing_confidential_value_counts_for_nothing_under_any(engine):
    """Also when no key is missing: otherwise one blank would make a homogeneous class look diverse."""
    import duckdb

    frame = pl.DataFrame({"q": ["a", "a", "b", "b", "c"], "s": ["x", None, "x", "y", None]})
    given = frame
    if engine == "duckdb":
        connection = duckdb.connect()
        connection.register("frame", frame.to_arrow())
        given = connection.sql("SELECT * FROM frame")
    own = Release(given, quasi="q", confidential="s", missing="own")
    blank = Release(given, quasi="q", confidential="s", missing="any")
    from tacit.risk import l_diversity, t_closeness

    assert l_diversity(own)["s"].per_record.values().tolist() == [2, 2, 2, 2, 1]
    assert l_diversity(blank)["s"].per_record.values().tolist() == [1, 1, 2, 2, 0]
    assert l_diversity(blank)["s"].value == 0
    # Over the known values the file has x, x, y: p = (1, 0) in class a, (½, ½) in b; c has none.
    assert t_closeness(blank)["s"].per_record.values() == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6, 0])
    assert not LDiversity(l=2).holds(blank)
    with_gap = pl.concat([frame, pl.DataFrame({"q": [None], "s": ["x"]})])
    wild = Release(with_gap, quasi="q", confidential="s", missing="any")
    assert l_diversity(wild)["s"].per_record.values().tolist()[:5] == [1, 1, 2, 2, 1]


def test_presence_holds_when_both_bounds_do_and_not_when_one_of_them_does():
    # catalogue: D-01
    people = Release(pl.DataFrame({"zip": ["a"] * 4 + ["b"] * 4}), quasi="zip")
    sample = Release(pl.DataFrame({"zip": ["a", "b", "b", "b"]}), quasi="zip")
    for low, high, holds in ((0.2, 0.8, True), (0.3, 0.8, False), (0.2, 0.7, False), (0.3, 0.7, False)):
        assert bool(DeltaPresence(low=low, high=high).holds(sample, population=people)) is holds, (low, high)
