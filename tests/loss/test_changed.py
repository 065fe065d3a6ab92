"""The share of changed values, against a count by hand."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from tacit import Masked, Release, TacitError
from tacit.loss import changed
from tacit.protect import Generalise, Pram, ShiftDates


def register(n=400):
    rng = np.random.default_rng(4)
    return Release(
        pl.DataFrame(
            {
                "sex": rng.choice(["f", "m", None], n, p=[0.5, 0.4, 0.1]).tolist(),
                "born": [dt.date(1950, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 20_000, n)],
                "zip": rng.choice(["10115", "10117", "20095"], n),
                "pay": rng.normal(size=n),
            }
        ),
        quasi=["sex", "born", "zip"],
        hierarchies={"zip": {"prefix": [5, 2]}},
        missing="own",
    )


def test_changes_are_counted_where_both_values_are_known():
    original = register()
    masked = original.protect(Pram(columns="sex", stay=0.7), seed=3).then(ShiftDates(columns="born", days=10), seed=4)
    found = changed(masked, original=original)
    before, after = original.series("sex").to_list(), masked.release.series("sex").to_list()
    known = [one is not None for one in before]
    moved = sum(one != other for one, other in zip(before, after, strict=True) if one is not None)
    assert found["sex"].value == moved / sum(known)
    assert found["born"].value > 0.9
    assert {one.column for one in found} == {None, "sex", "born"}
    # zip is unchanged, and counts in the mean
    assert next(iter(found)).value == pytest.approx((found["sex"].value + found["born"].value) / 3)


def test_rows_are_compared_by_lineage_and_coarser_labels_are_left_to_generalisation():
    original = register()
    order = np.random.default_rng(1).permutation(original.size)
    assert changed(Masked(original.take(order), (), lineage=order), original=original).worst.value == 0
    masked = original.protect(Generalise(levels={"zip": 1}))
    assert "zip" not in {one.column for one in changed(masked, original=original)}
    with pytest.raises(TacitError, match="categories or dates"):
        changed(original.select(["pay"]), original=original.select(["pay"]))
