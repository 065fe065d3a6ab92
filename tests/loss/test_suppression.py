import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError, examples
from tacit.loss import LOSSES, summary, suppressed
from tacit.protect import DropIdentifiers, Generalise, Mdav, Pipeline, Shuffle, SuppressCells, SuppressRecords


def test_cells_and_records_are_counted_against_the_original():  # catalogue: F-04
    frame = pl.DataFrame({"a": ["x", "x", "y", None], "b": ["p", "p", "p", "p"], "c": [1, 2, 3, 4]})
    release = Release(frame, quasi=["a", "b"], missing="any")
    masked = Release(
        pl.DataFrame({"a": [None, "x"], "b": ["p", None], "c": [3, None]}), quasi=["a", "b"], missing="any"
    )
    results = suppressed(masked, original=release, lineage=np.array([2, 0]))
    found = {(part.name, part.column): (part.value, part.facts["share"]) for part in results}
    assert found == {
        ("removed records", None): (2, 0.5),
        ("suppressed cells", "a"): (1, 0.5),
        ("suppressed cells", "b"): (1, 0.5),
        ("suppressed cells", "c"): (1, 0.5),
    }


def test_they_agree_with_what_the_release_remembers():
    example = examples.clinic(400, seed=6)
    release = Release(
        example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="any"
    )
    steps = [Generalise(levels={"zip": 1, "birth": 3, "occupation": 1}), SuppressCells(k=4), Shuffle()]
    masked = release.protect(Pipeline(steps=steps), seed=1)
    found = {part.column: part.value for part in suppressed(masked, original=release) if part.column}
    assert {column: count for column, count in found.items() if count} == masked.release.suppressed
    assert set(found) == set(release.quasi)


def test_the_summary_has_every_loss_that_applies():
    example = examples.clinic(300, seed=6)
    release = Release(
        example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="own"
    )
    coarse = Generalise(levels={"zip": 2, "birth": 4, "occupation": 2})
    steps = [DropIdentifiers(), coarse, SuppressRecords(k=2), Mdav(columns="income", k=3), Shuffle()]
    results = summary(release.protect(Pipeline(steps=steps), seed=1), original=release)
    names = {part.name for part in results}
    assert names == {
        "changed values",
        "mean shift",
        "variance change",
        "correlations",
        "squared error",
        "generalisation",
        "entropy",
        "discernibility",
        "class size",
        "removed records",
        "suppressed cells",
    }
    assert all(part.about == "utility" and part.worse == "high" for part in results)
    by_class = {"discernibility", "class_size", "entropy"}
    unasked = {name for name, entry in LOSSES.items() if entry.upto is None}
    assert str(results)
    assert unasked == {"changed", "generalisation", "moments", "squared_error", "suppressed"} | by_class
    more = summary(release.protect(Pipeline(steps=steps), seed=1), original=release, wanted=["quantiles"])
    assert {part.name for part in more} - names == {"quantiles"}
    with pytest.raises(TacitError, match="did you mean 'quantiles'"):
        summary(release, original=release, wanted=["quantile"])
    text = Release(pl.DataFrame({"a": ["x"]}))
    assert [part.name for part in summary(text, original=text)] == ["changed values", "removed records"]
