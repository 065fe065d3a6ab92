import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.models import TCloseness
from tacit.protect import DummyRecords, Shuffle


def distance(rows, form="variational"):
    """The largest distance of a class from the file, straight from the definition; rows are (class, value)."""
    order = sorted({value for _, value in rows})
    whole = Counter(value for _, value in rows)
    worst = 0.0
    for one in {group for group, _ in rows}:
        part = Counter(value for group, value in rows if group == one)
        gaps = [part[v] / sum(part.values()) - whole[v] / len(rows) for v in order]
        if form == "ordered":
            worst = max(worst, sum(abs(sum(gaps[: i + 1])) for i in range(len(gaps))) / max(1, len(gaps) - 1))
        else:
            worst = max(worst, sum(map(abs, gaps)) / 2)
    return worst


def release_of(rows, **more):
    frame = pl.DataFrame(rows, schema=["zip", "ill"], orient="row")
    return Release(frame, quasi="zip", confidential="ill", **more)


def test_the_skewness_table():  # catalogue: D-04, D-07: t = 0.9305 as it is
    rows = [("a", "pos")] * 48 + [("a", "neg")] + [("b", "pos")] + [("b", "neg")] * 948
    release = release_of(rows)
    assert TCloseness(t=1.0).holds(release).found == pytest.approx(0.9305, abs=5e-5)
    masked = release.protect(DummyRecords(t=0.2), seed=1)
    assert distance(masked.to_native().rows()) <= 0.2
    dummies = masked.release.size - release.size
    # the file hardly moves, so the class of 49 needs about 48/(0.25) − 49 healthy dummies, and no true row is touched
    assert 120 <= dummies <= 170
    assert masked.to_native().head(len(rows)).equals(release.to_native())
    assert set(masked.to_native().tail(dummies)["zip"]) == {"a"}
    assert masked.trace[0].as_json(public=True)["outcome"] == {"dummies": dummies}
    assert (masked.lineage[: len(rows)] == np.arange(len(rows))).all() and (masked.lineage[len(rows) :] == -1).all()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 4)), min_size=2, max_size=25),
    st.sampled_from([0.1, 0.2, 0.35, 0.6]),
    st.sampled_from(["variational", "ordered"]),
)
def test_t_closeness_truly_holds(rows, t, form):  # catalogue: D-07
    masked = release_of(rows, kinds={"ill": "ordinal"}).protect(DummyRecords(t=t, form=form), seed=3)
    assert distance(masked.to_native().rows(), form) <= t + 1e-12
    assert masked.evidence["verdicts"][0].holds
    if distance(rows, form) <= t - 1e-12:
        assert masked.release.size == len(rows) and masked.lineage is None


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from([*"xyz", None]), st.integers(1, 5)), min_size=2, max_size=20
    ),
    st.sampled_from(["own", "any"]),
)
def test_several_columns_hold_at_once(rows, missing):  # catalogue: D-07
    frame = pl.DataFrame(rows, schema={"zip": pl.String, "ill": pl.String, "pay": pl.Int64}, orient="row")
    if frame["ill"].null_count() == len(rows):
        return
    release = Release(frame, quasi="zip", confidential=["ill", "pay"], missing=missing, kinds={"pay": "continuous"})
    masked = release.protect(DummyRecords(t=0.25), seed=3)
    assert bool(TCloseness(t=0.25).holds(masked))
    shown = [(group, value) for group, value in masked.to_native().select("zip", "pay").rows()]
    assert distance(shown, "ordered") <= 0.25 + 1e-12


def fewest(rows, t):
    """The fewest dummies, by trying all multisets of a class and a value in order of their number."""
    units = list(itertools.product(sorted({g for g, _ in rows}), sorted({v for _, v in rows})))
    for count in range(12):
        for chosen in itertools.combinations_with_replacement(units, count):
            if distance([*rows, *chosen]) <= t:
                return count
    raise AssertionError


def test_near_the_fewest_on_tiny_tables():
    rng = np.random.default_rng(4)
    ours = best = 0
    for _ in range(12):
        rows = [("ab"[g], "xy"[v]) for g, v in rng.integers(0, 2, size=(8, 2))]
        found = release_of(rows).protect(DummyRecords(t=0.2), seed=1).release.size - len(rows)
        least = fewest(rows, 0.2)
        assert least <= found <= max(least + 1, 1.5 * least)
        ours, best = ours + found, best + least
    assert ours <= 1.25 * best


def test_dummies_name_nobody_and_keep_the_weights():
    frame = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(8)],
            "pseudonym": [f"h{i}" for i in range(8)],
            "zip": list("aaaabbbb"),
            "ill": list("xxxxyyyx"),
            "home": [1, 1, 2, 2, 3, 3, 4, 4],
            "city": list("ccccdddd"),
            "w": [1, 2, 3, 4, 5, 6, 7, 8],
        }
    )
    release = Release(frame, identifier="name", quasi="zip", confidential="ill", household="home", weight="w")
    masked = release.protect(DummyRecords(t=0.15), seed=5)
    new = masked.to_native().tail(-8)
    assert new.height
    assert new["name"].null_count() == new["pseudonym"].null_count() == new["home"].null_count() == new.height
    assert all(city == {"a": "c", "b": "d"}[zip_] for zip_, city in new.select("zip", "city").rows())
    assert masked.to_native().group_by("zip").agg(pl.col("w").sum()).sort("zip").rows() == [
        ("a", pytest.approx(10.0)),
        ("b", pytest.approx(26.0)),
    ]
    assert masked.then(Shuffle(), seed=1).release.size == masked.release.size
    same, other = (release.protect(DummyRecords(t=0.15), seed=seed).to_native() for seed in (5, 6))
    assert same.equals(masked.to_native()) and other.height == same.height


def test_too_many_dummies_are_refused(monkeypatch):
    from tacit.protect import dummy_records

    monkeypatch.setattr(dummy_records, "TIMES", 1)
    with pytest.raises(TacitError, match="more than 1 dummies for every record"):
        release_of([("a", "x"), ("b", "y"), ("b", "y")]).protect(DummyRecords(t=0.001), seed=1)
    monkeypatch.setattr(dummy_records, "CELLS", 1)
    with pytest.raises(TacitError, match="too many to count"):
        release_of([("a", "x"), ("b", "y"), ("b", "y")]).protect(DummyRecords(t=0.001), seed=1)


def test_mistakes_are_answered():
    release = release_of([("a", "x"), ("b", "y")])
    for wrong in ({"t": 0}, {"t": 1.5}, {"t": None}, {"t": 0.1, "form": "hierarchical"}):
        with pytest.raises(TacitError):
            DummyRecords(**wrong)
    with pytest.raises(TacitError, match="no seed"):
        release.protect(DummyRecords(t=0.1))
    with pytest.raises(TacitError, match="not confidential"):
        release.protect(DummyRecords(t=0.1, columns="zip"), seed=1)
    with pytest.raises(TacitError, match="no confidential"):
        Release(release.to_native(), quasi="zip").protect(DummyRecords(t=0.1), seed=1)
    lacking = release_of([("a", "x"), ("b", "y"), (None, "y")], missing="any")
    with pytest.raises(TacitError, match="match anything"):
        lacking.protect(DummyRecords(t=0.1), seed=1)
