"""The smallest sets of columns that tell a value: against all subsets by brute force, planted and absent. catalogue: B-08."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

from tacit import Release, TacitError
from tacit.attack import adr, smallest_sets
from tacit.attack._target import single_guess
from tacit.attack.smallest_sets import by_class
from tacit.protect import RankSwap
from tacit.release import Masked
from tacit.seed import child_seed, make_generator


def described(frame: pl.DataFrame) -> Release:
    target = "v" if "v" in frame.columns else "y"
    kinds = {name: "continuous" for name in frame.columns if name[0] in "xy"}
    return Release(
        frame, quasi=[name for name in frame.columns if name != target], confidential=target, kinds=kinds, missing="own"
    )


def planted(size: int = 1200, seed: int = 1) -> pl.DataFrame:
    """v is whether a and b are equal: neither tells alone, both together tell all; c and d tell nothing."""
    rng = np.random.default_rng(seed)
    draws = {name: rng.choice(["p", "q"], size) for name in "abcd"}
    return pl.DataFrame(draws | {"v": np.where(draws["a"] == draws["b"], "same", "other")})


def found_in(frame: pl.DataFrame, column: str = "v", **options):
    release = described(frame)
    return smallest_sets(release, original=release, column=column, lineage=np.arange(release.size), seed=3, **options)


def test_a_pair_that_tells_together_is_found_and_nothing_else():  # catalogue: B-08
    found = found_in(planted())
    assert [one.columns for one in found.sets] == [("a", "b")]
    assert found.sets[0].right == 1.0 and found.sets[0].gain_interval[0] > 0.4
    assert abs(found.guess - 0.5) < 0.05
    assert found.possible == 14 and found.looked_at == 12  # (a, b, c) and (a, b, d) hold the pair


def test_noise_has_no_sufficient_set():
    """At most 5 of 100 files of noise may have any: 25 files, each with 41 sets looked at."""
    false = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        noise = pl.DataFrame(
            {name: rng.choice(["p", "q", "r"], 300) for name in "abcdef"} | {"v": rng.choice(["s", "t"], 300)}
        )
        false += bool(found_in(noise).sets)
    assert false <= 3


@pytest.mark.parametrize("shape", ["counts", "heaps"])
def test_noise_about_numbers_has_no_sufficient_set(shape):
    """The mean of counts or of two heaps is near to nobody: above such a guess every class that strays would seem to know."""
    false = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        y = rng.poisson(2.5, 300) if shape == "counts" else rng.choice([-3, 3], 300) + rng.normal(size=300) / 2
        noise = pl.DataFrame({name: rng.choice(list("pqrs"), 300) for name in "abc"} | {"x1": rng.random(300), "y": y})
        found = found_in(noise, column="y")
        assert found.guess > 0.1
        false += bool(found.sets)
    assert false <= 2


def test_a_release_that_has_the_wrong_value_in_front_does_not_make_a_set_look_good():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"a": rng.choice(list("pqrstuvw"), 800), "v": rng.choice(["s", "t"], 800, p=[0.3, 0.7])})
    masked = frame.with_columns(v=pl.Series(rng.permutation(["s"] * 402 + ["t"] * 398)))
    found = smallest_sets(described(masked), original=described(frame), column="v", lineage=np.arange(800), seed=1)
    assert found.guess == pytest.approx((frame["v"] == "t").mean()) and not found.sets


@settings(max_examples=40)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=12), st.sampled_from([0.0, 0.5, 1.0, 2.5]))
def test_no_single_guess_hits_more(values, within):
    true = np.array(values, dtype=float)
    hits = single_guess(np.append(true, np.nan), within=within)
    most = max(sum(abs(one - guess) <= within for one in values) for guess in np.arange(-9, 9.25, 0.25))
    assert hits.sum() == most and hits[-1] == 0
    inside = true[hits[:-1] == 1]
    assert inside.max() - inside.min() <= 2 * within


def test_values_that_the_release_does_not_have_are_no_guess():
    """Six rare values are unknown to the release: together they are many, but no single guess names them."""
    frame = pl.DataFrame({"a": ["p", "q"] * 20, "v": ["s", "t"] * 8 + list("uvwxyz") * 4})
    known = frame.with_columns(v=pl.when(pl.col("v").is_in(["s", "t"])).then("v").otherwise(pl.lit("s")))
    options = {"original": described(frame), "column": "v", "lineage": np.arange(40), "seed": 1}
    assert smallest_sets(described(known), **options).guess == 8 / 40
    assert adr(described(known), **options).facts["best single guess"] == 8 / 40


def majority(keys: list, values: list, key) -> object:
    """What leads in the class, the whole counting as one record more; ties to what is frequent in the whole, then lower."""
    whole, here = Counter(values), Counter(value for one, value in zip(keys, values, strict=True) if one == key)
    return min(whole, key=lambda v: (-round(here[v] + whole[v] / len(values), 9), -whole[v], v))


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=30),
    st.lists(st.integers(0, 5), max_size=6),
)
def test_classes_say_what_leads(pairs, asked):
    keys, values = (list(side) for side in zip(*pairs, strict=True))
    said = by_class(np.array(keys), np.array(values), np.array(asked, dtype=np.int64))
    assert said.tolist() == [majority(keys, values, key) for key in asked]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 8)), min_size=1, max_size=20),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
)
def test_classes_say_the_number_that_most_are_near_to(pairs, within):
    """Windows by hand: those that begin at a value of the class, and the fullest of the whole, which wins a tie."""
    keys, values = (list(side) for side in zip(*pairs, strict=True))

    def held(some, begin):
        return sum(begin <= one <= begin + 2 * within for one in some)

    def score(some, begin):
        return round(held(some, begin) + held(values, begin) / len(values), 9)

    whole = min(set(values), key=lambda begin: (-held(values, begin), begin))
    said = by_class(np.array(keys), np.array(values, dtype=float), np.arange(6), within=within)
    for key in range(6):
        own = [value for one, value in pairs if one == key]
        best = min({*own, whole}, key=lambda v: (-score(own, v), v != whole, -held(values, v), v))
        assert said[key] == (best + max(one for one in values if one <= best + 2 * within)) / 2


@settings(max_examples=10)
@given(st.integers(0, 2**32))
def test_shares_are_those_of_cross_fitting_by_hand(seed):  # catalogue: B-08
    """Every set of one or two columns: learnt from the masked rows of the other folds, asked about the original ones."""
    rng = np.random.default_rng(seed)
    size = 50
    frame = pl.DataFrame(
        {name: rng.choice(["p", "q", "r"], size) for name in "abc"} | {"v": rng.choice(["s", "t"], size)}
    )
    lineage = rng.permutation(size)
    masked = frame[lineage].with_columns(a=pl.Series(rng.permutation(frame["a"].to_numpy())))
    found = smallest_sets(
        described(masked), original=described(frame), column="v", lineage=lineage, seed=seed, largest=2, gain=0.99
    )
    fold = make_generator(child_seed(seed, "folds")).permutation(size) % 5
    best = 0.0
    for columns in [one for size in (1, 2) for one in combinations("abc", size)]:
        keys, mine = masked.select(columns).rows(), frame.select(columns).rows()
        hits = []
        for person in range(size):
            rows = [row for row in range(size) if fold[lineage[row]] != fold[person]]
            said = majority([keys[row] for row in rows], [masked["v"][row] for row in rows], mine[person])
            hits.append(said == frame["v"][person])
        best = max(best, float(np.mean(hits)))
    assert found.best.right == pytest.approx(best)
    assert not found.sets and found.looked_at == 6


@pytest.mark.parametrize("estimator", ["tree", RandomForestClassifier(5)])
def test_estimators_find_the_same_sets(estimator):
    found = found_in(planted(400), largest=2, estimator=estimator)
    assert [one.columns for one in found.sets] == [("a", "b")]


def test_masking_takes_the_sets_away():
    release = described(planted())
    dealt = np.random.default_rng(1).permutation(release.size)
    masked = Masked(release.with_columns({"a": release.series("a").gather(dealt)}), ())
    assert not smallest_sets(masked, original=release, column="v", seed=1).sets


def test_equally_frequent_values_do_not_make_a_set_look_good():
    """The majority of the other folds is the minority of one's own: a cross-fitted guess would be right of fewer than half."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({"a": rng.choice(["p", "q"], 600), "v": rng.permutation(["s", "t"] * 300)})
        found = found_in(frame, folds=2)
        assert found.guess == 0.5 and not found.sets


def test_numbers_are_learnt_and_learnt_from():
    rng = np.random.default_rng(2)
    x = rng.random(1000)
    frame = pl.DataFrame({"x1": x, "x2": rng.random(1000), "y": 5 * x + rng.normal(size=1000) * 0.05})
    found = found_in(frame, column="y", percent=25)
    assert [one.columns for one in found.sets] == [("x1",)]
    assert found.sets[0].right > 0.9


def test_gaps_are_a_class_of_their_own():
    rng = np.random.default_rng(3)
    a = [None if one < 0.5 else "p" for one in rng.random(400)]
    frame = pl.DataFrame({"a": a, "x1": rng.random(400), "v": ["gap" if one is None else "full" for one in a]})
    assert [one.columns for one in found_in(frame).sets] == [("a",)]


def test_it_tells_a_reader_and_a_frame():
    found = found_in(planted())
    text = str(found)
    assert "a, b" in text and "above the best guess" in text and "12 of 14" in text
    assert found.frame()["columns"].to_list() == [["a", "b"]]
    assert found.as_json()["possible"] == 14
    none = found_in(planted(), largest=1)
    assert "does not suffice" in str(none) and none.frame().is_empty()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"column": "w"}, "no column 'w'"),
        ({"knows": ["a", "v"]}, "knows 'v' already"),
        ({"largest": 0}, "largest=0"),
        ({"gain": 2}, "gain=2"),
        ({"gain": True}, "gain=True"),
        ({"folds": 1}, "folds=1"),
        ({"percent": -3}, "percent=-3"),
        ({"estimator": "clases"}, "did you mean 'classes'"),
        ({"estimator": object()}, "has no fit and no predict"),
    ],
)
def test_mistakes_are_named(options, says):
    with pytest.raises(TacitError, match=says):
        found_in(planted(40), **{"column": "v", **options})


def test_one_value_and_no_value_are_refused():
    for values in (["s"] * 4, [None] * 4):
        frame = pl.DataFrame({"a": list("pqpq"), "v": values}, schema_overrides={"v": pl.String})
        with pytest.raises(TacitError, match="cannot be inferred") as problem:
            found_in(frame)
        assert problem.value.column == "v"


def test_two_columns_of_adult_tell_the_salary(reference_data):
    frame = pl.read_csv(reference_data / "adult" / "adult.csv", separator=";")
    release = Release(frame, quasi=frame.columns[:-1], confidential="salary-class", kinds={"age": "continuous"})
    swapped = release.protect(RankSwap(columns="age", percent=10), seed=1)
    found = smallest_sets(swapped, original=release, column="salary-class", gain=0.05, seed=1)
    assert found.possible == 92
    assert ("marital-status", "education") in [one.columns for one in found.sets]
