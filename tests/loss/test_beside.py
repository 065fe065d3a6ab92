"""A column before and after (F-01, F-03): counts under the same labels, figures by the textbook."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from tacit import Release
from tacit.errors import TacitError
from tacit.loss.distributions.column_comparison import MOST, SHARES, compare_column
from tacit.protect import DropIdentifiers, Generalise, Mondrian, RankSwap


def of(values: object) -> Release:
    return Release(pl.DataFrame({"x": values}))


def test_amounts_are_counted_in_ranges_that_both_files_share() -> None:
    rng = np.random.default_rng(5)
    old, new = rng.normal(10, 2, 400), rng.normal(13, 1, 300)
    found = compare_column(of(new), original=of(old), column="x")
    assert found.how == "ranges" and len(found.edges) == 21
    assert found.edges[0] == min(old.min(), new.min()) and found.edges[-1] == max(old.max(), new.max())
    assert list(found.before) == np.histogram(old, found.edges)[0].tolist() and sum(found.before) == 400
    assert list(found.after) == np.histogram(new, found.edges)[0].tolist() and sum(found.after) == 300
    figures = {name: pair for name, *pair in found.numbers}
    assert figures["mean"] == pytest.approx([old.mean(), new.mean()])
    assert figures["standard deviation"] == pytest.approx([old.std(), new.std()])
    for share in SHARES:
        assert figures[f"{share:.0%} quantile"] == pytest.approx([np.quantile(old, share), np.quantile(new, share)])


def test_few_amounts_are_counted_one_by_one_and_what_is_missing_apart() -> None:
    found = compare_column(of([3, 1, None, 2]), original=of([1, 1, 2, None, None]), column="x")
    assert (found.how, found.labels, found.before, found.after) == ("values", ("1", "2", "3"), (2, 1, 0), (1, 1, 1))
    assert found.missing == (2, 1)
    assert found.numbers[0] == ("mean", pytest.approx(4 / 3), 2.0)


def test_rare_categories_are_counted_together() -> None:
    old = [letter for place, letter in enumerate("abcdefghijklmnop") for _ in range(20 - place)]
    found = compare_column(of(["a"] * 7 + ["p"]), original=of(old), column="x")
    assert found.labels == tuple("abcdefghijkl") and len(found.labels) == MOST
    assert found.other == (sum(old.count(letter) for letter in "mnop"), 1)
    assert sum(found.before) + found.other[0] == len(old)


def test_a_generalised_column_is_compared_at_its_level() -> None:
    table = pl.DataFrame({"zip": ["N1A", "N1B", "N2A"]})
    original = Release(table, quasi="zip", hierarchies={"zip": {"prefix": [3, 2]}})
    found = compare_column(original.protect(Generalise(levels={"zip": 1})), original=original, column="zip")
    assert (found.how, found.labels, found.before, found.after) == ("level", ("N1*", "N2*"), (2, 1), (2, 1))


def test_days_are_named_by_the_first_of_their_range() -> None:
    days = [date(2000, 1, 1) + timedelta(days=day) for day in range(41)]
    found = compare_column(of(days[:20]), original=of(days), column="x")
    assert found.how == "dates" and found.labels[0] == "2000-01-01" and found.labels[1] == "2000-01-03"
    assert sum(found.before) == 41 and sum(found.after) == 20 and found.numbers == ()


def test_amounts_that_became_labels_and_columns_that_went() -> None:
    people = pl.DataFrame({"name": list("abcd"), "age": [31, 33, 47, 49], "pay": [1, 2, 3, 4]})
    original = Release(people, identifier="name", quasi="age", kinds={"age": "continuous"})
    masked = original.protect(Mondrian(models={"k_anonymity": 2})).then(DropIdentifiers())
    found = compare_column(masked, original=original, column="age")
    assert found.how == "values" and found.after[found.labels.index("[31, 33]")] == 2 and found.numbers == ()
    assert compare_column(masked, original=original, column="name").how == "dropped"
    with pytest.raises(TacitError, match="is not in the table"):
        compare_column(masked, original=original, column="wage")


def test_swapping_moves_nobody_between_the_bars() -> None:
    original = of(np.random.default_rng(2).gamma(2, 500, 200))
    found = compare_column(original.protect(RankSwap(columns="x", percent=10), seed=3), original=original, column="x")
    assert found.before == found.after
