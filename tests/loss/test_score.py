import numpy as np
import polars as pl
import pytest

from tacit import Release, Result, Results, TacitError, loss
from tacit.loss import headline, score
from tacit.loss.score import WeightedMeasure, coarsened_columns
from tacit.protect import AddNoise, Generalise, Mdav


def part(name, value, column=None, **facts):
    return Result(name=name, value=value, column=column, worse="high", about="utility", facts=facts)


def test_one_number_for_a_measure_by_hand():  # catalogue: F-06
    assert headline(part("x", 0.3)) == 0.3
    assert headline(Results((part("x", 0.3), part("x", 0.9, "a")))) == 0.3, "the figure for all columns counts"
    assert headline(Results((part("x", 0.3, "a"), part("x", 5.0, "b")))) == pytest.approx(0.65), "at most 1 each"
    assert headline(Results((part("x", 0.2), part("y", 0.4, "a"), part("y", 0.8, "b")))) == pytest.approx(0.4)
    assert headline(part("removed records", 40, share=0.1)) == 0.1, "a count by its share"


def test_a_column_that_is_gone_counts_as_lost():
    found = Results((part("x", 0.2), part("x", 0.1, "a"), part("x", 0.3, "b")))
    assert headline(found, columns=("a", "b")) == pytest.approx(0.2)
    assert headline(found, columns=("a", "b", "gone", "too")) == pytest.approx((0.2 * 2 + 2) / 4)


def files():
    before = Release(pl.DataFrame({"pay": [1.0, 2.0, 10.0, 12.0], "age": [30.0, 40.0, 50.0, 61.0]}))
    return before, before.protect(Mdav(columns=["pay"], k=2))


def test_the_score_is_the_weighted_mean_of_its_parts():  # catalogue: F-06
    before, after = files()
    found = score(after, original=before, weights={"squared_error": 3, "moments": 1, "covariances": 0})
    parts = {one.name: one.value for one in found}
    assert parts["squared_error"] == headline(loss.squared_error(after, original=before))
    assert parts["information loss"] == pytest.approx((3 * parts["squared_error"] + parts["moments"]) / 4)
    assert found[0].facts["weights"] == {"squared_error": 3.0, "moments": 1.0, "covariances": 0.0}


MEASURES = ("moments", "squared_error", "covariances", "quantiles", "eigenvalues", "distances", "il1")
WHOLE = ("contingency", "mutual_information", "hellinger", "wasserstein", "propensity")


@pytest.mark.parametrize("name", [*MEASURES, *WHOLE])
def test_a_column_dropped_emptied_or_made_labels_never_looks_better(name):
    rng = np.random.default_rng(1)
    columns = dict(zip("xyz", rng.normal(size=(3, 3)) @ rng.normal(size=(3, 400)), strict=True))
    before = Release(pl.DataFrame(columns))
    noisy = {**columns, "y": columns["y"] + 0.5 * columns["y"].std() * rng.normal(size=400)}
    whole = score(Release(pl.DataFrame(noisy)), original=before, weights={name: 1})[0].value
    assert 0 < whole < 1
    labels = pl.Series(np.where(columns["y"] > 0, "high", "low"))
    others = {"dropped": {"x": columns["x"], "z": columns["z"]}, "labels": {**columns, "y": labels}}
    others["emptied"] = {**columns, "y": pl.Series([None] * 400, dtype=pl.Float64)}
    for way, frame in others.items():
        gone = score(Release(pl.DataFrame(frame)), original=before, weights={name: 1})[0].value
        assert whole < gone <= 1, way


def test_nothing_changed_costs_nothing_and_more_noise_costs_more():
    before = Release(
        pl.DataFrame({"x": [float(i * i % 97) for i in range(200)], "y": [float(i % 13) for i in range(200)]})
    )
    weights = {"squared_error": 1, "moments": 1, "covariances": 1, "quantiles": 1, "hellinger": 1, "wasserstein": 1}
    assert score(before, original=before, weights=weights)[0].value == 0
    noisy = [before.protect(AddNoise(columns=["x", "y"], variance=v), seed=1) for v in (0.01, 0.1, 1.0)]
    values = [score(one, original=before, weights=weights)[0].value for one in noisy]
    assert values == sorted(values)
    assert 0 < values[0] < values[-1] <= 1


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({}, "no loss has a weight"),
        ({"momens": 1}, "did you mean 'moments'"),
        ({"moments": -1}, "weight -1"),
        ({"moments": float("nan")}, "weight nan"),
        ({"moments": True}, "weight True"),
        ({"moments": 0}, "every loss has the weight 0"),
        ({"moments": {"weight": 1, "depth": 2}}, "takes no 'depth'"),
        ({"generalisation": 1}, "no quasi-identifier"),
    ],
)
def test_weights_that_are_none(weights, said):
    before, after = files()
    with pytest.raises(TacitError, match=said) as problem:
        score(after, original=before, weights=weights)
    assert problem.value.fix


def test_ranges_are_measured_by_what_they_leave_open_and_by_nothing_else():
    frame = pl.DataFrame({"age": [20 + i for i in range(60)], "pay": [float(i % 7) for i in range(60)]})
    before = Release(
        frame, quasi="age", kinds={"age": "continuous"}, hierarchies={"age": {"intervals": [10, 20]}}, missing="own"
    )
    ranges = before.protect(Generalise(levels={"age": 1}))
    blanks = before.suppress_cells({"age": np.arange(60) < 57})
    weights = {"squared_error": 1, "moments": 1, "hellinger": 1, "generalisation": 1}
    coarse, blank = (score(one, original=before, weights=weights) for one in (ranges, blanks))
    parts = {one.name: one.value for one in coarse}
    assert parts["squared_error"] == parts["moments"] == parts["hellinger"] == 0, "pay is as it was"
    assert parts["generalisation"] == pytest.approx(9 / 59)
    assert coarse[0].value < blank[0].value, "blanks in 95 % of the cells are no better than ranges of ten years"
    alone = score(ranges, original=before, weights={"squared_error": 1})
    assert alone[0].value == pytest.approx(0.5), "where labels are not weighed, the column is lost"
    unweighed = score(ranges, original=before, weights={"squared_error": 1, "generalisation": 0})
    assert unweighed[0].value == pytest.approx(0.5), "a weight of 0 is none"


def test_only_quasi_identifiers_are_measured_by_their_labels():
    frame = pl.DataFrame({"age": [20 + i for i in range(60)], "zip": [f"N{i % 9}" for i in range(60)]})
    ladders = {"age": {"intervals": [10, 20]}}
    kinds = {"age": "continuous"}
    before = Release(frame, quasi="zip", confidential="age", kinds=kinds, hierarchies=ladders, missing="own")
    ranges = before.protect(Generalise(levels={"age": 1}))
    assert (
        coarsened_columns(ranges.release, before, (WeightedMeasure(name="generalisation", weight=1.0),)) == frozenset()
    )
    keyed = Release(frame, quasi=["zip", "age"], kinds=kinds, hierarchies=ladders, missing="own")
    assert coarsened_columns(ranges.release, keyed, (WeightedMeasure(name="generalisation", weight=1.0),)) == {"age"}


def test_columns_that_stand_apart_are_left_out_of_the_figure_for_all():
    found = Results((part("x", 0.5), part("x", 0.9, "coarse"), part("x", 0.1, "kept")))
    assert headline(found, apart=("coarse",)) == pytest.approx(0.1)
    assert headline(found, columns=("coarse", "kept"), apart=("coarse",)) == pytest.approx(0.1)
    assert headline(found, columns=("coarse", "kept", "gone"), apart=("coarse",)) == pytest.approx((0.1 + 1) / 2)
    assert headline(Results((part("x", 0.5), part("x", 0.5, "coarse"))), apart=("coarse",)) == 0
    assert headline(part("x", 0.5), apart=("coarse",)) == 0.5, "a measure that does not tell its columns"
